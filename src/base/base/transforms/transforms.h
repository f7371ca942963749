/* SPDX-License-Identifier: BSD-3-Clause */
/* Transforms of lines in f64 and f32: lines/transform_text_private.h for processors. The
 * file that includes this header defines INDEPENDENT. */
#ifndef PAV_TRANSFORMS_H
#define PAV_TRANSFORMS_H
#include "base/base.h"

#include "base/transform_text/transform_words_private.h"

#define REAL double
#define NAME(word) f64_##word
#include "base/transform_text/transform_text_private.h"

#include "base/transform_text/transform_box_private.h"
#undef REAL
#undef NAME
#define REAL float
#define NAME(word) f32_##word
#include "base/transform_text/transform_text_private.h"

#include "base/transform_text/transform_box_private.h"
#undef REAL
#undef NAME
#undef FUNCTION
#endif
