/* SPDX-License-Identifier: BSD-3-Clause */
/* A command started as several ranks by an MPI launcher: only the first rank prints,
 * except if another rank fails on its own; all ranks end together. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

/* stderr of this rank, for the reason of its failure */
static int messages = STDERR_FILENO;

static void silence(void)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    messages = dup(STDERR_FILENO);
    if (nowhere < 0 || messages < 0)
        return;
    (void)dup2(nowhere, STDOUT_FILENO);
    (void)dup2(nowhere, STDERR_FILENO);
    (void)close(nowhere);
}

int ranks_begin(pav_ranks **ranks)
{
    const pav_status status = pav_ranks_open(NULL, ranks);
    if (status != PAV_OK)
        return fail_with(status);
    if (pav_ranks_number(*ranks) > 0)
        silence();
    return EXIT_DONE;
}

static void print_reason(const pav_ranks *ranks, const char *why)
{
    char name[64];
    (void)snprintf(name, sizeof name, "rank %d of %d: ", pav_ranks_number(ranks),
                   pav_ranks_count(ranks));
    const bool named = strncmp(why, name, strlen(name)) == 0;
    (void)dprintf(messages, "%s%s\n", named ? "" : name, why);
}

/* Called by all ranks, even if no run was opened. The last complaint is the reason for
 * this rank's failure. */
void ranks_end(pav_ranks *ranks, int code)
{
    pav_status status;
    int failed = -1;
    const char *why = complaint(&status);
    const int number = pav_ranks_number(ranks);
    if (!ranks)
        return;
    /* flush now: after a failure of one rank the launcher kills the others */
    (void)fflush(stdout);
    status = code == EXIT_DONE ? PAV_OK : status != PAV_OK ? status : PAV_EINVAL;
    if (pav_ranks_meet(ranks, status, &failed) != PAV_OK) {
        if (number > 0)
            print_reason(ranks, why);
        pav_ranks_abort(ranks, code);
    }
    if (failed == number && number > 0)
        print_reason(ranks, why);
    pav_ranks_free(ranks);
}
