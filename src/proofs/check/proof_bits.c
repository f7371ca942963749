/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparisons of proofs: fields and rows of two runs, bit by bit. proof_is_sharp refuses
 * a comparison too coarse to distinguish right from wrong. */
#include <math.h>
#include <string.h>

#include "check/check_private.h"

/* At least one comparison in 32 must be sharp. The worst of the enumeration's 5094
 * programs has one in 11. */
enum { LEAST_SHARP = 32 };

pav_status proof_is_sharp(int64_t compared, int64_t sharp)
{
    if (sharp > 0 && sharp >= compared / LEAST_SHARP)
        return PAV_OK;
    return FAIL(PAV_EINTERNAL,
                "of %lld values that were compared only %lld could tell right from wrong",
                (long long)compared, (long long)sharp);
}

static bool both_nan(const view *a, const char *pa, const char *pb)
{
    return isnan(type_load(a->type, pa)) && isnan(type_load(a->type, pb));
}

static pav_status same_point(const ir *code, int field, const view *a, const view *b,
                             bool any_nan, const int64_t *at)
{
    const char *pa = view_at(a, at[0], at[1], at[2]);
    const char *pb = view_at(b, at[0], at[1], at[2]);
    if (memcmp(pa, pb, pav_type_size(a->type)) == 0 || (any_nan && both_nan(a, pa, pb)))
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "field %s differs at (%lld, %lld, %lld): %.17g and %.17g",
                code->field[field].name, (long long)at[0], (long long)at[1],
                (long long)at[2], type_load(a->type, pa), type_load(b->type, pb));
}

static pav_status same_view(const ir *code, int field, const view *a, const view *b,
                            bool any_nan)
{
    int64_t at[MAX_DIM];
    for (at[2] = 0; at[2] < a->extent[2]; at[2]++)
        for (at[1] = 0; at[1] < a->extent[1]; at[1]++)
            for (at[0] = 0; at[0] < a->extent[0]; at[0]++)
                TRY(same_point(code, field, a, b, any_nan, at));
    return PAV_OK;
}

static bool same_number(const double *a, const double *b, bool any_nan)
{
    return memcmp((const char *)a, (const char *)b, sizeof *a) == 0 ||
           (any_nan && isnan(*a) && isnan(*b));
}

static pav_status same_rows(const kept_rows *a, const kept_rows *b, bool any_nan)
{
    if (a->count != b->count)
        return FAIL(PAV_EINTERNAL, "line %d has %lld rows and %lld", a->line,
                    (long long)a->count, (long long)b->count);
    for (int64_t k = 0; k < a->count * a->columns; k++)
        if (!same_number(&a->row[k], &b->row[k], any_nan))
            return FAIL(PAV_EINTERNAL,
                        "line %d, step %g, number %lld of the row: %.17g and %.17g",
                        a->line, a->row[k / a->columns * a->columns],
                        (long long)(k % a->columns), a->row[k], b->row[k]);
    return PAV_OK;
}

static void skip_rows(kept_rows *rows, int64_t step)
{
    while (rows->count > 0 && step > 0 && rows->row[0] <= (double)step) {
        rows->row += rows->columns;
        rows->count--;
    }
}

/* All rows of samples and measures so far, after a step. */
static pav_status rows_are_equal(pav_run *a, pav_run *b, bool any_nan, int64_t step)
{
    for (int64_t k = 0; k < run_recorders(a); k++) {
        kept_rows one, other;
        TRY(run_kept_rows(a, k, &one));
        TRY(run_kept_rows(b, k, &other));
        skip_rows(&one, step);
        skip_rows(&other, step);
        TRY(same_rows(&one, &other, any_nan));
    }
    return PAV_OK;
}

static pav_status levels_are_equal(pav_run *a, pav_run *b, int field, int age,
                                   bool any_nan)
{
    const view *one, *other;
    TRY(run_host_view(a, field, -age, HOST_READ, &one));
    TRY(run_host_view(b, field, -age, HOST_READ, &other));
    return same_view(run_code(a), field, one, other, any_nan);
}

pav_status field_is_equal(pav_run *a, pav_run *b, const char *name)
{
    return levels_are_equal(a, b, run_field_number(a, name), 0, false);
}

static pav_status runs_agree_since(pav_run *a, pav_run *b, bool any_nan, int64_t step)
{
    const ir *code = run_code(a);
    for (int f = 0; f < code->fields; f++) {
        const int kept = code->field[f].updated ? code->field[f].levels : 1;
        for (int age = 0; age < kept; age++)
            TRY(levels_are_equal(a, b, f, age, any_nan));
    }
    return rows_are_equal(a, b, any_nan, step);
}

pav_status runs_are_equal(pav_run *a, pav_run *b, bool any_nan)
{
    return runs_agree_since(a, b, any_nan, 0);
}

pav_status runs_are_equal_since(pav_run *a, pav_run *b, int64_t step)
{
    return runs_agree_since(a, b, true, step);
}
