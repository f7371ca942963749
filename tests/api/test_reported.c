/* SPDX-License-Identifier: BSD-3-Clause */
/* The library reports its version, and names statuses, types and devices. */
#include "opened.h"

TEST(the_version_is_that_of_the_header)
{
    CHECK_STR(pav_version(), PAV_VERSION);
}

TEST(every_status_has_a_name_and_a_sentence)
{
    static const char *const names[] = {
#define X(name, value, text) [value] = "PAV_" #name,
        PAV_STATUS_LIST(X)
#undef X
    };
    for (int k = 0; k < (int)(sizeof names / sizeof *names); k++) {
        CHECK(strstr(names[k], pav_status_name((pav_status)k)) != NULL);
        CHECK(strlen(pav_status_text((pav_status)k)) > 3);
    }
    CHECK(pav_status_name((pav_status)999) != NULL);
    CHECK(pav_status_text((pav_status)-1) != NULL);
}

TEST(every_type_has_a_name_and_a_size)
{
    CHECK_EQ(pav_type_size(PAV_F32), 4);
    CHECK_EQ(pav_type_size(PAV_F64), 8);
    CHECK_EQ(pav_type_size(PAV_BF16), 2);
    CHECK_EQ(pav_type_size(PAV_F16), 2);
    CHECK_EQ(pav_type_size(PAV_U8), 1);
    CHECK_STR(pav_type_name(PAV_BF16), "bf16");
    CHECK_EQ(pav_type_size((pav_type)77), 0);
    CHECK(pav_type_name((pav_type)77) != NULL);
}

TEST(the_best_device_is_opened_by_the_name_auto)
{
    pav_device *device = NULL;
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK(strlen(pav_device_name(device)) > 0);
    pav_device *same = NULL;
    CHECK_STATUS(pav_device_open(pav_device_name(device), &same), PAV_OK);
    pav_device_free(same);
    pav_device_free(device);
}

TEST(an_unknown_device_is_named_in_the_message_with_the_known_ones)
{
    pav_device *device = (pav_device *)&device;
    CHECK_STATUS(pav_device_open("abacus:3", &device), PAV_EINVAL);
    CHECK(device == NULL);
    CHECK(message_has("abacus:3"));
    pav_device *best = NULL;
    REQUIRE_OK(pav_device_open("auto", &best));
    pav_device_open("abacus:3", &device);
    CHECK(message_has(pav_device_name(best)));
    pav_device_free(best);
}

TEST(no_name_is_the_best_device_too_but_a_place_is_needed)
{
    pav_device *device = NULL;
    CHECK_STATUS(pav_device_open(NULL, &device), PAV_OK);
    pav_device_free(device);
    CHECK_STATUS(pav_device_open("auto", NULL), PAV_EINVAL);
    CHECK(strlen(pav_message()) > 10);
    CHECK(pav_device_name(NULL) != NULL);
}

TEST(nothing_can_be_freed)
{
    pav_device_free(NULL);
    pav_program_free(NULL);
    pav_run_free(NULL);
    pav_text_free(NULL);
    CHECK_EQ(pav_run_step(NULL), 0);
}

TEST(the_doctor_speaks_in_lines_and_in_json)
{
    char *lines = NULL, *json = NULL;
    REQUIRE_OK(pav_doctor(0, &lines));
    REQUIRE_OK(pav_doctor(1, &json));
    CHECK(strstr(lines, PAV_VERSION) != NULL);
    CHECK(json[0] == '{' && strstr(json, PAV_VERSION) != NULL);
    pav_text_free(lines);
    pav_text_free(json);
    CHECK_STATUS(pav_doctor(0, NULL), PAV_EINVAL);
}

TEST(the_catalogue_lists_words_that_load)
{
    char *lines = NULL, *json = NULL;
    REQUIRE_OK(pav_catalogue(0, &lines));
    REQUIRE_OK(pav_catalogue(1, &json));
    CHECK(strstr(lines, "heat3d") && strstr(json, "\"heat3d\""));
    CHECK(json[0] == '[' || json[0] == '{');
    pav_text_free(lines);
    pav_text_free(json);
    CHECK_STATUS(pav_catalogue(0, NULL), PAV_EINVAL);
}
