/* SPDX-License-Identifier: BSD-3-Clause */
/* The cache of kernels: its place, its owner, and the removal of old files. Without a
 * usable cache kernels still run, and a note gives the reason. */
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <time.h>

#include "cache_helper.h"

/* Opens kernels with a cache at `path`. They must work, and the note must name the
 * cache's error. */
static void works_without(const char *path, const char *why)
{
    host_module *m = NULL;
    if (path)
        setenv("PAV_CACHE", path, 1);
    else
        unsetenv("PAV_CACHE");
    REQUIRE_OK(host_module_open(source, (int64_t)strlen(source), HOST_KEEP, &m));
    CHECK_EQ(((int (*)(void))host_module_find(m, "pav_answer"))(), 42);
    CHECK(strstr(host_module_note(m), "compiled kernels are not kept: "));
    CHECK(strstr(host_module_note(m), why));
    host_module_close(m);
}

TEST(a_directory_that_others_may_write_to_is_not_trusted)
{
    set_place();
    chmod(place, 0777);
    works_without(place, "others may write there");
    CHECK_EQ(count_entries_of(place, "."), 2);
}

TEST(a_directory_of_another_user_is_not_trusted)
{
    set_place();
    if (chown(place, 65534, 65534) != 0)
        return; /* only root can give files away */
    works_without(place, "it belongs to another user");
}

TEST(a_file_is_no_directory)
{
    char path[4096];
    set_place();
    snprintf(path, sizeof path, "%s/file", place);
    write_script(path, "");
    works_without(path, "it is no directory");
}

TEST(a_place_where_nothing_can_be_made_is_done_without)
{
    works_without("/proc/pavior/cache", "No such file or directory");
    works_without("/proc/self", "cannot be used");
}

TEST(without_a_home_kernels_are_not_kept)
{
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    works_without(NULL, "none of PAV_CACHE, XDG_CACHE_HOME and HOME is set");
}

TEST(a_path_that_is_too_long_is_not_used)
{
    static char path[5000];
    memset(path, 'a', sizeof path - 1);
    path[0] = '/';
    works_without(path, "its path is too long");
    path[300] = '\0';
    works_without(path, "File name too long");
}

TEST(directories_are_made_as_they_are_needed)
{
    char path[4096];
    struct stat s;
    int answer;
    set_place();
    unsetenv("PAV_CACHE");
    setenv("XDG_CACHE_HOME", place, 1);
    REQUIRE_OK(open_and_ask(&answer));
    snprintf(path, sizeof path, "%s/pavior", place);
    REQUIRE(stat(path, &s) == 0);
    CHECK_EQ(s.st_mode & 0777, 0700);
}

TEST(with_nowhere_to_compile_that_is_a_sentence)
{
    int answer;
    setenv("PAV_CACHE", "/proc/self", 1);
    setenv("TMPDIR", "/nowhere", 1);
    CHECK_STATUS(open_and_ask(&answer), PAV_EIO);
    CHECK(strstr(pav_message(), "/proc/self cannot be used"));
    CHECK(strstr(pav_message(), "nor can one be made in /nowhere"));
}

/* ---- many at once ------------------------------------------------------------------ */

enum { PROCESSES = 100 };

static int open_in_child(void)
{
    int answer;
    const pid_t child = fork();
    if (child == 0)
        _exit(open_and_ask(&answer) == PAV_OK && answer == 42 ? 0 : 1);
    return child > 0;
}

TEST(a_hundred_processes_at_once_compile_one_object_once)
{
    char path[4096];
    struct stat s;
    int good = 0, status;
    set_compiler(
        "#!/bin/sh\nprintf . >>\"${0%/*}/started\"; sleep 0.2; exec cc \"$@\"\n");
    for (int n = 0; n < PROCESSES; n++)
        REQUIRE(open_in_child());
    for (int n = 0; n < PROCESSES && wait(&status) > 0; n++)
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    CHECK_EQ(good, PROCESSES);
    CHECK_EQ(count_objects(path, sizeof path), 1);
    CHECK_EQ(count_entries("work-") + count_entries(".lock"), 0);
    snprintf(path, sizeof path, "%s/started", place);
    REQUIRE(stat(path, &s) == 0);
    CHECK(s.st_size <= 3);
}

