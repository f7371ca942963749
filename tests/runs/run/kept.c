/* SPDX-License-Identifier: BSD-3-Clause */
#include "kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/pavior-test-XXXXXX";
static int made; /* for the test of this number; 0: not yet */
static pid_t maker;

char kept_notes[4096];

static void clean(void)
{
    char command[128];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (getpid() == maker && system(command) != 0)
        (void)fprintf(stderr, "%s could not be removed\n", folder);
}

/* Each test has a folder and notes of its own, even if several tests run in one
 * process. */
static void make_folder(void)
{
    if (made)
        clean();
    else
        (void)atexit(clean);
    (void)memset(strchr(folder, '\0') - 6, 'X', 6);
    REQUIRE(mkdtemp(folder) != NULL);
    kept_notes[0] = '\0';
    made = test_number;
    maker = getpid();
}

const char *kept_path(const char *name)
{
    static char paths[4][4096];
    static int next;
    if (made != test_number)
        make_folder();
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *kept_program(int steps)
{
    return kept_program_on(13, 9, steps);
}

const char *kept_program_on(int nx, int ny, int steps)
{
    static char source[1024];
    (void)snprintf(source, sizeof source,
                   "grid x %d, y %d\nreal f32 stored bf16\nscalar s = 0.5\n"
                   "field u = exp(-((x - 6)^2 + (y - 4)^2)/10); v stored f32 = 0.1*x\n"
                   "u' = 2*u - prev(u) + 0.1*laplace(u) + 0.001*v\n"
                   "v' = 0.99*v + 0.01*laplace(v) + 0.001*u'\n"
                   "border u = 0.01*s*t beyond\nborder periodic v\n"
                   "inject 0.01*sin(0.1*t) into u at (6.5, 3.25)\n"
                   "sample u at (3.5, 4), (11, 7) every 3 into \"u.csv\"\n"
                   "sample v at (3.5, 4) into \"v.npy\"\n"
                   "measure top = max(u) every 5 into \"top.csv\"\n"
                   "output v into \"v-end.npy\"\nsteps %d\n",
                   nx, ny, steps);
    return source;
}

char *kept_bytes(const char *path, int64_t *length)
{
    char *bytes = NULL;
    REQUIRE_OK(file_read(path, 1 << 24, &bytes, length));
    return bytes;
}

void kept_write(const char *path, const char *bytes, int64_t length)
{
    FILE *out = fopen(path, "wb");
    REQUIRE(out != NULL);
    CHECK_EQ(fwrite(bytes, 1, (size_t)length, out), length);
    CHECK_EQ(fclose(out), 0);
}

bool kept_same(const char *a, const char *b)
{
    int64_t n, m;
    char *left = kept_bytes(a, &n), *right = kept_bytes(b, &m);
    const bool same = n == m && memcmp(left, right, (size_t)n) == 0;
    mem_free(left);
    mem_free(right);
    return same;
}

pav_status kept_open(const char *source, const char *device,
                     const pav_run_options *options, begun *b)
{
    *b = (begun){0};
    TRY(pav_program_parse(source, strlen(source), NULL, &b->program));
    TRY(pav_device_open(device, &b->device));
    return pav_run_open(b->program, b->device, options, &b->run);
}

pav_status kept_run(const char *source, const char *device,
                    const pav_run_options *options)
{
    begun b;
    pav_status status = kept_open(source, device, options, &b);
    if (status == PAV_OK)
        status = pav_run_finish(b.run);
    close_begun(&b);
    return status;
}

const char *kept_kernels(void)
{
    pav_device *device = NULL;
    const bool there = pav_device_open("cpu", &device) == PAV_OK;
    pav_device_free(device);
    return there ? "cpu" : "interpreter";
}

int kept_listen(void *user, pav_event event, const pav_progress *progress,
                const char *said)
{
    (void)user;
    (void)progress;
    if ((event == PAV_EVENT_NOTE || event == PAV_EVENT_WARNING) &&
        strlen(kept_notes) + strlen(said) + 2 < 4096)
        (void)strcat(strcat(kept_notes, said), "\n");
    return 0;
}
