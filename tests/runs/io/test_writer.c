/* SPDX-License-Identifier: BSD-3-Clause */
/* The thread writing outputs keeps their order and its limit of memory. A caller waits
 * only if this memory is full, and no failure is lost. */
#include "io/io_private.h"
#include "scratch.h"
#include "shown.h"
#include "test.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <time.h>

static series *open_numbered(const char *name)
{
    series *s;
    REQUIRE_OK(series_open(scratch_path(name), &(series_style){.numbered = true}, &s));
    return s;
}

static writer *open_writer(int64_t room)
{
    writer *w;
    REQUIRE_OK(writer_open(room, &w));
    return w;
}

/* ---- files that wait for the test -------------------------------------------------- */

static sem_t leave; /* to write one file */
static atomic_int written;
static atomic_bool in_vain; /* no leave in 100 s: the test waits for the file instead */

static pav_status write_with_leave(series *s, const char *path, const io_frame *f)
{
    struct timespec end;
    (void)s, (void)path, (void)f;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 100;
    if (!in_vain && sem_timedwait(&leave, &end) != 0)
        in_vain = true;
    written++;
    return PAV_OK;
}

static void give_leave(int files)
{
    while (files-- > 0)
        (void)sem_post(&leave);
}

static void *give_leave_late(void *user)
{
    (void)nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    give_leave(1);
    return user;
}

static series *open_waiting(void)
{
    static const io_format waiting = {.ending = ".npy", .write = write_with_leave};
    series *s = open_numbered("u.npy");
    (void)sem_init(&leave, 0, 0);
    s->format = &waiting;
    return s;
}

static void add_four(writer *w, series *s, io_frame *f)
{
    for (f->step = 0; f->step < 4; f->step++)
        REQUIRE_OK(writer_add(w, s, f));
}

