/* SPDX-License-Identifier: BSD-3-Clause */
/* assert.h in place of the system's, for tools/asserts: each executed assert adds its
 * file and line to $PAV_ASSERTS_SEEN, once a process. */
#include <stdio.h>
#include <stdlib.h>

#undef assert
#undef static_assert
#define static_assert _Static_assert
#define assert(holds)                                                                    \
    do {                                                                                 \
        static int assert_seen;                                                          \
        if (!assert_seen++)                                                              \
            assert_note(__FILE__, __LINE__);                                             \
        if (!(holds))                                                                    \
            assert_fails(__FILE__, __LINE__, #holds);                                    \
    } while (0)

#ifndef ASSERTS_ASSERT_H
#define ASSERTS_ASSERT_H

static inline void assert_note(const char *file, int line)
{
    const char *const path = getenv("PAV_ASSERTS_SEEN");
    FILE *const f = path ? fopen(path, "a") : NULL;
    if (f) {
        fprintf(f, "%s:%d\n", file, line);
        fclose(f);
    }
}

static inline void assert_fails(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: assertion `%s' failed\n", file, line, what);
    abort();
}

#endif
