/* SPDX-License-Identifier: BSD-3-Clause */
/* A process started without an MPI launcher has no ranks, and every function accepts
 * this. */
#include <stdlib.h>

#include "opened.h"

static void be_alone(void)
{
    static const char *const set[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t k = 0; k < sizeof set / sizeof *set; k++)
        unsetenv(set[k]);
}

TEST(a_process_by_itself_has_no_ranks)
{
    pav_ranks *ranks = (pav_ranks *)&ranks;
    be_alone();
    REQUIRE_OK(pav_ranks_open(NULL, &ranks));
    CHECK(ranks == NULL);
    CHECK(pav_ranks_count(ranks) == 1 && pav_ranks_number(ranks) == 0);
    pav_ranks_free(ranks);
}

TEST(it_meets_nobody_and_tells_its_own_status)
{
    int failed = 7;
    REQUIRE_OK(pav_ranks_meet(NULL, PAV_OK, &failed));
    CHECK(failed == -1);
    REQUIRE_OK(pav_ranks_meet(NULL, PAV_EIO, &failed));
    CHECK(failed == 0);
    pav_ranks_abort(NULL, 1);
}

TEST(its_device_is_the_one_of_that_name)
{
    pav_device *device = NULL;
    REQUIRE_OK(pav_ranks_device(NULL, "interpreter", &device));
    CHECK(strcmp(pav_device_name(device), "interpreter") == 0);
    pav_device_free(device);
}

TEST(a_place_for_what_is_found_is_needed)
{
    CHECK_STATUS(pav_ranks_open(NULL, NULL), PAV_EINVAL);
    CHECK_STATUS(pav_ranks_meet(NULL, PAV_OK, NULL), PAV_EINVAL);
}

TEST(ranks_without_a_plugin_are_refused_with_what_to_install)
{
    pav_ranks *ranks = NULL;
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("PAV_MPI", "/none", 1);
    CHECK_STATUS(pav_ranks_open(NULL, &ranks), PAV_EDEVICE);
    CHECK(ranks == NULL && strstr(pav_message(), "libopenmpi-dev"));
    unsetenv("PAV_MPI");
    be_alone();
}
