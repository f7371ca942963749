/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning of a checkpoint: the prefix and the head. The prefix has the hash of
 * both. */
#include <string.h>

#include "run/checkpoint/checkpoint_private.h"

enum { FORMAT = 5, FORMAT_STORE = 6, ORDER = 0x01020304, LIMIT = 1 << 30 };

typedef struct prefix {
    char magic[CHECKPOINT_MAGIC];
    uint32_t order, format;
    int64_t length; /* of the head */
    uint64_t hash;  /* of the members above and the head */
} prefix;

static uint64_t hash_of(const prefix *p, const char *bytes)
{
    hash h;
    hash_init(&h);
    hash_add(&h, p->magic, sizeof p->magic);
    hash_add(&h, &p->order, sizeof p->order);
    hash_add(&h, &p->format, sizeof p->format);
    hash_add(&h, &p->length, sizeof p->length);
    hash_add(&h, bytes, p->length);
    return hash_end(&h);
}

int64_t prefix_bytes(const text *head)
{
    return (int64_t)sizeof(prefix) + head->length;
}

pav_status prefix_put(stream *s, const text *head, bool is_store)
{
    prefix p = {.order = ORDER,
                .format = is_store ? FORMAT_STORE : FORMAT,
                .length = head->length};
    memcpy(p.magic, checkpoint_magic, sizeof p.magic);
    p.hash = hash_of(&p, head->data);
    TRY(stream_put(s, &p, sizeof p));
    return stream_put(s, head->data, head->length);
}

static pav_status get_prefix(stream *s, prefix *p)
{
    TRY(stream_get(s, p, sizeof *p));
    if (memcmp(p->magic, checkpoint_magic, sizeof p->magic) != 0)
        return FAIL(PAV_EFORMAT, "%s is no checkpoint of Pavior", s->path);
    if (p->order == __builtin_bswap32(ORDER))
        return FAIL(PAV_EUNSUPPORTED,
                    "the checkpoint %s was written on a machine of the other byte order; "
                    "go on with it there",
                    s->path);
    if (p->order == ORDER && p->format != FORMAT && p->format != FORMAT_STORE)
        return FAIL(
            PAV_EUNSUPPORTED,
            "the checkpoint %s has format %u, and Pavior %s reads formats %d and %d; go "
            "on with the version that wrote it",
            s->path, (unsigned)p->format, pav_version(), FORMAT, FORMAT_STORE);
    if (p->order != ORDER || p->length < 0 || p->length > LIMIT ||
        p->length > stream_left(s))
        return FAIL(PAV_EFORMAT,
                    "the checkpoint %s is damaged: its first bytes are not "
                    "what they should be",
                    s->path);
    return PAV_OK;
}

pav_status prefix_get(stream *s, char **head, int64_t *length, bool *is_store)
{
    prefix p;
    TRY(get_prefix(s, &p));
    *is_store = p.format == FORMAT_STORE;
    *head = mem_new(p.length + 1, 1);
    if (!*head)
        return PAV_ENOMEM;
    *length = p.length;
    TRY(stream_get(s, *head, p.length));
    return hash_of(&p, *head) == p.hash
               ? PAV_OK
               : FAIL(PAV_EFORMAT,
                      "the checkpoint %s is damaged: its head does not have "
                      "its hash",
                      s->path);
}

pav_status prefix_skip(stream *s, bool *is_store)
{
    char *head = NULL;
    int64_t length;
    const pav_status status = prefix_get(s, &head, &length, is_store);
    mem_free(head);
    return status;
}
