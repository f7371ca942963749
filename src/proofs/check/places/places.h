/* SPDX-License-Identifier: BSD-3-Clause */
/* The random programs at random places, for the traversal of check. */
#ifndef CHECK_PLACES_PLACES_H
#define CHECK_PLACES_PLACES_H

#include "base/base.h"

pav_status check_places(const pav_check_options *options, pav_check_count *found);

#endif
