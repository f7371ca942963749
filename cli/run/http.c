/* SPDX-License-Identifier: BSD-3-Clause */
/* A server of HTTP/1.1 for some readers of one page: each connection carries one request
 * and its reply. The thread waits for requests of all clients at once, and for the reader
 * of a reply one second at most. When the table is full, the oldest client is dropped.
 * A library would bring a dependency, and much that one page does not need. */
#define _GNU_SOURCE /* accept4, pipe2 */
#include "http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 16, TOKEN = 32 /* digits */, PATIENCE = 10 /* seconds for a request */ };

typedef struct client {
    int socket; /* -1: a free place */
    time_t since;
    size_t got;
    bool answered;                  /* what still comes is ignored, until it closes */
    char request[HTTP_REQUEST + 1]; /* and a NUL */
} client;

struct http_server {
    http_answer *answer;
    void *user;
    char token[TOKEN + 1], address[64 + TOKEN];
    int listening, ending[2]; /* a pipe; its end ends the thread */
    pthread_t thread;
    client client[CLIENTS];
};

/* ---- requests ---------------------------------------------------------------------- */

int http_read(const char *bytes, const char *token, http_request *r)
{
    char method[8], given[TOKEN + 1] = "";
    unsigned different = 0;
    int at = 0;
    *r = (http_request){.query = ""};
    if (!strstr(bytes, "\r\n\r\n"))
        return strlen(bytes) < HTTP_REQUEST ? 0 : 431;
    if (sscanf(bytes, "%7[A-Z] /%n%32[0-9a-f]", method, &at, given) < 1 || at == 0)
        return 400;
    r->post = strcmp(method, "POST") == 0;
    if (!r->post && strcmp(method, "GET") != 0)
        return 405;
    for (int k = 0; k <= TOKEN; k++) /* all of it: the time tells nothing */
        different |= (unsigned)(given[k] ^ token[k]);
    if (different)
        return 403;
    const char *path = bytes + at + TOKEN;
    const size_t length = strcspn(path, " \r\n");
    if (*path != '/' || strncmp(path + length, " HTTP/1.", 8) != 0)
        return *path == '/' ? 400 : 404;
    if (length > HTTP_PATH)
        return 414;
    memcpy(r->path, path + 1, length - 1);
    char *query = strchr(r->path, '?');
    if (query) {
        *query = '\0';
        r->query = query + 1;
    }
    return 200;
}

/* Only the page itself may load anything, and its address goes nowhere. */
static const char head[] =
    "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: close\r\n"
    "ETag: \"%lld\"\r\nCache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src "
    "'unsafe-inline'; img-src 'self' blob: data:; connect-src 'self'\r\n\r\n";

void http_send(int socket, int status, const char *type, long long tag, const char *body,
               size_t length)
{
    if (dprintf(socket, head, status, status < 300 ? "OK" : "Refused", type, length,
                tag) > 0 &&
        length > 0)
        (void)!write(socket, body, length); /* in vain if the reader is gone or slow */
}

/* False: the connection is over. */
static bool serve(const http_server *s, client *c)
{
    http_request r;
    if (c->answered)
        c->got = 0;
    const ssize_t more = recv(c->socket, c->request + c->got, HTTP_REQUEST - c->got,
                              MSG_DONTWAIT);
    if (more <= 0)
        return more < 0 && errno == EAGAIN;
    c->got += (size_t)more;
    c->request[c->got] = '\0';
    const int status = c->answered ? 0 : http_read(c->request, s->token, &r);
    if (status == 200)
        s->answer(s->user, &r, c->socket);
    else if (status)
        http_send(c->socket, status, "text/plain", 0, NULL, 0);
    if (status) { /* the client closes: closing first could lose the reply */
        c->answered = true;
        (void)shutdown(c->socket, SHUT_WR);
    }
    return true;
}

/* ---- the thread -------------------------------------------------------------------- */

static void take_client(http_server *s)
{
    client *place = &s->client[0];
    const struct timeval second = {.tv_sec = 1};
    for (int k = 0; k < CLIENTS && place->socket >= 0; k++)
        if (s->client[k].socket < 0 || s->client[k].since < place->since)
            place = &s->client[k];
    if (place->socket >= 0)
        (void)close(place->socket);
    place->socket = accept4(s->listening, NULL, NULL, SOCK_CLOEXEC);
    (void)setsockopt(place->socket, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second);
    place->since = time(NULL);
    place->answered = false;
    place->got = 0;
}

/* Without clients the thread sleeps. Signals are for the thread of the run. */
static void *serve_all(void *user)
{
    http_server *s = user;
    struct pollfd wait[CLIENTS + 2] = {{.fd = s->ending[0], .events = POLLIN},
                                       {.fd = s->listening, .events = POLLIN}};
    sigset_t all;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    while (!wait[0].revents) {
        int patience = -1;
        for (int k = 0; k < CLIENTS; k++) {
            client *c = &s->client[k];
            const bool over = wait[k + 2].revents ? !serve(s, c)
                                                  : time(NULL) - c->since > PATIENCE;
            if (c->socket >= 0 && over) {
                (void)close(c->socket);
                c->socket = -1;
            }
        }
        if (wait[1].revents)
            take_client(s);
        for (int k = 0; k < CLIENTS; k++) {
            wait[k + 2] = (struct pollfd){.fd = s->client[k].socket, .events = POLLIN};
            patience = s->client[k].socket >= 0 ? 1000 : patience;
        }
        if (poll(wait, CLIENTS + 2, patience) < 0)
            return NULL;
    }
    return NULL;
}

/* ---- opening and closing ----------------------------------------------------------- */

static bool listen_at_random(http_server *s)
{
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof here;
    unsigned long random[2];
    s->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random ||
        pipe2(s->ending, O_CLOEXEC) != 0 || s->listening < 0 ||
        bind(s->listening, (const struct sockaddr *)&here, sizeof here) != 0 ||
        listen(s->listening, CLIENTS) != 0 ||
        getsockname(s->listening, (struct sockaddr *)&here, &size) != 0)
        return false;
    (void)snprintf(s->token, sizeof s->token, "%016lx%016lx", random[0], random[1]);
    (void)snprintf(s->address, sizeof s->address, "http://127.0.0.1:%u/%s/",
                   (unsigned)ntohs(here.sin_port), s->token);
    return true;
}

http_server *http_open(http_answer *answer, void *user, const char **address)
{
    http_server *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    *s = (http_server){.answer = answer, .user = user, .ending = {-1, -1}};
    for (int k = 0; k < CLIENTS; k++)
        s->client[k].socket = -1;
    *address = s->address;
    if (listen_at_random(s)) {
        errno = pthread_create(&s->thread, NULL, serve_all, s);
        if (errno == 0)
            return s;
    }
    const int failed = errno;
    (void)close(s->listening);
    free(s);
    errno = failed;
    return NULL;
}

void http_close(http_server *s)
{
    if (!s)
        return;
    (void)close(s->ending[1]); /* the thread sees the end of its pipe */
    (void)pthread_join(s->thread, NULL);
    for (int k = 0; k < CLIENTS; k++)
        if (s->client[k].socket >= 0)
            (void)close(s->client[k].socket);
    (void)close(s->ending[0]);
    (void)close(s->listening);
    free(s);
}
