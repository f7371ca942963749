/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes in files on several disks: moved, mapped, summed. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/striped/striped.h"
#include "scratch.h"
#include "test.h"

enum { BYTES = 9 << 20, UNIT = 5000, UNITS = BYTES / UNIT };

typedef struct bench {
    char first[64], second[64];
    char *path[2];
    striped *s;
    char *memory; /* aligned to STRIPED_ALIGN */
    uint64_t sum[UNITS];
} bench;

static void begin(bench *b, int paths, bool there)
{
    *b = (bench){.path = {b->first, b->second}};
    strcpy(b->first, "striped-0");
    strcpy(b->second, "striped-1");
    const striped_options o = {
        .path = b->path, .paths = paths, .bytes = BYTES, .there = there, .kept = true};
    CHECK(striped_open(&o, &b->s) == PAV_OK);
    striped_settle(b->s);
    b->memory = aligned_alloc(STRIPED_ALIGN, BYTES);
    CHECK(b->memory != NULL);
}

static void end(bench *b)
{
    striped_close(b->s);
    free(b->memory);
}

static pav_status move(bench *b, int64_t unit, int64_t units, bool write)
{
    const striped_move m = {.at = unit * UNIT,
                            .bytes = units * UNIT,
                            .unit = UNIT,
                            .memory = b->memory + unit * UNIT,
                            .sum = b->sum + unit,
                            .write = write};
    const pav_status status = striped_begin(b->s, &m);
    return status == PAV_OK ? striped_wait(b->s) : status;
}

static void fill(char *at, int64_t bytes)
{
    rng r = {7};
    for (int64_t n = 0; n < bytes; n++)
        at[n] = (char)rng_next(&r);
}

static void forget(void)
{
    (void)unlink("striped-0");
    (void)unlink("striped-1");
}

TEST(what_is_moved_there_is_seen_in_the_mapping_and_comes_back)
{
    for (int paths = 1; paths <= 2; paths++) {
        bench b;
        begin(&b, paths, false);
        fill(b.memory, BYTES);
        CHECK(move(&b, 3, UNITS - 7, true) == PAV_OK);
        const char *there = striped_memory(b.s);
        CHECK(memcmp(there + 3 * UNIT, b.memory + 3 * UNIT, (UNITS - 7) * UNIT) == 0);
        memset(b.memory, 0, BYTES);
        CHECK(move(&b, 3, UNITS - 7, false) == PAV_OK);
        CHECK(memcmp(there + 3 * UNIT, b.memory + 3 * UNIT, (UNITS - 7) * UNIT) == 0);
        end(&b);
        forget();
    }
}

TEST(what_is_written_into_the_mapping_is_read_once_it_is_flushed)
{
    bench b;
    begin(&b, 2, false);
    fill(striped_memory(b.s), BYTES);
    CHECK(striped_flush(b.s) == PAV_OK);
    CHECK(move(&b, 0, UNITS, false) == PAV_OK);
    CHECK(memcmp(striped_memory(b.s), b.memory, UNITS * UNIT) == 0);
    end(&b);
    forget();
}

TEST(bytes_that_are_cached_come_from_memory_and_into_a_file_that_is_kept)
{
    enum { AT = 5 * STRIPED_ALIGN + 100, CACHED = 3 << 20 };
    bench b;
    begin(&b, 2, false);
    CHECK(striped_cache(b.s, AT, CACHED) == PAV_OK);
    fill(striped_memory(b.s), BYTES); /* written by the host; moves follow */
    CHECK(striped_flush(b.s) == PAV_OK);
    CHECK(memcmp((char *)striped_memory(b.s) + AT, b.memory + AT, CACHED) != 0);
    CHECK(move(&b, 0, UNITS, false) == PAV_OK);
    CHECK(memcmp(striped_memory(b.s), b.memory, UNITS * UNIT) == 0);
    CHECK(striped_figures_of(b.s).cached == CACHED - STRIPED_ALIGN);
    b.memory[AT + CACHED / 2] ^= 1;
    CHECK(move(&b, 0, UNITS, true) == PAV_OK && striped_sync(b.s) == PAV_OK);
    char *kept = b.memory;
    striped_close(b.s);
    const uint64_t sum = b.sum[3];
    begin(&b, 2, true);
    b.sum[3] = sum;
    CHECK(striped_cache(b.s, AT, CACHED) == PAV_OK);
    CHECK(move(&b, 0, UNITS, false) == PAV_OK);
    CHECK(memcmp(kept, b.memory, UNITS * UNIT) == 0);
    free(kept);
    end(&b);
    forget();
}

