/* SPDX-License-Identifier: BSD-3-Clause */
/* Wisdom: lines are sorted and read again; a damaged file is refused as a whole; the line
 * with more effort wins; and two processes can add lines at the same time without
 * loss. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test.h"
#include "wisdom/wisdom.h"

static wisdom_line line_of(uint64_t of, int64_t n, double gpts, wisdom_effort effort)
{
    wisdom_line l = {.program = of,
                     .dim = 2,
                     .extent = {n, n, 1},
                     .real = PAV_F32,
                     .gpts = gpts,
                     .effort = effort};
    wisdom_put(l.machine, "A processor, 4 threads");
    wisdom_put(l.compiler, "cc 1");
    wisdom_put(l.version, "1.0.0");
    wisdom_put(l.name, "heat2d");
    wisdom_put(l.date, "2026-11-25");
    (void)snprintf(l.schedule, sizeof l.schedule, "time:depth=4,tile=32x2;rows:stream");
    return l;
}

static void add(wisdom *w, wisdom_line l, bool want)
{
    bool taken;
    REQUIRE_OK(wisdom_add(w, &l, &taken));
    CHECK_EQ(taken, want);
}

TEST(lines_are_sorted_and_read_again_the_same)
{
    wisdom w = {0}, again;
    text t = {0}, twice = {0};
    add(&w, line_of(7, 64, 1, EFFORT_MEASURE), true);
    add(&w, line_of(3, 64, 1, EFFORT_MEASURE), true);
    add(&w, line_of(7, 32, 1, EFFORT_MEASURE), true);
    CHECK_EQ(w.line[0].program, 3);
    CHECK_EQ(w.line[1].extent[0], 32);
    wisdom_print(&w, &t);
    REQUIRE_OK(wisdom_parse(t.data, t.length, "test", &again));
    wisdom_print(&again, &twice);
    CHECK_STR(twice.data, t.data);
    wisdom_free(&w);
    wisdom_free(&again);
    text_free(&t);
    text_free(&twice);
}

TEST(more_effort_wins_and_then_the_rate)
{
    wisdom w = {0};
    add(&w, line_of(7, 64, 2, EFFORT_PATIENT), true);
    add(&w, line_of(7, 64, 9, EFFORT_MEASURE), false);
    add(&w, line_of(7, 64, 1, EFFORT_PATIENT), false);
    add(&w, line_of(7, 64, 3, EFFORT_PATIENT), true);
    add(&w, line_of(7, 64, 1, EFFORT_EXHAUSTIVE), true);
    const wisdom_line slower = line_of(7, 64, 0.5, EFFORT_EXHAUSTIVE);
    bool taken;
    REQUIRE_OK(wisdom_renew(&w, &slower, &taken));
    CHECK(taken);
    CHECK(w.line[0].gpts < 1);
    CHECK_EQ(w.count, 1);
    wisdom_free(&w);
}

TEST(the_nearest_size_of_the_same_program_is_found)
{
    wisdom w = {0};
    const wisdom_line key = line_of(7, 100, 0, 0);
    wisdom_line other = line_of(8, 100, 0, 0);
    wisdom_put(other.name, "another");
    wisdom_line elsewhere = line_of(7, 100, 1, EFFORT_MEASURE);
    wisdom_put(elsewhere.machine, "Another processor");
    add(&w, line_of(7, 32, 1, EFFORT_MEASURE), true);
    add(&w, line_of(7, 128, 1, EFFORT_MEASURE), true);
    add(&w, line_of(7, 999, 1, EFFORT_MEASURE), true);
    add(&w, elsewhere, true);
    CHECK(!wisdom_find(&w, &key));
    REQUIRE(wisdom_nearest(&w, &key) != NULL);
    CHECK_EQ(wisdom_nearest(&w, &key)->extent[0], 128);
    CHECK(!wisdom_nearest(&w, &other));
    wisdom_free(&w);
}

/* ---- damaged ----------------------------------------------------------------------- */

#define HEAD "pavior wisdom 1\n"
#define KEY "0123456789abcdef\theat\t8x8\tf32\ta machine\tcc\t1.0.0\t"
#define REST "\t1.5\tmeasure\t2026-11-25\n"

static void refused(const char *bytes, const char *message)
{
    wisdom w;
    CHECK_STATUS(wisdom_parse(bytes, (int64_t)strlen(bytes), "w", &w), PAV_EFORMAT);
    CHECK_EQ(w.count, 0);
    if (!strstr(pav_message(), message))
        CHECK_STR(pav_message(), message);
}

