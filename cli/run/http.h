/* SPDX-License-Identifier: BSD-3-Clause */
/* A server of HTTP on 127.0.0.1, for a page about one run. It listens on a random port,
 * and every address begins with a random token: only a reader of the address gets in. One
 * thread serves all connections, one request on each. */
#ifndef CLI_RUN_HTTP_H
#define CLI_RUN_HTTP_H

#include <stdbool.h>
#include <stddef.h>

enum { HTTP_PATH = 128, HTTP_REQUEST = 8192 /* bytes of the longest request */ };

typedef struct http_request {
    bool post;
    char path[HTTP_PATH]; /* behind the token and a slash; "" is the page */
    const char *query;    /* behind a question mark, or "" */
} http_request;
/* Reads the bytes received so far, at most HTTP_REQUEST and a NUL. 0: more must come;
 * 200: *r is set; else the status of a refusal. Any bytes are safe. */
int http_read(const char *bytes, const char *token, http_request *r);

/* Answers a request by http_send, on the server's thread. length of a refusal: 0. */
typedef void http_answer(void *user, const http_request *r, int socket);
void http_send(int socket, int status, const char *type, long long tag, const char *body,
               size_t length);

typedef struct http_server http_server;
/* *address: its page, valid until the server is closed. NULL: errno is set. */
http_server *http_open(http_answer *answer, void *user, const char **address);
void http_close(http_server *s);

#endif
