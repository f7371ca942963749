/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a fuzz target on files given as arguments: for compilers without libFuzzer, and to
 * look into an input that failed.
 *
 *     cc -g -Iinclude -Isrc fuzz/replay.c fuzz/fuzz_npy.c ... -o replay && ./replay
 *     FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LARGEST = 1 << 24 /* bytes of a file that are read */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(LARGEST);

    if (!file || !data) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    const size_t size = fread(data, 1, LARGEST, file);
    uint8_t *exact = realloc(data,
                             size > 0 ? size : 1); /* so that reading on is noticed */
    (void)fclose(file);
    const int result = LLVMFuzzerTestOneInput(exact ? exact : data, size);
    free(exact ? exact : data);
    return result;
}

int main(int count, char **paths)
{
    for (int n = 1; n < count; n++) {
        (void)replay(paths[n]);
        printf("%s passed\n", paths[n]);
    }
    return EXIT_SUCCESS;
}
