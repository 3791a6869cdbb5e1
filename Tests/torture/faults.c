// Is loaded before libc into soundd (LD_PRELOAD). After `main` has begun it counts the calls named below, and fails one or some:
//
//   TORTURE_COUNTS  a file that two processes share: a counter for each name, then whether the fault has happened
//   TORTURE_CALL    the name whose call fails
//   TORTURE_AT      which of its calls, from 1
//   TORTURE_TIMES   how many in a row
//   TORTURE_ERRNO   with what error
//   TORTURE_FOLDER  below this folder, changes of files are written into
//   TORTURE_LOG     this file, as `session` reads them
//
// Apart from memory, only calls of the program itself count: what a library does with its own failures is its own affair.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// The order is also that of the counters; `session.py` reads the names from here.
#define SYSTEM_CALLS(X) \
  X(malloc) X(open) X(read) X(write) X(epoll_ctl) X(inotify_add_watch) X(timerfd_settime) X(fsync) X(rename) X(mmap) X(pthread_create)
#define PCM_CALLS(X) \
  X(snd_pcm_open) X(snd_pcm_close) X(snd_pcm_poll_descriptors_count) X(snd_pcm_poll_descriptors) X(snd_pcm_avail) \
  X(snd_pcm_htimestamp) X(snd_pcm_delay) X(snd_pcm_prepare) X(snd_pcm_start) X(snd_pcm_drop) X(snd_pcm_rewind) \
  X(snd_pcm_writei) X(snd_pcm_mmap_begin) X(snd_pcm_mmap_commit) X(snd_pcm_info_malloc) X(snd_pcm_info) \
  X(snd_pcm_hw_params_malloc) X(snd_pcm_hw_params_any) X(snd_pcm_hw_params) X(snd_pcm_hw_params_set_access) \
  X(snd_pcm_hw_params_set_format) X(snd_pcm_hw_params_set_channels_near) X(snd_pcm_hw_params_set_rate_near) \
  X(snd_pcm_hw_params_set_period_size_near) X(snd_pcm_hw_params_set_buffer_size_near) X(snd_pcm_hw_params_get_period_size) \
  X(snd_pcm_hw_params_get_buffer_size) X(snd_pcm_sw_params_malloc) X(snd_pcm_sw_params_current) X(snd_pcm_sw_params) \
  X(snd_pcm_sw_params_get_boundary) X(snd_pcm_sw_params_set_avail_min) X(snd_pcm_sw_params_set_start_threshold) \
  X(snd_pcm_sw_params_set_stop_threshold) X(snd_pcm_sw_params_set_tstamp_mode) X(snd_pcm_sw_params_set_tstamp_type)

#define INDEX(name) index_##name,
enum { SYSTEM_CALLS(INDEX) PCM_CALLS(INDEX) calls };
#define NAME(name) #name,
static const char *const names[] = {SYSTEM_CALLS(NAME) PCM_CALLS(NAME)};

// MARK: Counting

// Private until the file is there.
static _Atomic uint64_t own[calls + 1];
static _Atomic uint64_t *counters = own;
static atomic_int counts;
static int failing = -1, failure;
static uint64_t failing_at, failing_times;
static uintptr_t program_start, program_end;

/// Whether this call is to fail. Sets errno if so.
static int fails(int call, void *caller) {
  if (!atomic_load_explicit(&counts, memory_order_relaxed)) return 0;
  uintptr_t place = (uintptr_t)caller;
  if (call != index_malloc && (place < program_start || place >= program_end)) return 0;
  uint64_t number = atomic_fetch_add_explicit(&counters[call], 1, memory_order_relaxed) + 1;
  if (call != failing || number < failing_at || number - failing_at >= failing_times) return 0;
  atomic_store(&counters[calls], 1);
  errno = failure;
  return 1;
}

#define FAILS(name) fails(index_##name, __builtin_return_address(0))

/// The next function of a name. Stays valid, because nobody unloads a library.
static void *next_of(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (function == NULL) abort();
  return function;
}