/* ---- removal of old files ---------------------------------------------------------- */

static void make_old(const char *path)
{
    const struct timespec when[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    REQUIRE(utimensat(AT_FDCWD, path, when, 0) == 0);
}

/* A directory with a file in it, with or without Pavior's mark. */
static void make_litter(const char *in, const char *name, bool marked, char path[4096])
{
    char inside[4200];
    snprintf(path, 4096, "%s/%s", in, name);
    REQUIRE(marked ? mark_make_named(path) : mkdir(path, 0700) == 0);
    snprintf(inside, sizeof inside, "%s/kernels.c", path);
    write_script(inside, "int x;\n");
}

TEST(what_an_interrupted_process_left_is_removed)
{
    char old[4096], young[4096], used[4096], lock[4096];
    int answer;
    set_place();
    REQUIRE(mark_make_named(kept));
    make_litter(kept, "work-aaaaaa", true, old);
    make_litter(kept, "work-bbbbbb", true, young);
    make_litter(kept, "work-cccccc", true, used);
    snprintf(lock, sizeof lock, "%s/%032d.so.lock", kept, 0);
    write_script(lock, "");
    make_old(old);
    make_old(used);
    make_old(lock);
    const int held = open(used, O_RDONLY | O_DIRECTORY);
    REQUIRE(held >= 0 && flock(held, LOCK_EX) == 0);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK(access(old, F_OK) != 0);
    CHECK(access(lock, F_OK) != 0);
    CHECK(access(young, F_OK) == 0);
    CHECK(access(used, F_OK) == 0);
    close(held);
}

/* ---- files of others --------------------------------------------------------------- */

/* Makes old files of others: files, directories with names like Pavior's, and files with
 * names like its objects. Tests put them into the cache, into Pavior's own directory
 * there, and among temporary files. */
static int put_foreign(const char *in, char path[][4096])
{
    static const char *const files[] = {"thesis.so",
                                        "work.cubin",
                                        "a.so.lock",
                                        "00000000000000000000000000000000.so",
                                        "00000000000000000000000000000001.cubin",
                                        "00000000000000000000000000000002.so.lock"};
    static const char *const directories[] = {
        "work-thesis", "work-aaaaaa", "pavior-kernels-thesis", "pavior-kernels-aaaaaa"};
    int count = 0;
    for (size_t k = 0; k < COUNT_OF(files); k++) {
        snprintf(path[count], 4096, "%s/%s", in, files[k]);
        write_script(path[count], "not Pavior's");
        REQUIRE(truncate(path[count], 100000) == 0);
        make_old(path[count++]);
    }
    for (size_t k = 0; k < COUNT_OF(directories); k++) {
        char directory[4096];
        make_litter(in, directories[k], false, directory);
        make_old(directory);
        snprintf(path[count++], 4096, "%.4000s/kernels.c", directory);
    }
    return count;
}

enum { FOREIGN = 10 };

static void check_all_there(int count, char path[][4096])
{
    CHECK_EQ(count, FOREIGN);
    for (int k = 0; k < count; k++)
        CHECK(access(path[k], F_OK) == 0);
}

TEST(what_others_keep_in_the_cache_stays)
{
    char outside[FOREIGN][4096], inside[FOREIGN][4096];
    int answer;
    set_place();
    REQUIRE(mark_make_named(kept));
    const int count = put_foreign(place, outside), more = put_foreign(kept, inside);
    setenv("PAV_CACHE_SIZE", "1", 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
    check_all_there(count, outside);
    check_all_there(more, inside);
}

TEST(what_others_keep_among_temporary_files_stays)
{
    char path[FOREIGN][4096], own[4096];
    set_place();
    setenv("TMPDIR", place, 1);
    const int count = put_foreign(place, path);
    make_litter(place, "pavior-kernels-bbbbbb", true, own);
    make_old(own);
    works_without("/proc/self", "cannot be used");
    check_all_there(count, path);
    CHECK(access(own, F_OK) != 0);
}

TEST(a_directory_of_that_name_without_the_mark_is_not_used)
{
    char path[FOREIGN][4096];
    set_place();
    REQUIRE(mkdir(kept, 0700) == 0);
    const int count = put_foreign(kept, path);
    works_without(place, "has no CACHEDIR.TAG");
    check_all_there(count, path);
    CHECK_EQ(count_entries(""), count + 2);
}

TEST(the_mark_of_another_program_is_not_taken_for_pavior_s)
{
    char path[4096];
    set_place();
    REQUIRE(mkdir(kept, 0700) == 0);
    snprintf(path, sizeof path, "%s/CACHEDIR.TAG", kept);
    write_script(path, "Signature: 8a477f597d28d172789f06886806bc55\n# of another\n");
    works_without(place, "has no CACHEDIR.TAG");
    CHECK_EQ(count_entries(""), 3);
}

TEST(a_file_of_the_name_of_the_directory_is_reported)
{
    set_place();
    write_script(kept, "");
    works_without(place, "is no directory");
}

TEST(a_process_that_is_killed_while_it_compiles_does_not_hold_up_the_next)
{
    char path[4096];
    int answer, status;
    set_compiler("#!/bin/sh\ntouch \"${0%/*}/started\"; sleep 60\n");
    const pid_t child = fork();
    if (child == 0)
        _exit(open_and_ask(&answer) == PAV_OK);
    snprintf(path, sizeof path, "%s/started", place);
    while (access(path, F_OK) != 0)
        usleep(1000);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    unsetenv("PAV_CC");
    setenv("PAV_CC_SECONDS", "1000", 1); /* longer than a test may take */
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
}

/* Object number n, `age` seconds old. */
static void make_object(int n, int age)
{
    char path[4096];
    (void)mark_make_named(kept);
    snprintf(path, sizeof path, "%s/%032d.so", kept, n);
    write_script(path, "");
    REQUIRE(truncate(path, 100000) == 0);
    REQUIRE_OK(cache_seal(path, path));
    const struct timespec now = {.tv_sec = time(NULL) - age}, when[2] = {now, now};
    REQUIRE(utimensat(AT_FDCWD, path, when, 0) == 0);
}

static bool has_object(int n)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%032d.so", kept, n);
    return access(path, F_OK) == 0;
}

TEST(a_compiler_is_known_by_what_its_file_holds_not_by_its_time)
{
    char path[4096];
    int answer;
    const struct timespec old = {.tv_sec = 1}, when[2] = {old, old};
    set_compiler("#!/bin/sh\nexec cc \"$@\"\n");
    REQUIRE_OK(open_and_ask(&answer));
    snprintf(path, sizeof path, "%s/cc", place);
    REQUIRE(utimensat(AT_FDCWD, path, when, 0) == 0);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(count_entries(".so"), 1);
    write_script(path, "#!/bin/sh\nexec  cc \"$@\"\n");
    REQUIRE(utimensat(AT_FDCWD, path, when, 0) == 0);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(count_entries(".so"), 2);
}

TEST(beyond_its_size_the_cache_loses_what_was_unused_longest)
{
    int answer;
    set_place();
    for (int n = 0; n < 5; n++)
        make_object(n, 1000 - 100 * ((n + 2) % 5)); /* the oldest is 3 */
    setenv("PAV_CACHE_SIZE", "300K", 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK(!has_object(3) && !has_object(4) && !has_object(0));
    CHECK(has_object(1) && has_object(2));
    CHECK_EQ(count_entries(".so"), 3);
}

TEST(the_newest_object_stays_however_small_the_cache)
{
    int answer;
    set_place();
    make_object(1, 10);
    setenv("PAV_CACHE_SIZE", "1", 1);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK(!has_object(1));
    CHECK_EQ(count_entries(".so"), 1);
}

TEST(a_size_that_is_none_is_refused)
{
    static const char *const sizes[] = {"plenty", "-1", "10X", "0", "9999999T"};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        pav_device *device = NULL;
        setenv("PAV_CACHE_SIZE", sizes[k], 1);
        CHECK_STATUS(pav_device_open("interpreter", &device), PAV_EINVAL);
        CHECK(strstr(pav_message(), "PAV_CACHE_SIZE takes a size"));
        CHECK(strstr(pav_message(), sizes[k]));
        pav_device_free(device);
    }
}
