/* SPDX-License-Identifier: BSD-3-Clause */
/* test_main.c: runs the registered tests of a folder in the order of file and line, each
 * in a child process. The last line is `N passed, N failed`. See test.h. */
#define _GNU_SOURCE
#include "test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit codes of a child that reached the end of its test. A test that calls exit(0)
 * before its end has failed. */
enum { TEST_ENDED = 96, TEST_SKIPPED };
typedef enum outcome { FAILED, PASSED, SKIPPED, OUTCOMES } outcome;

static test_case *first_test, **last_test = &first_test;
static bool failed_here, skipped_here; /* in the running test */

void test_add(test_case *test)
{
    *last_test = test;
    last_test = &test->next;
}

static bool note(bool holds, const char *file, int line, const char *text)
{
    if (!holds) {
        failed_here = true;
        printf("%s:%d: %s", file, line, text);
    }
    return holds;
}

bool test_true(const char *file, int line, const char *text, bool holds)
{
    if (!note(holds, file, line, text))
        puts(": does not hold");
    return holds;
}

bool test_same(const char *file, int line, const char *text, long long got,
               long long want)
{
    const bool holds = got == want;
    if (!note(holds, file, line, text))
        printf(": is %lld, not %lld\n", got, want);
    return holds;
}

bool test_near(const char *file, int line, const char *text, double got, double want,
               double tolerance)
{
    const bool holds = fabs(got - want) <= tolerance;
    if (!note(holds, file, line, text))
        printf(": is %.17g, not %.17g (off by %.3g, allowed %.3g)\n", got, want,
               fabs(got - want), tolerance);
    return holds;
}

bool test_string(const char *file, int line, const char *text, const char *got,
                 const char *want)
{
    const bool holds = got == want || (got && want && strcmp(got, want) == 0);
    if (!note(holds, file, line, text))
        printf(": is\n<<<%s>>>\nnot\n<<<%s>>>\n", got ? got : "(NULL)",
               want ? want : "(NULL)");
    return holds;
}

bool test_status(const char *file, int line, const char *text, int got, int want,
                 const char *message)
{
    const bool holds = got == want;
    if (!note(holds, file, line, text))
        printf(": gave status %d, not %d: %s\n", got, want, message ? message : "(NULL)");
    return holds;
}

void test_skip(const char *what, const char *why)
{
    skipped_here = true;
    printf("skipped: %s: %s\n", what, why);
}

bool test_loses_stacks(void)
{
#ifdef __SANITIZE_THREAD__
    test_skip("the emulated GPU", "its threads are stacks, which this sanitizer loses");
    return true;
#else
    return false;
#endif
}

/* Ends through exit, so a leak checker can report. The code must not be 0. */
void test_stop(void)
{
    exit(EXIT_FAILURE);
}

/* A limit for hanging tests. Other tests take less than a tenth of it. */
static unsigned seconds_allowed(void)
{
    const char *text = getenv("TEST_SECONDS");
    const long seconds = text ? strtol(text, NULL, 10) : 0;
    return seconds > 0 && seconds < 1000000 ? (unsigned)seconds : 1800;
}

int test_number;

static outcome run_here(const test_case *test)
{
    test_number++;
    failed_here = skipped_here = false;
    test->run();
    return failed_here ? FAILED : skipped_here ? SKIPPED : PASSED;
}

/* Explains the end of a child that was killed or called exit in the middle of a test. */
static void explain_end(int status)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        printf("  took more than %u s\n", seconds_allowed());
    else if (WIFSIGNALED(status))
        printf("  ended by signal %d: %s\n", WTERMSIG(status),
               strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) != EXIT_FAILURE)
        printf("  ended with exit code %d\n", WEXITSTATUS(status));
}

static outcome run_apart(const test_case *test)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(seconds_allowed());
        static const int code[OUTCOMES] = {EXIT_FAILURE, TEST_ENDED, TEST_SKIPPED};
        exit(code[run_here(test)]);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        puts("  could not be started: no process could be made");
        return FAILED;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) >= TEST_ENDED &&
        WEXITSTATUS(status) <= TEST_SKIPPED)
        return WEXITSTATUS(status) == TEST_ENDED ? PASSED : SKIPPED;
    explain_end(status);
    return FAILED;
}

/* TEST_PART=2/3 runs tests 2, 5, 8, ..., so several processes share the tests of a
 * folder; a part may be empty. TEST_LONG=1 runs only long tests, TEST_LONG=0 only the
 * others. */
static bool is_ours(const test_case *test, int number)
{
    const char *part = getenv("TEST_PART"), *kind = getenv("TEST_LONG");
    char *end = NULL;
    const long own = part ? strtol(part, &end, 10) : 0;
    const long parts = part && *end == '/' ? strtol(end + 1, NULL, 10) : 0;
    return (parts < 1 || number % parts == own % parts) &&
           (!kind || (*kind == '1') == test->is_long);
}

/* Seconds of processors that ended children, and theirs, have used. */
static double seconds_used(void)
{
    struct rusage u;
    (void)getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static int run_all(const char *word, bool apart)
{
    int count[OUTCOMES] = {0}, number = 0;
    for (const test_case *test = first_test; test; test = test->next) {
        if (!is_ours(test, ++number) || (word && !strstr(test->name, word)))
            continue;
        const double before = seconds_used();
        const outcome how = (apart ? run_apart : run_here)(test);
        if (getenv("TEST_TIMES"))
            printf("%7.2f s  %s\n", seconds_used() - before, test->name);
        count[how]++;
        if (how == FAILED)
            printf("FAILED %s\n", test->name);
    }
    const char *part = getenv("TEST_PART");
    bool any = count[PASSED] + count[SKIPPED] > 0;
    if (count[FAILED] == 0 && !any && part) {
        printf("skipped: part %s of a folder: it has no test\n", part);
        any = true;
    }
    printf("%d passed, %d failed\n", count[PASSED], count[FAILED]);
    return count[FAILED] == 0 && any ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int list(void)
{
    for (const test_case *test = first_test; test; test = test->next)
        puts(test->name);
    return EXIT_SUCCESS;
}

/* Tests run in a temporary folder, so files left in the current directory never reach the
 * source tree. */
static char scratch[] = "/tmp/pavior-test-XXXXXX";

static void enter_scratch(void)
{
    if (!mkdtemp(scratch) || chdir(scratch) != 0) {
        perror(scratch);
        exit(EXIT_FAILURE);
    }
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *place)
{
    (void)s;
    (void)kind;
    (void)place;
    return remove(path);
}

static void leave_scratch(void)
{
    if (chdir("/") != 0 || nftw(scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perror(scratch);
}

int main(int count, char **arguments)
{
    const char *option = count > 1 && arguments[1][0] == '-' ? arguments[1] : "";
    const char *word = count > 1 && !*option ? arguments[1]
                       : count > 2           ? arguments[2]
                                             : NULL;
    if (strcmp(option, "-l") == 0)
        return list();
    enter_scratch();
    const int code = run_all(word, strcmp(option, "-n") != 0);
    leave_scratch();
    return code;
}
