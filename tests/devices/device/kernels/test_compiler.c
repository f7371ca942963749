/* SPDX-License-Identifier: BSD-3-Clause */
/* Every error of a compiler gives a message and leaves no files. */
#include <signal.h>
#include <sys/resource.h>

#include "cache_helper.h"

static void refused(const char *sentence)
{
    int answer;
    CHECK_STATUS(open_and_ask(&answer), PAV_EDEVICE);
    CHECK(strstr(pav_message(), sentence));
    CHECK(strstr(pav_message(), "PAV_CC"));
    CHECK(strstr(pav_message(), "--device interpreter"));
    CHECK_EQ(count_entries("work-") + count_entries(".lock") + count_entries(".so"), 0);
}

TEST(a_compiler_that_is_missing_is_named)
{
    set_place();
    setenv("PAV_CC", "/nowhere/cc", 1);
    refused("PAV_CC is '/nowhere/cc', which is no program that can be started");
}

TEST(a_compiler_that_is_a_directory_is_none)
{
    set_place();
    setenv("PAV_CC", "/tmp", 1);
    refused("no program that can be started");
}

TEST(without_any_compiler_that_is_said)
{
    set_place();
    setenv("PATH", "/nowhere", 1);
    refused("no C compiler on PATH");
}

TEST(a_compiler_that_is_no_program_could_not_be_started)
{
    set_compiler("\x7f"
                 "ELF, but not quite");
    refused("could not be started");
}

TEST(a_compiler_that_fails_is_quoted)
{
    set_compiler("#!/bin/sh\necho 'no such thing'; exit 1\n");
    refused(
        "failed on the kernels; name another in PAV_CC, or use --device interpreter; it "
        "said\nno such thing");
}

TEST(a_compiler_that_fails_silently_said_nothing)
{
    set_compiler("#!/bin/sh\nexit 1\n");
    refused("failed on the kernels and said nothing; name another in PAV_CC");
}

TEST(of_much_that_a_compiler_says_the_end_is_quoted)
{
    set_compiler("#!/bin/sh\nseq 100000; echo the end >&2; exit 1\n");
    refused("\n100000\nthe end");
    CHECK(strlen(pav_message()) < 1500);
}

TEST(a_compiler_that_makes_nothing_is_found_out)
{
    set_compiler("#!/bin/sh\nexit 0\n");
    refused("left no kernels");
}

TEST(a_compiler_that_makes_no_object_is_found_out)
{
    set_compiler(
        "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done; echo junk >\"$2\"\n");
    int answer;
    CHECK_STATUS(open_and_ask(&answer), PAV_EDEVICE);
    CHECK(strstr(pav_message(), "what the compiler "));
    CHECK(strstr(pav_message(), " made cannot be loaded: "));
    CHECK_EQ(count_entries(".so"), 0); /* the junk is not cached */
}

TEST(a_compiler_that_hangs_is_stopped)
{
    set_compiler("#!/bin/sh\nsleep 1000\n"); /* longer than a test may take */
    setenv("PAV_CC_SECONDS", "0.3", 1);
    refused("did not end within 0.3 s");
}

TEST(what_a_hanging_compiler_started_ends_with_it)
{
    char path[4096];
    set_compiler("#!/bin/sh\n(sleep 2; touch \"${0%/*}/late\") & sleep 60\n");
    setenv("PAV_CC_SECONDS", "0.3", 1);
    refused("did not end within 0.3 s");
    sleep(3);
    snprintf(path, sizeof path, "%s/late", place);
    CHECK(access(path, F_OK) != 0);
}

TEST(a_compiler_that_is_killed_was_ended_by_a_signal)
{
    set_compiler("#!/bin/sh\necho thinking; kill -9 $$\n");
    refused("was ended by signal 9 (Killed), as systems do that run out of memory; "
            "name another in PAV_CC, or use --device interpreter; it said\nthinking");
}

TEST(a_compiler_that_prints_gigabytes_is_stopped)
{
    set_compiler("#!/bin/sh\nexec yes 'warning: this is a long line of no use'\n");
    refused("printed more than 64 MiB and was stopped");
}

TEST(where_ended_children_are_not_told_of_compiling_works)
{
    int answer;
    set_place();
    signal(SIGCHLD, SIG_IGN);
    REQUIRE_OK(open_and_ask(&answer));
    CHECK_EQ(answer, 42);
}

TEST(a_limit_on_the_size_of_files_is_a_sentence)
{
    const struct rlimit limit = {2000, 2000};
    int answer;
    set_place();
    signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(open_and_ask(&answer) != PAV_OK);
    CHECK(strstr(pav_message(), "File too large") || strstr(pav_message(), "signal"));
    CHECK_EQ(count_entries("work-") + count_entries(".lock") + count_entries(".so"), 0);
}