#define NEXT(type, name, parameters) \
  static type(*_Atomic real) parameters; \
  type(*next) parameters = atomic_load_explicit(&real, memory_order_relaxed); \
  if (next == NULL) { \
    void *found = next_of(#name); \
    memcpy(&next, &found, sizeof next); \
    atomic_store_explicit(&real, next, memory_order_relaxed); \
  }

// MARK: Memory

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *malloc(size_t size) { return FAILS(malloc) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FAILS(malloc) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return FAILS(malloc) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t alignment, size_t size) { return FAILS(malloc) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (FAILS(malloc)) return failure;
  void *new = __libc_memalign(alignment, size);
  if (new != NULL) *memory = new;
  return new != NULL ? 0 : ENOMEM;
}
void *mmap(void *place, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (FAILS(mmap)) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, place, size, protection, flags, descriptor, offset);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  if (FAILS(pthread_create)) return failure;
  NEXT(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))
  return next(thread, attributes, run, argument);
}

// MARK: What changes files

static int log_descriptor = -1;
static char log_folder[PATH_MAX];
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

static int is_logged(const char *path) {
  size_t length = strlen(log_folder);
  return log_descriptor >= 0 && strncmp(path, log_folder, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/// The path of a descriptor below the folder; NULL if it is elsewhere.
static const char *logged_path(int descriptor, char *path) {
  if (log_descriptor < 0) return NULL;
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return is_logged(path) ? path : NULL;
}

/// Appends an operation: a line of its name, the inode and one or two paths, then the bytes that were written.
static void note(const char *operation, unsigned long inode, const char *path, const char *other, const void *bytes, size_t count) {
  pthread_mutex_lock(&log_lock);
  dprintf(log_descriptor, "%s\t%lu\t%s\t%s\t%zu\n", operation, inode, path, other, count);
  if (count > 0) syscall(SYS_write, log_descriptor, bytes, count);
  pthread_mutex_unlock(&log_lock);
}

static unsigned long inode_of(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 ? (unsigned long)status.st_ino : 0;
}

static int opened(int descriptor, const char *path, int flags) {
  if (descriptor >= 0 && flags & O_CREAT && is_logged(path)) note("create", inode_of(descriptor), path, "", NULL, 0);
  return descriptor;
}

#define MODE \
  mode_t mode = 0; \
  if (flags & (O_CREAT | O_TMPFILE)) { \
    va_list rest; \
    va_start(rest, flags); \
    mode = va_arg(rest, mode_t); \
    va_end(rest); \
  }

int open(const char *path, int flags, ...) {
  MODE
  if (FAILS(open)) return -1;
  return opened((int)syscall(SYS_openat, AT_FDCWD, path, flags, mode), path, flags);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE
  if (FAILS(open)) return -1;
  return opened((int)syscall(SYS_openat, folder, path, flags, mode), path, flags);
}
ssize_t read(int descriptor, void *bytes, size_t count) {
  if (FAILS(read)) return -1;
  return syscall(SYS_read, descriptor, bytes, count);
}
ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (FAILS(write)) return -1;
  ssize_t written = syscall(SYS_write, descriptor, bytes, count);
  char path[PATH_MAX];
  if (written > 0 && logged_path(descriptor, path)) note("write", inode_of(descriptor), path, "", bytes, (size_t)written);
  return written;
}
int fsync(int descriptor) {
  if (FAILS(fsync)) return -1;
  int result = (int)syscall(SYS_fsync, descriptor);
  char path[PATH_MAX];
  if (result == 0 && logged_path(descriptor, path)) note("fsync", inode_of(descriptor), path, "", NULL, 0);
  return result;
}
int rename(const char *old, const char *new) {
  if (FAILS(rename)) return -1;
  int result = (int)syscall(SYS_renameat2, AT_FDCWD, old, AT_FDCWD, new, 0);
  if (result == 0 && is_logged(new)) note("rename", 0, old, new, NULL, 0);
  return result;
}
int unlink(const char *path) {
  int result = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
  if (result == 0 && is_logged(path)) note("unlink", 0, path, "", NULL, 0);
  return result;
}
int mkdir(const char *path, mode_t mode) {
  int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
  if (result == 0 && is_logged(path)) note("mkdir", 0, path, "", NULL, 0);
  return result;
}

// MARK: The event loop

#define FORWARDED(name, parameters, arguments) \
  int name parameters { \
    if (FAILS(name)) return -1; \
    NEXT(int, name, parameters) \
    return next arguments; \
  }
struct epoll_event;
struct itimerspec;
FORWARDED(epoll_ctl, (int poll, int operation, int descriptor, struct epoll_event *event), (poll, operation, descriptor, event))
FORWARDED(inotify_add_watch, (int inotify, const char *path, uint32_t mask), (inotify, path, mask))
FORWARDED(timerfd_settime, (int timer, int flags, const struct itimerspec *new, struct itimerspec *old), (timer, flags, new, old))

// MARK: ALSA

// soundd looks each function up after it has opened the library, which finds these first. All arguments are words, and all
// results are numbers, of which a negative one is an error.
static void *alsa(const char *name) {
  void *library = dlopen("libasound.so.2", RTLD_NOW | RTLD_NOLOAD);
  void *function = library != NULL ? dlsym(library, name) : NULL;
  if (function == NULL) abort();
  return function;
}

typedef long word;
#define PCM(name) \
  word name(word a, word b, word c, word d, word e, word f) { \
    static word (*_Atomic real)(word, word, word, word, word, word); \
    word (*next)(word, word, word, word, word, word) = atomic_load_explicit(&real, memory_order_relaxed); \
    if (next == NULL) { \
      void *found = alsa(#name); \
      memcpy(&next, &found, sizeof next); \
      atomic_store_explicit(&real, next, memory_order_relaxed); \
    } \
    int is_failure = FAILS(name); \
    /* A PCM is closed even if that fails. */ \
    if (is_failure && index_##name == index_snd_pcm_close) next(a, b, c, d, e, f); \
    return is_failure ? -failure : next(a, b, c, d, e, f); \
  }
PCM_CALLS(PCM)

// MARK: The start

static int at_program(struct dl_phdr_info *object, size_t size, void *unused) {
  (void)size, (void)unused;
  program_start = UINTPTR_MAX;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD) continue;
    uintptr_t start = object->dlpi_addr + header->p_vaddr, end = start + header->p_memsz;
    if (start < program_start) program_start = start;
    if (end > program_end) program_end = end;
  }
  // The first object is the program; the others are not wanted.
  return 1;
}

static int (*program_main)(int, char **, char **);

static int counted_main(int count, char **arguments, char **variables) {
  dl_iterate_phdr(at_program, NULL);
  const char *call = getenv("TORTURE_CALL"), *at = getenv("TORTURE_AT"), *error = getenv("TORTURE_ERRNO"), *times = getenv("TORTURE_TIMES");
  for (int i = 0; call != NULL && i < calls; i++) {
    if (strcmp(call, names[i]) == 0) failing = i;
  }
  failing_at = at != NULL ? strtoull(at, NULL, 10) : 0;
  failing_times = times != NULL ? strtoull(times, NULL, 10) : 1;
  failure = error != NULL ? atoi(error) : EIO;
  const char *file = getenv("TORTURE_COUNTS"), *folder = getenv("TORTURE_FOLDER"), *log = getenv("TORTURE_LOG");
  if (file != NULL) {
    int descriptor = open(file, O_RDWR | O_CLOEXEC);
    void *shared = descriptor >= 0 ? mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) : MAP_FAILED;
    if (shared == MAP_FAILED) abort();
    close(descriptor);
    counters = shared;
  }
  if (folder != NULL && log != NULL) {
    snprintf(log_folder, sizeof log_folder, "%s", folder);
    log_descriptor = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (log_descriptor < 0) abort();
  }
  atomic_store(&counts, 1);
  return program_main(count, arguments, variables);
}

/// Swift's runtime begins before `main` and may not fail there: nothing of soundd is running yet.
int __libc_start_main(
  int (*main)(int, char **, char **), int count, char **arguments, void (*begin)(void), void (*end)(void), void (*unload)(void),
  void *stack) {
  program_main = main;
  NEXT(int, __libc_start_main,
       (int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *))
  return next(counted_main, count, arguments, begin, end, unload, stack);
}
