/* SPDX-License-Identifier: BSD-3-Clause */
/* test.h: a test has a sentence for a name and runs in a process of its own, so a crash
 * fails only this test.
 *
 *     TEST(a_square_is_never_negative)
 *     {
 *         CHECK(square(-2) >= 0);
 *     }
 *
 * A failed CHECK is printed and the test goes on; a failed REQUIRE ends the test. A test
 * that calls test_skip counts neither as passed nor as failed. All files of
 * tests/<folder>/ make one program, build/<preset>/tests/test_<folder>:
 *
 *     test_lang            runs all tests; the last line is `N passed, N failed`
 *     test_lang square     runs the tests with `square` in their name
 *     test_lang -l         lists the tests
 *     test_lang -n square  runs in this process, for a debugger
 *
 * With TEST_TIMES in the environment each test prints its seconds. A test fails if it
 * takes more than TEST_SECONDS (environment, 1800). */
#ifndef TEST_H
#define TEST_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pavior.h"

typedef struct test_case test_case;
struct test_case {
    const char *name;
    void (*run)(void);
    bool is_long;
    test_case *next;
};

void test_add(test_case *test);
/* Number of the running test, from 1 on. tests/runs/run/kept.c makes a new folder when it
 * changes, so no two tests share files. */
extern int test_number;
bool test_true(const char *file, int line, const char *text, bool holds);
bool test_same(const char *file, int line, const char *text, long long got,
               long long want);
bool test_near(const char *file, int line, const char *text, double got, double want,
               double tolerance);
bool test_string(const char *file, int line, const char *text, const char *got,
                 const char *want);
/* message: the text of pav_message(), printed if the status is not the wanted one. */
bool test_status(const char *file, int line, const char *text, int got, int want,
                 const char *message);
/* Prints `skipped: what: why`; the test has to return. */
void test_skip(const char *what, const char *why);
/* True with a sanitizer that loses stacks, such as the threads of the emulated GPU. The
 * test is skipped then. */
bool test_loses_stacks(void);
/* Ends the running test at once. */
__attribute__((noreturn)) void test_stop(void);

#define TEST_OF(name, is_long)                                                           \
    static void name(void);                                                              \
    __attribute__((constructor)) static void name##_add(void)                            \
    {                                                                                    \
        static test_case test = {#name, name, is_long, NULL};                            \
        test_add(&test);                                                                 \
    }                                                                                    \
    static void name(void)
#define TEST(name) TEST_OF(name, false)
/* A test that takes many seconds and gains nothing from a sanitizer. Only `make
 * check-all` runs it, without sanitizers (TEST_LONG). */
#define LONG_TEST(name) TEST_OF(name, true)

#define CHECK(condition) ((void)test_true(__FILE__, __LINE__, #condition, (condition)))
#define REQUIRE(condition)                                                               \
    (test_true(__FILE__, __LINE__, #condition, (condition)) ? (void)0 : test_stop())
/* Integers. */
#define CHECK_EQ(got, want)                                                              \
    ((void)test_same(__FILE__, __LINE__, #got, (long long)(got), (long long)(want)))
/* |got - want| <= tolerance; never true of NaN. */
#define CHECK_NEAR(got, want, tolerance)                                                 \
    ((void)test_near(__FILE__, __LINE__, #got, (double)(got), (double)(want),            \
                     (tolerance)))
#define CHECK_STR(got, want) ((void)test_string(__FILE__, __LINE__, #got, (got), (want)))
#define CHECK_STATUS(call, want)                                                         \
    do {                                                                                 \
        const int test_got_ = (int)(call);                                               \
        (void)test_status(__FILE__, __LINE__, #call, test_got_, (int)(want),             \
                          pav_message());                                                \
    } while (0)
/* Like CHECK_STATUS(call, PAV_OK), but ends the test on failure. */
#define REQUIRE_OK(call)                                                                 \
    do {                                                                                 \
        const int test_got_ = (int)(call);                                               \
        if (!test_status(__FILE__, __LINE__, #call, test_got_, 0, pav_message()))        \
            test_stop();                                                                 \
    } while (0)

#endif
