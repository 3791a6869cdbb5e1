#define _GNU_SOURCE
#include "clinux_realtime.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clinux.h"

_Static_assert(SCHED_FIFO == 1 && SCHED_RR == 2, "the constants of the header are those of the kernel");

int clinux_set_realtime(pid_t thread, int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return sched_setscheduler(thread, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) < 0 ? errno : 0;
}

int clinux_scheduling(pid_t thread, int *policy, int *priority) {
  struct sched_param parameters;
  int current = sched_getscheduler(thread);
  if (current < 0 || sched_getparam(thread, &parameters) < 0) return errno;
  *policy = current & ~SCHED_RESET_ON_FORK;
  *priority = parameters.sched_priority;
  return 0;
}

// The `report` of this thread, if it is guarded. The kernel sends SIGXCPU to the thread that ran too long, unless it blocks it.
static _Thread_local int guard_report = -1;
static atomic_int demotions;

static void give_up_priority(int signal) {
  int error = errno, policy, priority;
  if (clinux_scheduling(0, &policy, &priority) == 0 && policy != SCHED_OTHER) {
    // Counts first, so that a thread that sees the priority lost also sees the reason.
    atomic_fetch_add_explicit(&demotions, 1, memory_order_seq_cst);
    struct sched_param parameters = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameters);
    if (guard_report >= 0) clinux_eventfd_signal(guard_report);
  } else {
    // The cause is RLIMIT_CPU or kill(1), not a real-time thread. So the signal does what it does by default.
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(signal, &usual, NULL);
    raise(signal);
  }
  errno = error;
}

void clinux_guard_realtime(int report) {
  guard_report = report;
  struct sigaction present;
  if (sigaction(SIGXCPU, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_DFL) {
    struct sigaction guard = {.sa_handler = give_up_priority, .sa_flags = SA_RESTART};
    sigaction(SIGXCPU, &guard, NULL);
  }
  // The kernel delivers the signals of the thread's own faults nevertheless.
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGXCPU);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

int clinux_demotions(void) { return atomic_load_explicit(&demotions, memory_order_seq_cst); }

static int64_t monotonic(void *context) {
  (void)context;
  return clinux_monotonic();
}

static int sleep_until(void *context, int64_t time, int watched) {
  const clinux_sleep_descriptors *own = context;
  // Setting the timer resets an expiry that was not read yet.
  if (time != 0) clinux_timerfd_set(own->timer, (uint64_t)time);
  int woken = clinux_wait_for_any(time != 0 ? own->timer : -1, own->wake, watched);
  if (woken & 2) clinux_drain(own->wake);
  return (woken & 4) != 0;
}

clinux_timekeeper clinux_timekeeper_of(const clinux_sleep_descriptors *descriptors) {
  return (clinux_timekeeper){(void *)descriptors, monotonic, sleep_until};
}

struct libraries {
  const char *const *words;
  size_t count;
  int locks;
  size_t bytes;
};

static void populate(char *start, char *end, int locks) {
  // MADV_POPULATE_READ, since Linux 5.14.
  if (madvise(start, (size_t)(end - start), 22) != 0) {
    for (char *page = start; page < end; page += sysconf(_SC_PAGESIZE)) *(volatile char *)page;
  }
  if (locks) mlock(start, (size_t)(end - start));
}

static int populate_library(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)size;
  struct libraries *wanted = argument;
  int isWanted = 0;
  for (size_t i = 0; i < wanted->count; i++) isWanted |= strstr(info->dlpi_name, wanted->words[i]) != NULL;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; isWanted && i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_R) || header->p_filesz == 0) continue;
    // Only the part that comes from the file, because the rest of the segment is ordinary memory.
    uintptr_t start = (info->dlpi_addr + header->p_vaddr) & ~(page - 1);
    uintptr_t end = (info->dlpi_addr + header->p_vaddr + header->p_filesz + page - 1) & ~(page - 1);
    populate((char *)start, (char *)end, wanted->locks);
    wanted->bytes += end - start;
  }
  return 0;
}

size_t clinux_populate_libraries(const char *const *words, size_t count, int locks) {
  struct libraries wanted = {words, count, locks, 0};
  dl_iterate_phdr(populate_library, &wanted);
  return wanted.bytes;
}

static int sleep_plainly(void *context, int64_t time, int watched) {
  (void)context, (void)watched;
  struct timespec until = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
  return 0;
}

clinux_timekeeper clinux_plain_timekeeper(void) { return (clinux_timekeeper){NULL, monotonic, sleep_plainly}; }

int clinux_join(unsigned long thread, int64_t nanoseconds) {
#if __has_feature(thread_sanitizer)
  // The sanitizer does not know pthread_clockjoin_np. It would take a new thread at the same address for the old one, and end.
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  int64_t time = now.tv_sec * 1000000000 + now.tv_nsec + nanoseconds;
#else
  int64_t time = clinux_monotonic() + nanoseconds;
#endif
  struct timespec until = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
#if __has_feature(thread_sanitizer)
  return pthread_timedjoin_np(thread, NULL, &until);
#else
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until);
#endif
}

int clinux_stack(void **lowest, size_t *bytes) {
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) return error;
  error = pthread_attr_getstack(&attributes, lowest, bytes);
  pthread_attr_destroy(&attributes);
  return error;
}
