/* SPDX-License-Identifier: BSD-3-Clause */
/* PNG files, where libpng was found when Pavior was built. The same picture gives the same bytes:
 * nothing about the time or the machine is written. */
#include "io/io_private.h"

#if PAV_HAVE_PNG

#include <png.h>

static bool present(const char **why)
{
    *why = NULL;
    return true;
}

static pav_status encode(out_file *o, png_image *image, const canvas *c)
{
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(*image);
    void *bytes = mem_new((int64_t)size, 1);
    pav_status status;

    if (!bytes)
        return PAV_ENOMEM;
    if (png_image_write_to_memory(image, bytes, &size, 0, c->pixel, 0, NULL))
        status = out_write(o, bytes, (int64_t)size);
    else
        status = FAIL(PAV_EIO, "%s cannot be written: libpng says '%s'", o->shown,
                      image->message);
    mem_free(bytes);
    return status;
}

static pav_status write_canvas(const char *path, const canvas *c)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)c->width,
                       .height = (png_uint_32)c->height,
                       .format = PNG_FORMAT_RGB};
    out_file o;

    TRY(out_open(&o, path));
    const pav_status status = encode(&o, &image, c);
    png_image_free(&image);
    return out_close(&o, status);
}

#else

static bool present(const char **why)
{
    *why = "this build has no libpng: install libpng-dev, configure and build again";
    return false;
}

static pav_status write_canvas(const char *path, const canvas *c)
{
    const char *why;

    (void)c;
    (void)present(&why);
    return FAIL(PAV_EUNSUPPORTED, "%s cannot be written: %s", path, why);
}

#endif

pav_status png_write(const char *path, const picture *p)
{
    canvas c;

    TRY(picture_draw(p, &c));
    const pav_status status = write_canvas(path, &c);
    canvas_free(&c);
    return status;
}

const io_format png_format = {".png", "picture of a slice", false, true, false, present};
