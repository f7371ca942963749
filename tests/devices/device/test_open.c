/* SPDX-License-Identifier: BSD-3-Clause */
/* Devices are opened by name. */
#include <stdlib.h>

#include "device/device.h"
#include "test.h"

TEST(the_interpreter_is_always_there)
{
    pav_device *device = NULL;
    REQUIRE_OK(pav_device_open("interpreter", &device));
    CHECK_STR(pav_device_name(device), "interpreter");
    pav_device_free(device);
}

TEST(auto_and_no_name_are_the_present_device_of_highest_rank)
{
    const char *why, *const names[] = {"auto", NULL};
    int highest = 0;
    unsetenv("PAV_DEVICE");
    for (int n = 0; device_table[n]; n++)
        if (device_table[n]->present(&why) && device_table[n]->rank > highest)
            highest = device_table[n]->rank;
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        pav_device *device = NULL;
        REQUIRE_OK(pav_device_open(names[n], &device));
        CHECK_EQ(device->ops->rank, highest);
        pav_device_free(device);
    }
}

TEST(the_environment_names_the_usual_device)
{
    pav_device *device = NULL;
    setenv("PAV_DEVICE", "interpreter", 1);
    REQUIRE_OK(pav_device_open("auto", &device));
    CHECK_STR(pav_device_name(device), "interpreter");
    CHECK(!device->automatic);
    pav_device_free(device);
    setenv("PAV_DEVICE", "abacus", 1);
    CHECK_STATUS(pav_device_open(NULL, &device), PAV_EINVAL);
    CHECK(strstr(pav_message(), "'abacus'"));
}

TEST(an_unknown_device_is_named_with_those_that_exist)
{
    pav_device *device = (pav_device *)&device;
    CHECK_STATUS(pav_device_open("abacus:3", &device), PAV_EINVAL);
    CHECK_STR(
        pav_message(),
        "there is no device called 'abacus:3'; this version has auto, interpreter, cpu, "
        "cuda, emulated");
    CHECK(device == NULL);
}

TEST(a_misspelt_device_is_recognised)
{
    pav_device *device;
    CHECK_STATUS(pav_device_open("interpeter", &device), PAV_EINVAL);
    CHECK(strstr(pav_message(), "did you mean 'interpreter'? this version has auto, "));
}

TEST(what_is_no_name_is_no_device)
{
    const char *const names[] = {"cuda0", "", ":", ":0", "interpreter "};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        pav_device *device;
        CHECK_STATUS(pav_device_open(names[n], &device), PAV_EINVAL);
        CHECK(strstr(pav_message(), "this version has auto, interpreter, cpu, cuda"));
    }
}

TEST(a_number_after_the_only_interpreter_is_refused)
{
    pav_device *device;
    CHECK_STATUS(pav_device_open("interpreter:1", &device), PAV_EINVAL);
    CHECK_STR(
        pav_message(),
        "'interpreter:1': there is one device interpreter only; leave out the number");
}

TEST(a_number_is_refused_though_no_device_is_opened)
{
    const char *const names[] = {"cuda:x", "cuda:", "cuda:1x", "cuda:1000"};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        CHECK_STATUS(device_check_name(names[n]), PAV_EINVAL);
        CHECK(strstr(pav_message(), "give a number after the colon, such as cuda:0"));
    }
    CHECK_STATUS(device_check_name("cpu:0"), PAV_EINVAL);
    CHECK_STATUS(device_check_name("cuda:0"), PAV_OK);
}

TEST(a_list_of_devices_has_them_in_their_order)
{
    pav_device *list;
    REQUIRE_OK(pav_device_open("interpreter+emulated:1", &list));
    CHECK_STR(pav_device_name(list), "interpreter+emulated:1");
    CHECK_EQ(list->places, 2);
    CHECK_STR(pav_device_name(device_place(list, 0)), "interpreter");
    CHECK_STR(pav_device_name(device_place(list, 1)), "emulated:1");
    CHECK_STATUS(device_check_single(list, "a test"), PAV_EUNSUPPORTED);
    REQUIRE_OK(device_check_single(device_place(list, 1), "a test"));
    pav_device_free(list);
}

TEST(what_is_no_list_of_devices_is_refused)
{
    const char *const names[] = {
        "interpreter+",           "+interpreter", "emulated:0,",
        "emulated:3-1",           "emulated:0-x", "interpreter+auto",
        "interpreter+interpreter"};
    for (size_t n = 0; n < COUNT_OF(names); n++) {
        pav_device *list;
        CHECK_STATUS(pav_device_open(names[n], &list), PAV_EINVAL);
        CHECK(list == NULL);
    }
}

TEST(opening_without_a_place_or_memory_fails)
{
    pav_device *device = (pav_device *)&device;
    CHECK_STATUS(pav_device_open("auto", NULL), PAV_EINVAL);
    mem_fail_after(1);
    CHECK_STATUS(pav_device_open("auto", &device), PAV_ENOMEM);
    mem_fail_after(0);
    CHECK(device == NULL);
}

TEST(freeing_nothing_and_naming_nothing_are_fine)
{
    pav_device_free(NULL);
    CHECK_STR(pav_device_name(NULL), "");
}
