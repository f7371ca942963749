/* SPDX-License-Identifier: BSD-3-Clause */
/* An NVRTC without a compiler: its cubin is the source, its PTX is "ptx " and the source.
 * A source with MISTAKE in it does not compile. FAKE_NVRTC_VERSION=12 is the version
 * (12.4). FAKE_NVRTC_OLDEST=75 and FAKE_NVRTC_NEWEST=90 are the supported
 * architectures. */
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC visibility push(default)

enum { DONE = 0, COMPILATION = 6, CANCELLED = 16 };
static const char mistakes[] =
    "kernels.cu(1): warning: a word\nkernels.cu(3): error: MISTAKE "
    "is undefined\nkernels.cu(4): error: more\n";
int fake_nvrtc_compiled; /* for tests */
char fake_nvrtc_options[1000];

static int setting(const char *name, int usual)
{
    const char *value = getenv(name);
    return value ? (int)strtol(value, NULL, 10) : usual;
}
const char *nvrtcGetErrorString(int code)
{
    return code == COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OTHER";
}
int nvrtcVersion(int *major, int *minor)
{
    *major = setting("FAKE_NVRTC_VERSION", 12);
    *minor = 4;
    return DONE;
}
int nvrtcGetNumSupportedArchs(int *count)
{
    *count = 2;
    return DONE;
}
int nvrtcGetSupportedArchs(int *list)
{
    list[0] = setting("FAKE_NVRTC_OLDEST", 75);
    list[1] = setting("FAKE_NVRTC_NEWEST", 90);
    return DONE;
}
int nvrtcCreateProgram(char **p, const char *source, const char *name, int headers,
                       const char *const *header, const char *const *header_name)
{
    (void)name, (void)header, (void)header_name;
    *p = strdup(source);
    return *p && headers == 0 ? DONE : COMPILATION;
}
int nvrtcDestroyProgram(char **p)
{
    free(*p);
    return DONE;
}
static int (*asks)(void *, void *);
static void *asked_of;
int nvrtcSetFlowCallback(char *p, int (*callback)(void *, void *), void *payload)
{
    (void)p;
    asks = callback;
    asked_of = payload;
    return DONE;
}
int nvrtcCompileProgram(const char *p, int count, const char *const *option)
{
    if (asks && asks(asked_of, 0))
        return CANCELLED;
    fake_nvrtc_compiled++;
    fake_nvrtc_options[0] = '\0';
    for (int k = 0; k < count; k++) {
        strcat(fake_nvrtc_options, option[k]);
        strcat(fake_nvrtc_options, " ");
    }
    return strstr(p, "MISTAKE") ? COMPILATION : DONE;
}
int nvrtcGetProgramLogSize(const char *p, size_t *size)
{
    *size = strstr(p, "MISTAKE") ? sizeof mistakes : 1;
    return DONE;
}
int nvrtcGetProgramLog(const char *p, char *log)
{
    strcpy(log, strstr(p, "MISTAKE") ? mistakes : "");
    return DONE;
}
int nvrtcGetCUBINSize(const char *p, size_t *size)
{
    *size = strlen(p) + 1;
    return DONE;
}
int nvrtcGetCUBIN(const char *p, char *cubin)
{
    strcpy(cubin, p);
    return DONE;
}
int nvrtcGetPTXSize(const char *p, size_t *size)
{
    *size = strlen(p) + 5;
    return DONE;
}
int nvrtcGetPTX(const char *p, char *ptx)
{
    strcpy(ptx, "ptx ");
    strcat(ptx, p);
    return DONE;
}
