/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens the HDF5 library at first use: version 1.10 or later, with 64-bit identifiers.
 * The library may be built without thread support, so all calls stand between hdf5_enter
 * and hdf5_leave; these admit one thread at a time. The library's own error output is
 * suppressed. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "io/io_private.h"

static hdf5 api;
static const char *missing; /* NULL: the library is present */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *printer, *printer_data; /* error handler to restore when the thread leaves */

static const library_call calls[] = {
    {"H5open", offsetof(hdf5, start)},
    {"H5get_libversion", offsetof(hdf5, version)},
    {"H5Eget_auto2", offsetof(hdf5, printer_get)},
    {"H5Eset_auto2", offsetof(hdf5, printer_set)},
    {"H5Ewalk2", offsetof(hdf5, errors_visit)},
    {"H5Fcreate", offsetof(hdf5, file_create)},
    {"H5Fopen", offsetof(hdf5, file_open)},
    {"H5Fflush", offsetof(hdf5, file_flush)},
    {"H5Fget_vfd_handle", offsetof(hdf5, file_handle)},
    {"H5Fclose", offsetof(hdf5, file_close)},
    {"H5Screate_simple", offsetof(hdf5, space_create)},
    {"H5Sget_simple_extent_ndims", offsetof(hdf5, space_dimensions)},
    {"H5Sget_simple_extent_dims", offsetof(hdf5, space_extent)},
    {"H5Sselect_hyperslab", offsetof(hdf5, space_select)},
    {"H5Sclose", offsetof(hdf5, space_close)},
    {"H5Pcreate", offsetof(hdf5, list_create)},
    {"H5Pset_obj_track_times", offsetof(hdf5, list_track_times)},
    {"H5Pset_alloc_time", offsetof(hdf5, list_alloc_time)},
    {"H5Pset_fill_time", offsetof(hdf5, list_fill_time)},
    {"H5Pclose", offsetof(hdf5, list_close)},
    {"H5Dcreate2", offsetof(hdf5, data_create)},
    {"H5Dget_offset", offsetof(hdf5, data_offset)},
    {"H5Dopen2", offsetof(hdf5, data_open)},
    {"H5Dget_space", offsetof(hdf5, data_space)},
    {"H5Dget_type", offsetof(hdf5, data_type)},
    {"H5Dwrite", offsetof(hdf5, data_write)},
    {"H5Dread", offsetof(hdf5, data_read)},
    {"H5Dclose", offsetof(hdf5, data_close)},
    {"H5Tget_class", offsetof(hdf5, type_class)},
    {"H5Tclose", offsetof(hdf5, type_close)},
    {"H5Acreate2", offsetof(hdf5, note_create)},
    {"H5Awrite", offsetof(hdf5, note_write)},
    {"H5Aclose", offsetof(hdf5, note_close)},
};
static const library_call numbers[] = {
    {"H5T_NATIVE_FLOAT_g", offsetof(hdf5, type_f32)},
    {"H5T_NATIVE_DOUBLE_g", offsetof(hdf5, type_f64)},
    {"H5T_NATIVE_UCHAR_g", offsetof(hdf5, type_u8)},
    {"H5P_CLS_DATASET_CREATE_ID_g", offsetof(hdf5, class_data_create)},
};

/* ---- opening ----------------------------------------------------------------------- */

/* Known once the library has started. */
static bool find_numbers(void *library)
{
    for (size_t n = 0; n < COUNT_OF(numbers); n++) {
        const void *symbol = dlsym(library, numbers[n].name);
        if (!symbol)
            return false;
        memcpy((char *)&api + numbers[n].at, symbol, sizeof(int64_t));
    }
    return true;
}

static bool is_recent(void)
{
    unsigned major = 0, minor = 0, release = 0;

    return api.version(&major, &minor, &release) >= 0 &&
           (major > 1 || (major == 1 && minor >= 10));
}

static void find(void)
{
    const char *file = NULL;
    void *library = library_open("HDF5", &file);

    if (!library)
        missing = "HDF5 files need the HDF5 library, which is not there; install it "
                  "(Debian, Ubuntu: apt install libhdf5-dev; Fedora: dnf install hdf5; "
                  "conda install hdf5), or use a .npy or .vti file";
    else if (!library_find(library, calls, COUNT_OF(calls), &api) || api.start() < 0 ||
             !find_numbers(library) || !is_recent())
        missing =
            "HDF5 files need the HDF5 library of version 1.10 or later, and the one "
            "that was found is another; install it, or use a .npy or .vti file";
}

const char *hdf5_missing(void)
{
    (void)pthread_once(&once, find);
    return missing;
}

/* ---- one thread at a time ---------------------------------------------------------- */

pav_status hdf5_enter(const char *path, const hdf5 **result)
{
    *result = NULL;
    if (hdf5_missing())
        return FAIL(PAV_EUNSUPPORTED, "%s: %s", path, missing);
    (void)pthread_mutex_lock(&lock);
    (void)api.printer_get(0, &printer, &printer_data);
    (void)api.printer_set(0, NULL, NULL);
    *result = &api;
    return PAV_OK;
}

void hdf5_leave(void)
{
    (void)api.printer_set(0, printer, printer_data);
    (void)pthread_mutex_unlock(&lock);
}

/* ---- failures ---------------------------------------------------------------------- */

enum { SENTENCE = 200 };

/* Keeps the first error of the library's stack. If it quotes a system error, keeps only
 * the quote. */
static int keep_first(unsigned n, const hdf5_error *e, void *user)
{
    static const char quote[] = "error message = '";
    char *sentence = user;

    if (n > 0 || !e->description)
        return 0;
    const char *at = strstr(e->description, quote);
    const char *from = at ? at + sizeof quote - 1 : e->description;
    const size_t length = at ? strcspn(from, "'") : strlen(from);
    (void)snprintf(sentence, SENTENCE, "%.*s", length < SENTENCE ? (int)length : SENTENCE,
                   from);
    return 0;
}

pav_status hdf5_failed(const char *path, const char *what)
{
    char why[SENTENCE + 1] = "";

    (void)api.errors_visit(0, 0, keep_first, why);
    return FAIL(PAV_EIO, "%s cannot be %s: %s", path, what,
                *why ? why : "the HDF5 library does not say why");
}