TEST(adding_waits_for_no_file_while_there_is_room)
{
    const view v = shown_view(PAV_F64, 10, 10, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_waiting();
    writer *w = open_writer(4 * 800);
    add_four(w, s, &f);
    CHECK_EQ(written, 0);
    give_leave(4);
    REQUIRE_OK(writer_wait(w));
    CHECK_EQ(written, 4);
    CHECK(!in_vain);
    writer_close(w);
    series_close(s);
}

TEST(adding_waits_for_one_file_when_the_room_is_full)
{
    pthread_t late;
    const view v = shown_view(PAV_F64, 10, 10, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_waiting();
    writer *w = open_writer(4 * 800);
    add_four(w, s, &f);
    REQUIRE(pthread_create(&late, NULL, give_leave_late, NULL) == 0);
    REQUIRE_OK(writer_add(w, s, &f));
    CHECK_EQ(written, 1);
    give_leave(4);
    REQUIRE_OK(writer_wait(w));
    CHECK_EQ(written, 5);
    CHECK(!in_vain);
    (void)pthread_join(late, NULL);
    writer_close(w);
    series_close(s);
}

/* ---- files ------------------------------------------------------------------------- */

TEST(files_are_written_in_the_order_in_which_they_were_handed_over)
{
    enum { FILES = 200 };
    const view v = shown_view(PAV_F64, 10, 10, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(5 * 800);
    int64_t step, next = 0;
    text path = {0};
    for (f.step = 0; f.step < FILES; f.step++) {
        REQUIRE_OK(writer_add(w, s, &f));
        while (writer_next(w, &step, &path))
            CHECK_EQ(step, next++);
    }
    REQUIRE_OK(writer_wait(w));
    while (writer_next(w, &step, &path))
        CHECK_EQ(step, next++);
    CHECK_EQ(next, FILES);
    CHECK(strstr(path.data, "u-000199.npy") != NULL);
    text_free(&path);
    writer_close(w);
    series_close(s);
}

TEST(a_file_holds_the_values_as_they_were_handed_over)
{
    int64_t length;
    const view v = shown_view(PAV_F64, 100, 100, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(0);
    for (f.step = 0; f.step < 10; f.step++) {
        ((double *)v.data)[0] = (double)f.step;
        REQUIRE_OK(writer_add(w, s, &f));
    }
    REQUIRE_OK(writer_wait(w));
    for (int n = 0; n < 10; n++) {
        char name[32];
        (void)snprintf(name, sizeof name, "u-%06d.npy", n);
        char *all = scratch_read(name, &length);
        double first;
        memcpy(&first, all + 128, sizeof first);
        CHECK(first == n);
        mem_free(all);
    }
    writer_close(w);
    series_close(s);
}

TEST(copies_take_no_more_room_than_was_given)
{
    enum { FRAME = 100 * 100 * 8 };
    const view v = shown_view(PAV_F64, 100, 100, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(2 * FRAME);
    int64_t most = 0;
    const int64_t used = mem_used();
    for (f.step = 0; f.step < 50; f.step++) {
        REQUIRE_OK(writer_add(w, s, &f));
        most = mem_used() - used > most ? mem_used() - used : most;
    }
    REQUIRE_OK(writer_wait(w));
    CHECK(most > 0 && most <= 2 * FRAME);
    CHECK_EQ(mem_used(), used);
    writer_close(w);
    series_close(s);
}

TEST(a_frame_larger_than_the_room_is_written_at_once)
{
    int64_t length, step;
    text path = {0};
    const view v = shown_view(PAV_F64, 100, 100, 1);
    const io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(1000);
    const int64_t used = mem_used();
    REQUIRE_OK(writer_add(w, s, &f));
    CHECK_EQ(mem_used(), used);
    char *all = scratch_read("u-000000.npy", &length); /* written at once */
    CHECK_EQ(length, 128 + 80000);
    mem_free(all);
    CHECK(writer_next(w, &step, &path) && !writer_next(w, &step, &path));
    text_free(&path);
    writer_close(w);
    series_close(s);
}

TEST(a_failure_is_reported_once_and_what_follows_is_written)
{
    const view v = shown_view(PAV_F64, 10, 10, 1);
    const io_frame f = frame_of_view(&v, 2);
    series *bad = open_numbered("no/u.npy"), *good = open_numbered("v.npy");
    writer *w = open_writer(0);
    REQUIRE_OK(writer_add(w, bad, &f));
    CHECK_STATUS(writer_wait(w), PAV_EIO);
    CHECK(strstr(pav_message(), "no/u-000000.npy cannot be written") != NULL);
    REQUIRE_OK(writer_wait(w));
    REQUIRE_OK(writer_add(w, good, &f));
    REQUIRE_OK(writer_wait(w));
    CHECK_EQ(scratch_count(), 1);
    writer_close(w);
    series_close(bad);
    series_close(good);
}

TEST(a_failure_comes_back_from_a_later_output)
{
    const view v = shown_view(PAV_F64, 10, 10, 1);
    const io_frame f = frame_of_view(&v, 2);
    series *bad = open_numbered("no/u.npy");
    writer *w = open_writer(800);
    pav_status status = PAV_OK;
    for (int n = 0; n < 3 && status == PAV_OK; n++)
        status = writer_add(w, bad, &f); /* waits for the previous file */
    CHECK_EQ(status, PAV_EIO);
    writer_close(w);
    series_close(bad);
}

TEST(closing_writes_what_waits)
{
    const view v = shown_view(PAV_F64, 10, 10, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(0);
    for (f.step = 0; f.step < 20; f.step++)
        REQUIRE_OK(writer_add(w, s, &f));
    writer_close(w);
    series_close(s);
    CHECK_EQ(scratch_count(), 20);
}

TEST(without_memory_for_a_copy_the_file_is_written_all_the_same)
{
    const view v = shown_view(PAV_F64, 10, 10, 1);
    io_frame f = frame_of_view(&v, 2);
    series *s = open_numbered("u.npy");
    writer *w = open_writer(0);
    REQUIRE_OK(writer_add(w, s, &f)); /* starts the thread */
    REQUIRE_OK(writer_wait(w));
    f.step = 1;
    mem_fail_after(2); /* the job is allocated, the copy not */
    REQUIRE_OK(writer_add(w, s, &f));
    mem_fail_after(0);
    CHECK_EQ(scratch_count(), 2);
    writer_close(w);
    series_close(s);
}