TEST(what_is_damaged_is_refused_whole)
{
    refused("hello\n", "w:1: this is no wisdom");
    refused(HEAD KEY "rows" REST, "the file was cut");
    refused(HEAD KEY "rows" REST "end 1", "the file was cut");
    refused(HEAD KEY "rows" REST "end 2\n", "counts other lines");
    refused(HEAD KEY "rows" REST "end 1\nmore\n", "something follows");
    refused(HEAD KEY "rows\n", "11 columns");
    refused(HEAD KEY "rows\t1.5\tmeasure\t2026-11-25\tmore\nend 1\n", "11 columns");
    refused(HEAD KEY "rows;$(reboot)" REST "end 1\n", "w:2: the column schedule");
    refused(HEAD KEY "rows\t-1\tmeasure\t2026-11-25\nend 1\n", "the column Gpts/s");
    refused(HEAD KEY "rows\tnan\tmeasure\t2026-11-25\nend 1\n", "the column Gpts/s");
    refused(HEAD KEY "rows\t1e308\tmeasure\t2026-11-25\nend 1\n", "the column Gpts/s");
    refused(HEAD KEY "rows\t1\tmeasure\t9999-99-99\nend 1\n", "the column date");
    refused(HEAD KEY "rows\t1\tmeasure\t2026-02-29\nend 1\n", "the column date");
    refused(HEAD "0123456789abcdef\t\x1b[2J\t8\tf32\ta\tcc\t0\trows" REST "end 1\n",
            "the column name");
    refused(HEAD "0123456789abcdef\th\xc2\x9b\t8\tf32\ta\tcc\t0\trows" REST "end 1\n",
            "the column name");
    refused(HEAD KEY "rows\t1\thard\t2026-11-25\nend 1\n", "the column effort");
    refused(HEAD KEY "rows\t1\tmeasure\t2026-1-25\nend 1\n", "the column date");
    refused(HEAD "x" KEY "rows" REST "end 1\n", "the column program");
    refused(HEAD
            "0123456789abcdef\theat\t8x99999999999999999999\tf32\ta\tcc\t0\trows" REST
            "end 1\n",
            "the column grid");
    refused(HEAD "0123456789abcdef\theat\t8x8x8x8\tf32\ta\tcc\t0\trows" REST "end 1\n",
            "the column grid");
    refused(HEAD "0123456789abcdef\theat\t0x8\tf32\ta\tcc\t0\trows" REST "end 1\n",
            "the column grid");
}

TEST(a_line_with_a_removed_option_is_left_out)
{
    static const char bytes[] = HEAD KEY "time:width=128" REST KEY "rows" REST "end 2\n";
    wisdom w;
    REQUIRE_OK(wisdom_parse(bytes, (int64_t)strlen(bytes), "w", &w));
    CHECK_EQ(w.count, 1);
    CHECK_STR(w.line[0].schedule, "rows");
    wisdom_free(&w);
}

/* ---- several processes ------------------------------------------------------------- */

enum { PROCESSES = 4, LINES = 12 };

static int add_some(int number)
{
    for (int n = 0; n < LINES; n++) {
        wisdom_line l = line_of(7, 1 + number * LINES + n, 1, EFFORT_MEASURE);
        const wisdom one = {.count = 1, .capacity = 1, .line = &l};
        if (wisdom_keep(&one, false, NULL) != PAV_OK)
            return 1;
    }
    return 0;
}

TEST(processes_that_add_at_once_lose_nothing)
{
    char directory[] = "/tmp/pavior-wisdom-XXXXXX", path[64], command[96];
    pid_t child[PROCESSES];
    wisdom w;
    REQUIRE(mkdtemp(directory) != NULL);
    (void)snprintf(path, sizeof path, "%s/deep/wisdom", directory);
    setenv("PAV_WISDOM", path, 1);
    for (int n = 0; n < PROCESSES; n++) {
        child[n] = fork();
        if (child[n] == 0)
            _exit(add_some(n));
    }
    for (int n = 0; n < PROCESSES; n++) {
        int status = 1;
        CHECK_EQ(waitpid(child[n], &status, 0), child[n]);
        CHECK_EQ(status, 0);
    }
    REQUIRE_OK(wisdom_load(&w));
    CHECK_EQ(w.count, PROCESSES * LINES);
    wisdom_free(&w);
    setenv("PAV_WISDOM", "none", 1);
    (void)snprintf(command, sizeof command, "rm -r %s", directory);
    CHECK_EQ(system(command), 0);
}

TEST(none_asks_for_no_wisdom)
{
    char path[WISDOM_PATH];
    const wisdom nothing = {0};
    wisdom w;
    setenv("PAV_WISDOM", "none", 1);
    CHECK(!wisdom_path(path));
    REQUIRE_OK(wisdom_load(&w));
    CHECK_EQ(w.count, 0);
    CHECK_STATUS(wisdom_keep(&nothing, false, NULL), PAV_EIO);
}

