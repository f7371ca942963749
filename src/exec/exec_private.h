/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared inside exec only. */
#ifndef EXEC_EXEC_PRIVATE_H
#define EXEC_EXEC_PRIVATE_H

#include "exec/exec.h"

/* ghost_copies.c: copies ghosts with the threads of a team. */
void ghosts_copy(host_team *team, const view *v, int axis, ghost_sides sides,
                 const box *range);

#endif
