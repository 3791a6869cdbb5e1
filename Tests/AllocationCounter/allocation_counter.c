#define _GNU_SOURCE
#include "allocation_counter.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)

int allocation_counter_is_active(void) { return 0; }
uint64_t allocation_counter_of_this_thread(void) { return 0; }
uint64_t allocation_counter_of_thread(pid_t thread) {
  (void)thread;
  return 0;
}
uint64_t allocation_counter_bytes_in_use(void) { return 0; }

#else

// One entry per thread, taken at its first allocation and kept. The last entry is shared by all later threads, so
// there are more entries than a whole test run has threads. Pages that no thread uses cost nothing.
enum { entries = 1 << 18 };
static struct {
  _Atomic(pid_t) thread;
  _Atomic(uint64_t) count;
} table[entries];
static atomic_int used;
static __thread int mine __attribute__((tls_model("initial-exec"))) = -1;

static void count(void) {
  if (mine < 0) {
    int next = atomic_fetch_add(&used, 1);
    mine = next < entries ? next : entries - 1;
    atomic_store(&table[mine].thread, gettid());
  }
  atomic_fetch_add_explicit(&table[mine].count, 1, memory_order_relaxed);
}

int allocation_counter_is_active(void) { return 1; }

uint64_t allocation_counter_of_this_thread(void) { return mine < 0 ? 0 : atomic_load(&table[mine].count); }

uint64_t allocation_counter_of_thread(pid_t thread) {
  int taken = atomic_load(&used);
  // From the newest on, because the kernel uses the number of an ended thread again.
  for (int i = taken < entries ? taken : entries; i-- > 0;)
    if (atomic_load(&table[i].thread) == thread) return atomic_load(&table[i].count);
  return 0;
}

uint64_t allocation_counter_bytes_in_use(void) { return mallinfo2().uordblks; }

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
  count();
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *made = memalign(alignment, size);
  if (made == NULL) return ENOMEM;
  *out = made;
  return 0;
}

#endif