TEST(a_program_of_the_same_name_is_the_nearest_where_the_same_is_not_known)
{
    wisdom w = {0};
    wisdom_line other = line_of(9, 128, 1, EFFORT_MEASURE);
    wisdom_put(other.compiler, "cc 2");
    add(&w, other, true);
    wisdom_line far = line_of(11, 64, 1, EFFORT_MEASURE);
    wisdom_put(far.name, "wave2d");
    add(&w, far, true);
    const wisdom_line key = line_of(7, 64, 0, EFFORT_MEASURE);
    const wisdom_line *found = wisdom_nearest(&w, &key);
    REQUIRE(found != NULL);
    CHECK_EQ(found->program, 9);
    CHECK(wisdom_find(&w, &key) == NULL);
    wisdom_line here = line_of(7, 4096, 1, EFFORT_MEASURE);
    add(&w, here, true);
    CHECK_EQ(wisdom_nearest(&w, &key)->program, 7);
    wisdom_free(&w);
}

/* Keeps a line in a new home folder, with the shipped lines still readable. */
static void know_at(const char *home, const wisdom_line *line)
{
    wisdom_line own = *line;
    const wisdom all = {.count = 1, .capacity = 1, .line = &own};
    unsetenv("PAV_WISDOM");
    setenv("XDG_DATA_HOME", home, 1);
    REQUIRE_OK(wisdom_keep(&all, true, NULL));
}

TEST(an_own_line_stays_before_a_shipped_one_that_was_not_tried_harder)
{
    char home[] = "/tmp/pavior-home-XXXXXX", command[64];
    wisdom shipped, all;
    REQUIRE_OK(wisdom_load_shipped(&shipped));
    REQUIRE(shipped.count > 0 && mkdtemp(home) != NULL);
    wisdom_line own = shipped.line[0];
    own.gpts /= 2;
    (void)snprintf(own.schedule, sizeof own.schedule, "rows");
    know_at(home, &own);
    REQUIRE_OK(wisdom_load(&all));
    CHECK_STR(wisdom_find(&all, &own)->schedule, "rows");
    CHECK(all.count >= shipped.count);
    wisdom_free(&all);
    wisdom_free(&shipped);
    unsetenv("XDG_DATA_HOME");
    setenv("PAV_WISDOM", "none", 1);
    (void)snprintf(command, sizeof command, "rm -r %s", home);
    CHECK_EQ(system(command), 0);
}

TEST(what_is_shipped_can_be_read)
{
    wisdom w;
    REQUIRE_OK(wisdom_load_shipped(&w));
    for (int64_t n = 0; n < w.count; n++)
        CHECK(w.line[n].gpts > 0 && w.line[n].machine[0] && w.line[n].compiler[0]);
    wisdom_free(&w);
}

/* ---- rates of machines ------------------------------------------------------------- */

static void keep_in(char directory[64])
{
    char path[96];
    (void)snprintf(directory, 64, "%s", "rates-XXXXXX");
    REQUIRE(mkdtemp(directory) != NULL);
    (void)snprintf(path, sizeof path, "%s/wisdom", directory);
    REQUIRE(setenv("PAV_WISDOM", path, 1) == 0);
}

static void leave(const char *directory)
{
    char path[WISDOM_PATH];
    REQUIRE(rates_path(path));
    CHECK(unlink(path) == 0);
    CHECK(rmdir(directory) == 0);
}

static void spoil(const char *bytes)
{
    char path[WISDOM_PATH];
    REQUIRE(rates_path(path));
    FILE *file = fopen(path, "w");
    REQUIRE(file != NULL);
    CHECK(fputs(bytes, file) >= 0);
    CHECK(fclose(file) == 0);
}

TEST(rates_of_a_machine_are_kept_and_replaced)
{
    const machine_rates first = {.memory = 1e11,
                                 .last_cache = 2e11,
                                 .f32 = 5,
                                 .launch = 1e-6},
                        second = {.memory = 3e11};
    machine_rates found;
    char directory[64];
    keep_in(directory);
    REQUIRE_OK(rates_keep("A processor", 4, &first));
    REQUIRE_OK(rates_keep("A processor", 8, &second));
    REQUIRE_OK(rates_load("A processor", 4, &found));
    CHECK(found.measured && found.memory == 1e11 && found.launch == 1e-6);
    REQUIRE_OK(rates_keep("A processor", 4, &second));
    REQUIRE_OK(rates_load("A processor", 4, &found));
    CHECK_EQ(found.memory, 3e11);
    REQUIRE_OK(rates_load("Another", 4, &found));
    CHECK(!found.measured);
    leave(directory);
}

TEST(rates_that_no_machine_has_are_as_if_they_were_not_there)
{
    static const char *const bad[] = {
        "P\t4\t1e11\t2e11\n",           "P\t4\tnan\t1\t1\t1\t1\t1e-6\n",
        "P\t4\t-1\t1\t1\t1\t1\t1e-6\n", "P\t4\t1e11\t1\t1\t1\t1\t5\n",
        "P\t4\tinf\t1\t1\t1\t1\t0\n",   "\xff\xfe"};
    char directory[64];
    keep_in(directory);
    for (size_t n = 0; n < COUNT_OF(bad); n++) {
        machine_rates found = {.measured = true};
        spoil(bad[n]);
        REQUIRE_OK(rates_load("P", 4, &found));
        CHECK(!found.measured);
    }
    leave(directory);
}
