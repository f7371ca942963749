/* SPDX-License-Identifier: BSD-3-Clause */
/* A run shared by ranks. All ranks take the same steps over the same subdomains. After
 * each step they agree, by one word, on decisions from a clock, a signal or a failure. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

bool run_is_first(const pav_run *run)
{
    return ranks_number(run->part->ranks) == 0;
}

static void hash_word(hash *h, const char *word)
{
    if (word)
        hash_add(h, word, (int64_t)strlen(word));
    hash_add(h, "", 1);
}

/* A hash of all statements and of the options with influence on steps. */
static pav_status hash_settings(const pav_run *run, uint64_t *result)
{
    const pav_run_options *o = &run->options;
    const int64_t numbers[] = {run->steps,          o->nan_check_every,
                               o->checkpoint_every, o->no_files != 0,
                               o->force != 0,       run->checkpoint.path != NULL,
                               o->listener != NULL, o->exchange_every};
    text t = {0};
    hash h;
    for (const statement *s = run->program->first; s; s = s->next)
        statement_print(run->program, s, &t);
    hash_init(&h);
    hash_word(&h, t.data);
    hash_word(&h, pav_version());
    hash_word(&h, o->subdomains);
    hash_word(&h, o->restart);
    hash_word(&h, o->weights);
    hash_add(&h, numbers, (int64_t)sizeof numbers);
    *result = hash_end(&h);
    const bool failed = t.failed;
    text_free(&t);
    return failed ? PAV_ENOMEM : PAV_OK;
}

static pav_status check_possible(const pav_run *run, const pav_device *device)
{
    const char *what = device && device->places > 1 ? "a list of devices"
                       : run->options.out_of_core   ? "a run out of core"
                                                    : NULL;
    if (!what)
        return PAV_OK;
    return FAIL(PAV_EUNSUPPORTED,
                "%s cannot be shared by ranks yet: each rank has one device", what);
}

pav_status run_check_ranks(pav_run *run, const pav_device *device)
{
    uint64_t own = 0;
    if (!run->part->ranks)
        return PAV_OK;
    TRY(check_possible(run, device));
    io_watch(ranks_alive, run->part->ranks);
    TRY(hash_settings(run, &own));
    return ranks_check_same(run->part->ranks, "description, version or setting", own);
}

pav_status run_agree(pav_run *run, unsigned wishes)
{
    uint64_t word = wishes;
    TRY(ranks_or(run->part->ranks, &word, 1));
    run->progress.agreed = (unsigned)word;
    return PAV_OK;
}

/* Consecutive subdomains in equal number for each rank, at least one. */
pav_status run_open_absent(pav_run *run)
{
    subdomain *whole = run->part;
    const int ranks = ranks_count(whole->ranks);
    if (ranks == 1)
        return PAV_OK;
    if (whole->inners < ranks)
        return FAIL(PAV_EINVAL,
                    "%lld subdomains are fewer than %d ranks: give as many at least, or "
                    "start fewer ranks",
                    (long long)decomposition_count(&run->cut.boxes), ranks);
    for (int64_t n = 0; n < whole->inners; n++) {
        executor *e;
        subdomain *inner = &whole->inner[n];
        inner->rank = run_place_of(run, n);
        inner->place = 0;
        if (inner->rank == ranks_number(whole->ranks) || inner->executor)
            continue;
        TRY(exec_absent_open(inner, &e));
        subdomain_use(inner, e);
    }
    return PAV_OK;
}
