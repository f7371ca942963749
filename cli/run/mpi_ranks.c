/* SPDX-License-Identifier: BSD-3-Clause */
/* A command that a launcher of MPI started as several ranks: the first alone prints, but
 * for one that fails by itself; and they end together. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

static int messages = STDERR_FILENO; /* where this rank may say why it failed */

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

/* Whether a run was opened, all of them come here; the last complaint is why this one
 * failed. */
void ranks_end(pav_ranks *ranks, int code)
{
    pav_status status;
    int failed = -1;
    const char *why = complaint(&status);
    const int number = pav_ranks_number(ranks);
    if (!ranks)
        return;
    (void)fflush(stdout); /* a launcher ends all once one has left with a failure */
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
