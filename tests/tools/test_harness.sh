# SPDX-License-Identifier: BSD-3-Clause
# tests/test.h itself: every kind of failure counts as one failure, and the other tests still run.
. "${0%/*}/../test.sh"

cat >sample.c <<'END'
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

TEST(all_hold) { CHECK(1); CHECK_EQ(3, 3); CHECK_NEAR(1, 1.1, 0.2); CHECK_STR("a", "a"); }
TEST(false_condition) { CHECK(1 > 2); }
TEST(wrong_integer) { CHECK_EQ(3, 4); }
TEST(far_number) { CHECK_NEAR(1, 2, 0.5); }
TEST(nan_is_near_nothing) { CHECK_NEAR(NAN, NAN, 1); }
TEST(other_string) { CHECK_STR("a", "b"); }
TEST(no_string) { CHECK_STR(NULL, "b"); }
TEST(other_status) { CHECK_STATUS(PAV_EIO, PAV_OK); }
TEST(stop_at_requirement) { REQUIRE(0 > 1); abort(); }
TEST(crash) { raise_signal(); }
TEST(early_exit) { exit(0); }
TEST(endless) { sleep(100); }
TEST(lacking) { test_skip("files", "there is no library"); }
TEST(wrong_first) { CHECK(0); test_skip("files", "there is no library"); }
END
sed -i 's/raise_signal()/abort()/' sample.c
check 'a test program compiles' "$CC" $FLAGS -I"$SOURCE/tests" -I"$SOURCE/include" sample.c \
    "$SOURCE/tests/test_main.c" -o sample -L"$BUILD" -lpavior -Wl,-rpath,"$BUILD" -lm

TEST_SECONDS=1
export TEST_SECONDS
passes() { ./sample "$1" >out && [ "$(tail -n 1 out)" = '1 passed, 0 failed' ]; }
fails() { ./sample "$1" >out; [ $? = 1 ] && [ "$(tail -n 1 out)" = '0 passed, 1 failed' ] && grep -qF "$2" out; }

check 'a test that holds' passes all_hold
check 'a condition' fails false_condition 'sample.c:7: 1 > 2: does not hold'
check 'an integer' fails wrong_integer 'is 3, not 4'
check 'a number' fails far_number 'is 1, not 2'
check 'NaN is near nothing' fails nan_is_near_nothing 'is nan'
check 'a string' fails other_string '<<<b>>>'
check 'no string' fails no_string '(NULL)'
check 'a status' fails other_status 'gave status 4, not 0'
check 'a requirement ends its test' fails stop_at_requirement 'sample.c:14: 0 > 1: does not hold'
check 'a crash' fails crash 'ended by signal 6'
check 'an exit in mid-test' fails early_exit 'ended with exit code 0'
check 'a test that does not end' fails endless 'took more than 1 s'
skips() { ./sample "$1" >out && [ "$(tail -n 1 out)" = '0 passed, 0 failed' ] && grep -qx "$2" out; }
check 'a test that lacks something counts as neither' skips lacking 'skipped: files: there is no library'
refuse 'unless it failed before' 1 '0 passed, 1 failed' ./sample wrong_first
refuse 'no test of that name' 1 '0 passed, 0 failed' ./sample no_such_test
refuse 'all are run after a crash' 1 '1 passed, 12 failed' ./sample
finish
