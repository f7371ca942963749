/* SPDX-License-Identifier: BSD-3-Clause */
/* A checkpoint of a run with ranks: one file, and each rank writes its own points. The
 * first rank creates it, and renames it once all have written. If some rank does not see
 * the directory, the first rank gathers the fields and writes them. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

/* The file, sent by the first rank; no name: it could not be created. */
typedef struct data_place {
    char name[PATH_MAX];
    int64_t at; /* beginning of the data in the file */
} data_place;

pav_status checkpoint_join(const pav_run *run, const char *path, stream *s,
                           pav_status begun, bool *seen)
{
    pav_ranks *ranks = run->part->ranks;
    data_place begun_at = {.at = s->at + s->used};
    uint64_t word = 0;
    if (run_is_first(run) && begun == PAV_OK)
        (void)snprintf(begun_at.name, sizeof begun_at.name, "%s", s->part);
    TRY(ranks_share(ranks, 0, &begun_at, (int64_t)sizeof begun_at));
    if (!run_is_first(run)) {
        const pav_status joined = begun_at.name[0] ? stream_join(s, path, begun_at.name)
                                                   : PAV_OK;
        if (joined == PAV_OK && begun_at.name[0])
            TRY(stream_seek(s, begun_at.at));
        word = joined != PAV_OK;
    }
    TRY(ranks_or(ranks, &word, 1));
    *seen = word == 0 && begun_at.name[0];
    return begun;
}

/* The result of one rank. */
typedef struct part_done {
    int status;
    uint64_t sum;
} part_done;

static pav_status report_failed(const pav_run *run, int rank, pav_status own)
{
    char why[512] = "";
    if (ranks_number(run->part->ranks) == rank)
        (void)snprintf(why, sizeof why, "%s", pav_message());
    TRY(ranks_share(run->part->ranks, rank, why, (int64_t)sizeof why));
    return FAIL(own != PAV_OK ? own : PAV_EIO, "rank %d: %s", rank, why);
}

pav_status checkpoint_gather(const pav_run *run, const stream *s, pav_status own,
                             uint64_t *others)
{
    const int count = ranks_count(run->part->ranks);
    const part_done mine = {(int)own, s->sum};
    part_done *all = mem_new(count, sizeof *all);
    int failed = -1;
    pav_status status = all ? ranks_gather(run->part->ranks, &mine, sizeof mine, all)
                            : PAV_ENOMEM;
    *others = 0;
    for (int n = count - 1; status == PAV_OK && n >= 0; n--) {
        failed = all[n].status != PAV_OK ? n : failed;
        *others += n > 0 ? all[n].sum : 0;
    }
    mem_free(all);
    TRY(status);
    return failed < 0 ? PAV_OK : report_failed(run, failed, own);
}

pav_status checkpoint_sum(const pav_run *run, const stream *s, uint64_t *all)
{
    const int count = ranks_count(run->part->ranks);
    uint64_t *each = mem_new(count, sizeof *each);
    const pav_status status = each ? ranks_gather(run->part->ranks, &s->sum,
                                                  sizeof s->sum, each)
                                   : PAV_ENOMEM;
    *all = 0;
    for (int n = 0; status == PAV_OK && n < count; n++)
        *all += each[n];
    mem_free(each);
    return status;
}
