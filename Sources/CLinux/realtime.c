#define _GNU_SOURCE
#include "clinux_realtime.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clinux.h"

_Static_assert(SCHED_FIFO == 1 && SCHED_RR == 2, "the constants of the header are those of the kernel");
_Static_assert(RLIM_INFINITY == UINT64_MAX, "no limit is UINT64_MAX");

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

static int resource(clinux_limit limit) {
  switch (limit) {
    case CLINUX_LIMIT_PRIORITY: return RLIMIT_RTPRIO;
    case CLINUX_LIMIT_RUNTIME: return RLIMIT_RTTIME;
    case CLINUX_LIMIT_LOCKED: return RLIMIT_MEMLOCK;
    case CLINUX_LIMIT_FILES: return RLIMIT_NOFILE;
  }
  return -1;
}

int clinux_get_limit(clinux_limit limit, uint64_t *soft, uint64_t *hard) {
  struct rlimit value;
  if (getrlimit(resource(limit), &value) < 0) return -1;
  *soft = value.rlim_cur;
  *hard = value.rlim_max;
  return 0;
}

int clinux_set_limit(clinux_limit limit, uint64_t soft, uint64_t hard) {
  struct rlimit value = {.rlim_cur = soft, .rlim_max = hard};
  return setrlimit(resource(limit), &value);
}

// Of the thread that is guarded. The signal comes to the thread that has used up its time, unless that one blocks it.
static _Thread_local int guard_report = -1;
static atomic_int demotions;

static void take_priority_back(int signal) {
  int error = errno, policy, priority;
  if (clinux_scheduling(0, &policy, &priority) == 0 && policy != SCHED_OTHER) {
    // Counted first: who finds a thread without its priority is to find the reason, too.
    atomic_fetch_add_explicit(&demotions, 1, memory_order_seq_cst);
    struct sched_param parameters = {.sched_priority = 0};
    sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameters);
    if (guard_report >= 0) clinux_eventfd_signal(guard_report);
  } else {
    // Not for a real-time thread: RLIMIT_CPU, or somebody's kill. What it would have done without us, it does.
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
    struct sigaction guard = {.sa_handler = take_priority_back, .sa_flags = SA_RESTART};
    sigaction(SIGXCPU, &guard, NULL);
  }
  // What a fault raises is delivered all the same, as the kernel cannot hold it back.
  sigset_t blocked;
  sigfillset(&blocked);
  sigdelset(&blocked, SIGXCPU);
  pthread_sigmask(SIG_SETMASK, &blocked, NULL);
}

int clinux_demotions(void) { return atomic_load_explicit(&demotions, memory_order_seq_cst); }

int clinux_stack(void **lowest, size_t *bytes) {
  pthread_attr_t attributes;
  int error = pthread_getattr_np(pthread_self(), &attributes);
  if (error) return error;
  error = pthread_attr_getstack(&attributes, lowest, bytes);
  pthread_attr_destroy(&attributes);
  return error;
}
