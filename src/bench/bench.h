/* SPDX-License-Identifier: BSD-3-Clause */
/* bench: rates of programs beside the rate at which the machine copies memory, measured in turns, so that
 * a machine that changes its mind changes both. Its functions are public: pav_bench_copy and
 * pav_bench_program in pavior.h. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include "base/base.h"

#endif
