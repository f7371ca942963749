/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzzes requests to the page of `pavior run --view`. Any bytes are incomplete, a request
 * with the token, or refused; and more bytes never complete less. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "http.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char token[] = "0123456789abcdef0123456789abcdef";
    const size_t length = size < HTTP_REQUEST ? size : HTTP_REQUEST;
    char *bytes = malloc(length + 1); /* exactly, so that reading on is noticed */
    http_request r;

    if (!bytes)
        return 0;
    memcpy(bytes, data, length);
    bytes[length] = '\0';
    const int status = http_read(bytes, token, &r);
    if ((status == 200) != (status == 200 && strstr(bytes, token)))
        abort(); /* nobody gets in without the token */
    if (status == 200 && (strlen(r.path) >= HTTP_PATH || strlen(r.query) >= HTTP_PATH))
        abort();
    if (status != 0 && status != 200 && (status < 400 || status > 431))
        abort();
    free(bytes);
    return 0;
}
