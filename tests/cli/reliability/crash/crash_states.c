/* SPDX-License-Identifier: BSD-3-Clause */
/* crash_states: the states in which a crash of the machine may leave files.
 *
 *     crash_states record LOG FOLDER COMMAND...   runs a command, records its changes
 *     crash_states states LOG BEFORE              prints the number of states
 *     crash_states make LOG BEFORE N OUT          makes state N; BEFORE: a copy of FOLDER
 *
 * record traces the system calls of the command and its threads (ptrace). The log holds
 * every change below FOLDER: bytes, sizes, names; and every sync. A crash may come after
 * each operation. Operations that were synced are then on the disk. Of the others the
 * disk may have all, none, all but one, or one alone, and of the last write also its
 * first half. A sync of a file holds its bytes, a sync of a directory its names. Equal
 * states count once. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 4096, NAME = 512 };

static void stop(const char *what, const char *which)
{
    fprintf(stderr, "crash_states: %s%s%s\n", what, *which ? ": " : "", which);
    exit(2);
}

static void *need(void *memory)
{
    if (!memory)
        stop("memory ran out", "");
    return memory;
}

/* ---- operations -------------------------------------------------------------------- */

typedef enum kind {
    WRITE,
    SIZE,
    NAMED,
    RENAMED,
    REMOVED,
    FOLDER,
    SYNC,
    SYNC_FOLDER
} kind;

/* file: a number for each file that ever existed. from, to: names below the folder. */
typedef struct operation {
    kind kind;
    int64_t file, at, bytes;
    char from[NAME], to[NAME];
    char *data;
} operation;

static operation all[MOST];
static int count;

static operation *add(kind k)
{
    if (count == MOST)
        stop("too many operations", "");
    all[count] = (operation){.kind = k};
    return &all[count++];
}

static void save(const char *path)
{
    FILE *const f = fopen(path, "wb");
    bool whole = f != NULL;
    for (int n = 0; n < count && whole; n++) {
        operation o = all[n];
        o.data = NULL;
        whole = fwrite(&o, sizeof o, 1, f) == 1 &&
                (o.kind != WRITE || o.bytes == 0 ||
                 fwrite(all[n].data, (size_t)o.bytes, 1, f) == 1);
    }
    if (!whole || fclose(f) != 0)
        stop("cannot be written", path);
}

static void load(const char *path)
{
    FILE *const f = fopen(path, "rb");
    if (!f)
        stop("cannot be read", path);
    while (count < MOST && fread(&all[count], sizeof all[count], 1, f) == 1) {
        operation *const o = &all[count++];
        if (o->kind != WRITE)
            continue;
        o->data = need(malloc((size_t)o->bytes + 1));
        if (o->bytes > 0 && fread(o->data, (size_t)o->bytes, 1, f) != 1)
            stop("is cut", path);
    }
    fclose(f);
}

/* ---- record ------------------------------------------------------------------------ */

static char root[PATH_MAX];

/* Files that exist, by their number on the system. A number is used again after a file is
 * removed, so each new file gets a number of ours. */
static struct known {
    uint64_t inode;
    int64_t file;
} known[MOST];
static int64_t files;
static int knowns;

static int64_t file_of(uint64_t inode, bool is_new)
{
    for (int n = knowns - 1; n >= 0 && !is_new; n--)
        if (known[n].inode == inode)
            return known[n].file;
    if (knowns == MOST)
        stop("too many files", "");
    known[knowns++] = (struct known){inode, files};
    return files++;
}

/* The name below the folder; NULL: outside. */
static const char *inside(const char *path)
{
    const size_t length = strlen(root);
    if (strncmp(path, root, length) != 0 || (path[length] != '/' && path[length]))
        return NULL;
    return path[length] ? path + length + 1 : ".";
}

