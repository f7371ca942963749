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

static pav_status same_view(const ir *code, int field, const view *a, const view *b)
{
    int64_t at[MAX_DIM];
    if (!run_view_differs(a, b, at))
        return PAV_OK;
    return FAIL(PAV_EINTERNAL, "field %s differs at (%lld, %lld, %lld): %.17g and %.17g",
                code->field[field].name, (long long)at[0], (long long)at[1],
                (long long)at[2], point_value(a, at), point_value(b, at));
}

static bool same_number(const double *a, const double *b)
{
    return memcmp((const char *)a, (const char *)b, sizeof *a) == 0 ||
           (isnan(*a) && isnan(*b));
}

pav_status levels_are_equal(pav_run *a, pav_run *b, int field, int age)
{
    const view *one, *other;
    TRY(run_host_view(a, field, -age, HOST_READ, &one));
    TRY(run_host_view(b, field, -age, HOST_READ, &other));
    return same_view(run_code(a), field, one, other);
}

pav_status runs_are_equal(pav_run *a, pav_run *b, int64_t step)
{
    const ir *code = run_code(a);
    for (int f = 0; f < code->fields; f++) {
        const int kept = code->field[f].updated ? code->field[f].levels : 1;
        for (int age = 0; age < kept; age++)
            TRY(levels_are_equal(a, b, f, age));
    }
    /* All rows of samples and measures so far, after a step. */
    for (int64_t k = 0; k < run_recorders(a); k++) {
        kept_rows rows[2];
        TRY(run_kept_rows(a, k, &rows[0]));
        TRY(run_kept_rows(b, k, &rows[1]));
        for (kept_rows *r = rows; r < rows + 2; r++)
            for (; r->count > 0 && step > 0 && r->row[0] <= (double)step; r->count--)
                r->row += r->columns;
        const kept_rows *one = &rows[0], *other = &rows[1];
        if (one->count != other->count)
            return FAIL(PAV_EINTERNAL, "line %d has %lld rows and %lld", one->line,
                        (long long)one->count, (long long)other->count);
        for (int64_t n = 0; n < one->count * one->columns; n++)
            if (!same_number(&one->row[n], &other->row[n]))
                return FAIL(PAV_EINTERNAL,
                            "line %d, step %g, number %lld of the row: %.17g and %.17g",
                            one->line, one->row[n / one->columns * one->columns],
                            (long long)(n % one->columns), one->row[n], other->row[n]);
    }
    return PAV_OK;
}