static int64_t room_of(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? (int64_t)about.st_blocks * 512 : -1;
}

TEST(zeros_take_no_room_and_are_zeros)
{
    bench b;
    begin(&b, 2, false);
    memset(striped_memory(b.s), 0, BYTES / 2); /* written by the host */
    CHECK(striped_flush(b.s) == PAV_OK);
    fill(b.memory, BYTES);
    CHECK(move(&b, 0, UNITS, true) == PAV_OK && striped_sync(b.s) == PAV_OK);
    const int64_t full = room_of(b.first) + room_of(b.second);
    CHECK(full >= UNITS * UNIT);
    memset(b.memory + 10 * UNIT, 0, (UNITS - 20) * UNIT);
    CHECK(move(&b, 0, UNITS, true) == PAV_OK && striped_sync(b.s) == PAV_OK);
    CHECK(striped_figures_of(b.s).holes > BYTES / 2);
    CHECK(room_of(b.first) + room_of(b.second) < full / 4);
    CHECK(memcmp(striped_memory(b.s), b.memory, UNITS * UNIT) == 0);
    memset(b.memory, 1, BYTES);
    CHECK(move(&b, 0, UNITS, false) == PAV_OK);
    CHECK(memcmp(striped_memory(b.s), b.memory, UNITS * UNIT) == 0);
    end(&b);
    forget();
}

TEST(bytes_that_changed_on_the_disk_are_reported)
{
    bench b;
    begin(&b, 1, false);
    fill(b.memory, BYTES);
    CHECK(move(&b, 0, UNITS, true) == PAV_OK);
    ((char *)striped_memory(b.s))[11 * UNIT + 5] ^= 4;
    CHECK(striped_flush(b.s) == PAV_OK);
    CHECK(move(&b, 0, 11, false) == PAV_OK);
    CHECK(move(&b, 0, UNITS, false) == PAV_EFORMAT);
    CHECK(strstr(pav_message(), "is damaged: 5000 bytes from byte 55000 on"));
    end(&b);
    forget();
}

TEST(files_that_are_left_are_opened_again_and_others_refused)
{
    bench b, again;
    begin(&b, 1, false);
    fill(b.memory, BYTES);
    CHECK(move(&b, 0, UNITS, true) == PAV_OK);
    CHECK(striped_sync(b.s) == PAV_OK);
    const striped_options o = {
        .path = b.path, .paths = 1, .bytes = BYTES, .there = true, .kept = true};
    CHECK(striped_open(&o, &again.s) == PAV_EIO);
    CHECK(strstr(pav_message(), "striped-0 is in use: another run computes in it"));
    striped_close(b.s);
    begin(&again, 1, true);
    CHECK(memcmp(striped_memory(again.s), b.memory, UNITS * UNIT) == 0);
    end(&again);
    free(b.memory);
    CHECK(truncate("striped-0", 100) == 0);
    CHECK(striped_open(&o, &again.s) == PAV_EFORMAT);
    CHECK(strstr(pav_message(), "it has 100 bytes in place of"));
    forget();
}

TEST(a_disk_that_fails_is_reported_once_and_what_waits_is_dropped)
{
    bench b;
    CHECK(setenv("PAV_DISK_FAULT", "write:2", 1) == 0);
    begin(&b, 1, false);
    CHECK(unsetenv("PAV_DISK_FAULT") == 0);
    CHECK(move(&b, 0, UNITS, true) == PAV_EIO);
    CHECK(strstr(pav_message(), "striped-0 cannot be written: Input/output error"));
    CHECK(move(&b, 0, UNITS, true) == PAV_OK);
    end(&b);
    forget();
}

TEST(a_file_that_is_cut_short_is_a_sentence_and_no_signal)
{
    bench b;
    begin(&b, 1, false);
    CHECK(striped_check(b.s) == PAV_OK);
    CHECK(truncate(b.first, 2 * STRIPED_ALIGN) == 0);
    const volatile char *there = striped_memory(b.s);
    CHECK(there[5 * STRIPED_ALIGN + 7] == 0);
    CHECK(striped_check(b.s) == PAV_EIO);
    CHECK(strstr(pav_message(), "striped-0 cannot be read or written near byte"));
    end(&b);
    forget();
}