static void link_of(pid_t task, const char *what, char path[PATH_MAX])
{
    char name[64];
    snprintf(name, sizeof name, "/proc/%d/%s", (int)task, what);
    const ssize_t length = readlink(name, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
}

static void descriptor_path(pid_t task, int fd, char path[PATH_MAX])
{
    char what[32];
    snprintf(what, sizeof what, "fd/%d", fd);
    link_of(task, what, path);
    char *const gone = strstr(path, " (deleted)");
    if (gone)
        *gone = '\0';
}

static uint64_t inode_of_descriptor(pid_t task, int fd)
{
    char name[64];
    struct stat s;
    snprintf(name, sizeof name, "/proc/%d/fd/%d", (int)task, fd);
    return stat(name, &s) == 0 ? (uint64_t)s.st_ino : 0;
}

static int64_t position(pid_t task, int fd)
{
    char name[64], line[128];
    long long at = -1;
    snprintf(name, sizeof name, "/proc/%d/fdinfo/%d", (int)task, fd);
    FILE *const f = fopen(name, "r");
    while (f && at < 0 && fgets(line, sizeof line, f))
        if (sscanf(line, "pos: %lld", &at) != 1)
            at = -1;
    if (f)
        fclose(f);
    return at;
}

static void take_bytes(pid_t task, uint64_t address, char *to, size_t bytes)
{
    const struct iovec local = {to, bytes}, there = {(void *)(uintptr_t)address, bytes};
    if (process_vm_readv(task, &local, 1, &there, 1, 0) != (ssize_t)bytes)
        stop("cannot read the memory of the command", strerror(errno));
}

static void take_path(pid_t task, int at, uint64_t address, char path[PATH_MAX])
{
    char given[NAME], folder[PATH_MAX];
    size_t n = 0;
    do {
        if (n == sizeof given)
            stop("a name is too long", "");
        take_bytes(task, address + n, given + n, 1);
    } while (given[n++]);
    folder[0] = '\0';
    if (given[0] != '/' && at == AT_FDCWD)
        link_of(task, "cwd", folder);
    else if (given[0] != '/')
        descriptor_path(task, at, folder);
    if (given[0] == '/')
        snprintf(path, PATH_MAX, "%s", given);
    else
        snprintf(path, PATH_MAX, "%s/%s", folder,
                 strncmp(given, "./", 2) ? given : given + 2);
    while ((n = strlen(path)) > 1 && path[n - 1] == '/')
        path[n - 1] = '\0';
}

/* A system call of a task, from its begin to its end. */
typedef struct task {
    pid_t id;
    uint64_t call, argument[6];
    bool existed; /* the file to open was there before */
} task;

static bool is_there(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

static void record_write(const task *t, int64_t at, uint64_t memory, int64_t bytes)
{
    char path[PATH_MAX];
    struct stat s;
    descriptor_path(t->id, (int)t->argument[0], path);
    if (!inside(path) || (stat(path, &s) == 0 && !S_ISREG(s.st_mode)))
        return;
    operation *const o = add(WRITE);
    o->file = file_of(inode_of_descriptor(t->id, (int)t->argument[0]), false);
    o->at = at;
    o->bytes = bytes;
    o->data = need(malloc((size_t)bytes + 1));
    take_bytes(t->id, memory, o->data, (size_t)bytes);
}

static void record_vector(const task *t, int64_t at, int64_t bytes)
{
    struct iovec part[64];
    const size_t parts = t->argument[2] < 64 ? t->argument[2] : 64;
    take_bytes(t->id, t->argument[1], (char *)part, parts * sizeof *part);
    for (size_t n = 0; n < parts && bytes > 0; n++) {
        const int64_t some = (int64_t)part[n].iov_len < bytes ? (int64_t)part[n].iov_len
                                                              : bytes;
        record_write(t, at, (uint64_t)(uintptr_t)part[n].iov_base, some);
        at += some;
        bytes -= some;
    }
}

/* Files that a command has mapped to write. Its stores are no system calls, so each sync
 * of such a file records all of its bytes first. */
static struct mapping {
    uint64_t address, bytes;
    int64_t file;
    char path[PATH_MAX];
} mapping[64];
static int mappings;

static void record_mapping(const task *t, uint64_t address)
{
    char path[PATH_MAX];
    struct stat s;
    if ((int)t->argument[4] < 0 || !(t->argument[2] & PROT_WRITE) ||
        !(t->argument[3] & MAP_SHARED))
        return;
    descriptor_path(t->id, (int)t->argument[4], path);
    if (!inside(path) || stat(path, &s) != 0)
        return;
    if (mappings == sizeof mapping / sizeof *mapping)
        stop("too many mappings", "");
    struct mapping *const m = &mapping[mappings++];
    *m = (struct mapping){address, t->argument[1], file_of((uint64_t)s.st_ino, false),
                          ""};
    snprintf(m->path, sizeof m->path, "/proc/%d/fd/%d", (int)t->id,
             (int)t->argument[4]); /* the file may get another name */
}

static void record_mapped_bytes(const struct mapping *m)
{
    FILE *const f = fopen(m->path, "rb");
    struct stat s;
    if (!f || fstat(fileno(f), &s) != 0)
        stop("cannot be read", m->path);
    operation *const o = add(WRITE);
    o->file = m->file;
    o->bytes = s.st_size;
    o->data = need(malloc((size_t)s.st_size + 1));
    if (s.st_size > 0 && fread(o->data, (size_t)s.st_size, 1, f) != 1)
        stop("cannot be read", m->path);
    fclose(f);
}

static void record_mapped(int64_t file)
{
    for (int n = 0; n < mappings; n++)
        if (mapping[n].file == file) {
            record_mapped_bytes(&mapping[n]);
            return;
        }
}

static void record_mapping_sync(const task *t)
{
    for (int n = 0; n < mappings; n++)
        if (t->argument[0] - mapping[n].address < mapping[n].bytes) {
            record_mapped_bytes(&mapping[n]);
            add(SYNC)->file = mapping[n].file;
            return;
        }
}

static void record_sync(const task *t)
{
    char path[PATH_MAX];
    struct stat s;
    descriptor_path(t->id, (int)t->argument[0], path);
    const char *const name = inside(path);
    if (!name || stat(path, &s) != 0)
        return;
    if (!S_ISDIR(s.st_mode))
        record_mapped(file_of((uint64_t)s.st_ino, false));
    operation *const o = add(S_ISDIR(s.st_mode) ? SYNC_FOLDER : SYNC);
    snprintf(o->from, NAME, "%s", name);
    o->file = o->kind == SYNC ? file_of((uint64_t)s.st_ino, false) : -1;
}

static void record_size(int64_t file, int64_t bytes)
{
    operation *const o = add(SIZE);
    o->file = file;
    o->bytes = bytes;
}

static void record_open(const task *t, const char *path, int flags, int fd)
{
    const char *const name = inside(path);
    if (!name || !(flags & (O_CREAT | O_TRUNC)))
        return;
    const int64_t file = file_of(inode_of_descriptor(t->id, fd), !t->existed);
    if (!t->existed) {
        operation *const o = add(NAMED);
        o->file = file;
        snprintf(o->to, NAME, "%s", name);
    } else if (flags & O_TRUNC) {
        record_size(file, 0);
    }
}

static void record_names(const task *t, kind k, const char *from, const char *to)
{
    struct stat s;
    const char *const a = inside(from), *const b = to ? inside(to) : NULL;
    (void)t;
    if (!a && !b)
        return;
    if (!a || (to && !b))
        stop("a name leaves the folder", from);
    operation *const o = add(k);
    o->file = to && stat(to, &s) == 0 ? file_of((uint64_t)s.st_ino, false) : -1;
    snprintf(o->from, NAME, "%s", a);
    snprintf(o->to, NAME, "%s", b ? b : "");
}

static bool is_open(uint64_t call)
{
#ifdef SYS_open
    if (call == SYS_open || call == SYS_creat)
        return true;
#endif
    return call == SYS_openat;
}

static void open_arguments(const task *t, int *at, uint64_t *name, int *flags)
{
    const bool relative = t->call == SYS_openat;
    *at = relative ? (int)t->argument[0] : AT_FDCWD;
    *name = t->argument[relative];
    *flags = (int)t->argument[1 + relative];
}

static void begin_call(task *t, const struct __ptrace_syscall_info *i)
{
    int at, flags;
    uint64_t name;
    char path[PATH_MAX];
    t->call = i->entry.nr;
    for (int n = 0; n < 6; n++)
        t->argument[n] = i->entry.args[n];
    if (!is_open(t->call))
        return;
    open_arguments(t, &at, &name, &flags);
    take_path(t->id, at, name, path);
    t->existed = is_there(path);
}

static void end_names(const task *t)
{
    char from[PATH_MAX], to[PATH_MAX];
    const uint64_t *a = t->argument;
    switch (t->call) {
#ifdef SYS_rename
    case SYS_rename:
        take_path(t->id, AT_FDCWD, a[0], from);
        take_path(t->id, AT_FDCWD, a[1], to);
        record_names(t, RENAMED, from, to);
        break;
    case SYS_unlink:
    case SYS_rmdir:
        take_path(t->id, AT_FDCWD, a[0], from);
        record_names(t, REMOVED, from, NULL);
        break;
    case SYS_mkdir:
        take_path(t->id, AT_FDCWD, a[0], from);
        record_names(t, FOLDER, from, NULL);
        break;
    case SYS_link:
        take_path(t->id, AT_FDCWD, a[0], from);
        take_path(t->id, AT_FDCWD, a[1], to);
        record_names(t, NAMED, from, to);
        break;
#endif
    case SYS_renameat:
    case SYS_renameat2:
        take_path(t->id, (int)a[0], a[1], from);
        take_path(t->id, (int)a[2], a[3], to);
        record_names(t, RENAMED, from, to);
        break;
    case SYS_unlinkat:
        take_path(t->id, (int)a[0], a[1], from);
        record_names(t, REMOVED, from, NULL);
        break;
    case SYS_mkdirat:
        take_path(t->id, (int)a[0], a[1], from);
        record_names(t, FOLDER, from, NULL);
        break;
    case SYS_linkat:
        take_path(t->id, (int)a[0], a[1], from);
        take_path(t->id, (int)a[2], a[3], to);
        record_names(t, NAMED, from, to);
        break;
    default: break;
    }
}

static void end_call(const task *t, int64_t result)
{
    char path[PATH_MAX];
    int at, flags;
    uint64_t name;
    if (result < 0 && result > -4096)
        return;
    if (is_open(t->call)) {
        open_arguments(t, &at, &name, &flags);
        take_path(t->id, at, name, path);
        record_open(t, path, flags, (int)result);
        return;
    }
    switch (t->call) {
    case SYS_write:
        record_write(t, position(t->id, (int)t->argument[0]) - result, t->argument[1],
                     result);
        break;
    case SYS_pwrite64:
        record_write(t, (int64_t)t->argument[3], t->argument[1], result);
        break;
    case SYS_writev:
        record_vector(t, position(t->id, (int)t->argument[0]) - result, result);
        break;
    case SYS_pwritev: record_vector(t, (int64_t)t->argument[3], result); break;
    case SYS_ftruncate:
        descriptor_path(t->id, (int)t->argument[0], path);
        if (inside(path))
            record_size(file_of(inode_of_descriptor(t->id, (int)t->argument[0]), false),
                        (int64_t)t->argument[1]);
        break;
    case SYS_fsync:
    case SYS_fdatasync: record_sync(t); break;
    case SYS_mmap: record_mapping(t, (uint64_t)result); break;
    case SYS_msync: record_mapping_sync(t); break;
    default: end_names(t);
    }
}

static task tasks[256];

static task *task_of(pid_t id)
{
    for (size_t n = 0; n < sizeof tasks / sizeof *tasks; n++)
        if (tasks[n].id == id || tasks[n].id == 0) {
            tasks[n].id = id;
            return &tasks[n];
        }
    stop("too many threads", "");
    return NULL;
}

static void forget_task(pid_t id)
{
    for (size_t n = 0; n < sizeof tasks / sizeof *tasks; n++)
        if (tasks[n].id == id)
            tasks[n].id = -1;
    for (size_t n = 0; n < sizeof tasks / sizeof *tasks; n++)
        if (tasks[n].id == -1) {
            memmove(&tasks[n], &tasks[n + 1],
                    (sizeof tasks / sizeof *tasks - n - 1) * sizeof *tasks);
            memset(&tasks[sizeof tasks / sizeof *tasks - 1], 0, sizeof *tasks);
        }
}

/* Files present before the command, in the order of their names. */
static void know_files(const char *folder)
{
    struct dirent **entry;
    const int found = scandir(folder, &entry, NULL, alphasort);
    for (int n = 0; n < found; n++) {
        char path[PATH_MAX];
        struct stat s;
        snprintf(path, sizeof path, "%s/%s", folder, entry[n]->d_name);
        if (strcmp(entry[n]->d_name, ".") != 0 && strcmp(entry[n]->d_name, "..") != 0 &&
            lstat(path, &s) == 0) {
            if (S_ISDIR(s.st_mode))
                know_files(path);
            else
                (void)file_of((uint64_t)s.st_ino, true);
        }
        free(entry[n]);
    }
    if (found >= 0)
        free(entry);
}

static int trace(pid_t first)
{
    int state, code = 2;
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                         PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC |
                         PTRACE_O_EXITKILL;
    if (waitpid(first, &state, 0) != first ||
        ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)options) != 0)
        stop("cannot trace", strerror(errno));
    (void)ptrace(PTRACE_SYSCALL, first, NULL, NULL);
    for (pid_t id; (id = waitpid(-1, &state, __WALL)) > 0;) {
        int signal = 0;
        if (WIFEXITED(state) || WIFSIGNALED(state)) {
            code = id == first ? (WIFEXITED(state) ? WEXITSTATUS(state) : 2) : code;
            forget_task(id);
            continue;
        }
        if (WSTOPSIG(state) == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info i;
            task *const t = task_of(id);
            (void)ptrace(PTRACE_GET_SYSCALL_INFO, id, (void *)sizeof i, &i);
            if (i.op == PTRACE_SYSCALL_INFO_ENTRY)
                begin_call(t, &i);
            else if (i.op == PTRACE_SYSCALL_INFO_EXIT)
                end_call(t, i.exit.rval);
        } else if (WSTOPSIG(state) != SIGTRAP && WSTOPSIG(state) != SIGSTOP) {
            signal = WSTOPSIG(state);
        }
        (void)ptrace(PTRACE_SYSCALL, id, NULL, (void *)(intptr_t)signal);
    }
    return code;
}

