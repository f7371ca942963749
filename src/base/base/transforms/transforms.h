/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines in f64 and f32 for processors with vectors of LEVEL_BYTES bytes.
 * The file that includes this header defines LEVEL_BYTES, LEVEL(word) for its names, and
 * LEVEL_TARGET, the attribute of the functions. */
#include "base/base.h"

#include "base/transform_text/transform_words_private.h"

#define REAL double
#define NAME(word) LEVEL(f64_##word)
#include "base/transform_text/transform_text_private.h"

#include "base/transform_text/transform_box_private.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(word) LEVEL(f32_##word)
#include "base/transform_text/transform_text_private.h"

#include "base/transform_text/transform_box_private.h"
#undef REAL
#undef NAME
#undef FUNCTION
