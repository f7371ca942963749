/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of a method, for example multigrid(cycle = F, pre = 2): reads their values
 * and rejects unknown names. */
#include <math.h>
#include <string.h>

#include "solve/solve_private.h"

static const solve_option *find(deriver *d, const char *name)
{
    for (int k = 0; k < d->solve->options; k++)
        if (strcmp(d->solve->option[k].name, name) == 0)
            return &d->solve->option[k];
    return NULL;
}

double setting_number(deriver *d, const char *name, double usual, double least,
                      double most)
{
    const solve_option *o = find(d, name);

    if (!o)
        return usual;
    if (o->word || !(o->number >= least && o->number <= most))
        solve_fail(d, PAV_EINVAL, "%s of %s is a number from %g to %g", name,
                   d->method->name, least, most);
    return o->number;
}

int setting_count(deriver *d, const char *name, int usual, int least, int most)
{
    const double value = setting_number(d, name, usual, least, most);

    if (value != floor(value))
        solve_fail(d, PAV_EINVAL, "%s of %s is a whole number from %d to %d", name,
                   d->method->name, least, most);
    return (int)value;
}

int setting_word(deriver *d, const char *name, const char *const *words, int count)
{
    const solve_option *o = find(d, name);
    const char *all = words[0];

    for (int k = 0; o && o->word && k < count; k++)
        if (strcmp(words[k], o->word) == 0)
            return k;
    for (int k = 1; k < count; k++)
        all = arena_print(d->arena, "%s%s%s", all, k + 1 < count ? ", " : " or ",
                          words[k]);
    if (o)
        solve_fail(d, PAV_EINVAL, "%s of %s is %s", name, d->method->name, all);
    return 0;
}

static bool takes(const solve_method *m, const char *name)
{
    for (const char *const *s = m->settings; *s; s++)
        if (strcmp(*s, name) == 0)
            return true;
    return false;
}

void setting_check(deriver *d)
{
    for (int k = 0; k < d->solve->options; k++) {
        const char *name = d->solve->option[k].name, *all = "none";
        if (takes(d->method, name))
            continue;
        for (const char *const *s = d->method->settings; *s; s++)
            all = s == d->method->settings ? *s
                                           : arena_print(d->arena, "%s, %s", all, *s);
        solve_fail(d, PAV_EINVAL, "%s has no setting '%s'; it has %s", d->method->name,
                   name, all);
    }
}