static int record(const char *log, const char *folder, char **command)
{
    if (!realpath(folder, root))
        stop("is no folder", folder);
    know_files(root);
    const pid_t child = fork();
    if (child == 0) {
        (void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        (void)raise(SIGSTOP);
        (void)execvp(command[0], command);
        _exit(127);
    }
    const int code = trace(child);
    save(log);
    return code;
}

/* ---- states ------------------------------------------------------------------------ */

/* The applied part of the first `length` operations: all of them (EVERY), or a selection
 * (see `applies`). */
typedef struct choice {
    int length;
    enum how { EVERY, NONE, BUT_ONE, ONE_ALONE, HALF } how;
    int which;
} choice;

static void folder_of(const char *name, char folder[NAME])
{
    snprintf(folder, NAME, "%s", name);
    char *const slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    else
        snprintf(folder, NAME, ".");
}

static bool is_name(kind k)
{
    return k == NAMED || k == RENAMED || k == REMOVED || k == FOLDER;
}

/* True if a later sync before the crash holds operation n. */
static bool is_synced(int n, int length)
{
    char folder[NAME];
    const operation *const o = &all[n];
    folder_of(o->to[0] ? o->to : o->from, folder);
    for (int k = n + 1; k < length; k++) {
        if ((o->kind == WRITE || o->kind == SIZE) && all[k].kind == SYNC &&
            all[k].file == o->file)
            return true;
        if (is_name(o->kind) && all[k].kind == SYNC_FOLDER &&
            strcmp(all[k].from, folder) == 0)
            return true;
    }
    return false;
}

static bool is_pending(int n, int length)
{
    return all[n].kind != SYNC && all[n].kind != SYNC_FOLDER && !is_synced(n, length);
}

static bool applies(const choice *c, int n)
{
    if (!is_pending(n, c->length))
        return true;
    switch (c->how) {
    case NONE: return false;
    case BUT_ONE: return n != c->which;
    case ONE_ALONE: return n == c->which;
    default: return true;
    }
}

/* The files of a state: their bytes and their names. */
typedef struct content {
    char *data;
    int64_t bytes;
} content;
typedef struct name {
    char path[NAME];
    int64_t file; /* -1: a folder */
} name;
static content contents[MOST];
static name names[MOST];
static int named;

static void resize(content *c, int64_t bytes)
{
    if (bytes > c->bytes) {
        c->data = need(realloc(c->data, (size_t)bytes + 1));
        memset(c->data + c->bytes, 0, (size_t)(bytes - c->bytes));
    }
    c->bytes = bytes;
}

static void remove_name(const char *path)
{
    for (int n = 0; n < named; n++)
        if (strcmp(names[n].path, path) == 0)
            names[n--] = names[--named];
}

static void add_name(const char *path, int64_t file)
{
    remove_name(path);
    if (named == MOST)
        stop("too many names", "");
    names[named].file = file;
    snprintf(names[named++].path, NAME, "%s", path);
}

static void apply(const operation *o, int64_t bytes)
{
    switch (o->kind) {
    case WRITE:
        if (o->at + bytes > contents[o->file].bytes)
            resize(&contents[o->file], o->at + bytes);
        memcpy(contents[o->file].data + o->at, o->data, (size_t)bytes);
        break;
    case SIZE: resize(&contents[o->file], o->bytes); break;
    case NAMED: add_name(o->to, o->file); break;
    case RENAMED:
        remove_name(o->from);
        add_name(o->to, o->file);
        break;
    case REMOVED: remove_name(o->from); break;
    case FOLDER: add_name(o->from, -1); break;
    default: break;
    }
}

/* Reads the folder of before into the model; numbers files as know_files does. */
static void take_before(const char *folder, const char *below)
{
    struct dirent **entry;
    const int found = scandir(folder, &entry, NULL, alphasort);
    for (int n = 0; n < found; n++) {
        char path[PATH_MAX], own[NAME];
        struct stat s;
        const char *const given = entry[n]->d_name;
        snprintf(path, sizeof path, "%s/%s", folder, given);
        snprintf(own, sizeof own, "%s%s%s", below, *below ? "/" : "", given);
        if (strcmp(given, ".") == 0 || strcmp(given, "..") == 0 || lstat(path, &s) != 0) {
            free(entry[n]);
            continue;
        }
        add_name(own, S_ISDIR(s.st_mode) ? -1 : files);
        if (S_ISDIR(s.st_mode)) {
            take_before(path, own);
        } else {
            content *const c = &contents[files++];
            FILE *const f = fopen(path, "rb");
            resize(c, s.st_size);
            if (!f || (s.st_size > 0 && fread(c->data, (size_t)s.st_size, 1, f) != 1))
                stop("cannot be read", path);
            fclose(f);
        }
        free(entry[n]);
    }
    if (found >= 0)
        free(entry);
}

static void make_model(const char *before, const choice *c)
{
    for (int n = 0; n < MOST; n++) {
        free(contents[n].data);
        contents[n] = (content){0};
    }
    named = 0;
    files = 0;
    take_before(before, "");
    for (int n = 0; n < c->length; n++)
        if (applies(c, n))
            apply(&all[n],
                  c->how == HALF && n == c->which ? all[n].bytes / 2 : all[n].bytes);
}

static uint64_t add_hash(uint64_t h, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    for (size_t n = 0; n < length; n++)
        h = (h ^ at[n]) * 1099511628211u;
    return h;
}

/* Independent of the order of names. */
static uint64_t hash_model(void)
{
    uint64_t sum = 0;
    for (int n = 0; n < named; n++) {
        uint64_t h = add_hash(14695981039346656037u, names[n].path,
                              strlen(names[n].path));
        if (names[n].file >= 0)
            h = add_hash(h, contents[names[n].file].data,
                         (size_t)contents[names[n].file].bytes);
        sum += h * h;
    }
    return sum;
}

static choice found_choice[1 << 16];
static uint64_t found_hash[1 << 16];
static int found;

static void consider(const char *before, choice c)
{
    make_model(before, &c);
    const uint64_t h = hash_model();
    for (int n = 0; n < found; n++)
        if (found_hash[n] == h)
            return;
    if (found == 1 << 16)
        stop("too many states", "");
    found_choice[found] = c;
    found_hash[found++] = h;
}

static void find_states(const char *before)
{
    for (int length = 0; length <= count; length++) {
        consider(before, (choice){length, EVERY, -1});
        consider(before, (choice){length, NONE, -1});
        for (int n = 0; n < length; n++)
            if (is_pending(n, length)) {
                consider(before, (choice){length, BUT_ONE, n});
                consider(before, (choice){length, ONE_ALONE, n});
            }
        if (length > 0 && all[length - 1].kind == WRITE)
            consider(before, (choice){length, HALF, length - 1});
    }
}

static void write_model(const char *out)
{
    char path[PATH_MAX];
    if (mkdir(out, 0777) != 0)
        stop("cannot be made", out);
    for (int pass = 0; pass < 2; pass++) /* folders first, the shortest names first */
        for (size_t length = 1; length < NAME; length++)
            for (int n = 0; n < named; n++) {
                if (strlen(names[n].path) != length || (names[n].file < 0) != (pass == 0))
                    continue;
                snprintf(path, sizeof path, "%s/%s", out, names[n].path);
                if (pass == 0 && mkdir(path, 0777) != 0)
                    stop("cannot be made", path);
                if (pass == 0)
                    continue;
                FILE *const f = fopen(path, "wb");
                const content *const c = &contents[names[n].file];
                if (!f && errno == ENOENT)
                    continue; /* its folder is not on the disk */
                if (!f ||
                    (c->bytes > 0 && fwrite(c->data, (size_t)c->bytes, 1, f) != 1) ||
                    fclose(f) != 0)
                    stop("cannot be written", path);
            }
}

int main(int arguments, char **argument)
{
    if (arguments >= 5 && strcmp(argument[1], "record") == 0)
        return record(argument[2], argument[3], argument + 4);
    if (arguments < 4)
        stop(
            "usage: crash_states record LOG FOLDER COMMAND... | states LOG BEFORE | make "
            "LOG BEFORE N OUT",
            "");
    load(argument[2]);
    find_states(argument[3]);
    if (strcmp(argument[1], "states") == 0) {
        printf("%d\n", found);
        return 0;
    }
    const int n = arguments == 6 ? atoi(argument[4]) : -1;
    if (n < 0 || n >= found)
        stop("there is no such state", "");
    make_model(argument[3], &found_choice[n]);
    write_model(argument[5]);
    fprintf(stderr, "after %d of %d operations: %s %d\n", found_choice[n].length, count,
            (const char *[]){"all", "none", "all but", "alone",
                             "half of"}[found_choice[n].how],
            found_choice[n].which);
    return 0;
}
