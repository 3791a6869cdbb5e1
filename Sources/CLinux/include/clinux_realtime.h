/// Real-time priority: calls to the kernel and to RealtimeKit.
#ifndef CLINUX_REALTIME_H
#define CLINUX_REALTIME_H

#include <stdint.h>
#include <sys/types.h>

#include "clinux.h"

/// Gives a thread of this process, by its id in the kernel, SCHED_FIFO | SCHED_RESET_ON_FORK. Returns an errno, 0 on success.
int clinux_set_realtime(pid_t thread, int priority);

/// The policies of sched_getscheduler, without SCHED_RESET_ON_FORK.
static const int CLINUX_POLICY_FIFO = 1, CLINUX_POLICY_ROUND_ROBIN = 2;
/// Reads a thread's policy and its priority within that policy. Returns an errno, 0 on success.
int clinux_scheduling(pid_t thread, int *policy, int *priority);

/// Prepares the calling thread for real-time priority. It blocks all signals but SIGXCPU, which the kernel sends if the
/// thread runs for longer than RLIMIT_RTTIME without a sleep. The handler gives the thread ordinary priority, adds 1 to
/// `clinux_demotions` and signals the eventfd `report`. If the process has a handler for SIGXCPU already, it stays.
void clinux_guard_realtime(int report);
/// How many threads of this process have lost their priority through SIGXCPU.
int clinux_demotions(void);

/// A clock and a sleep by it. `clinux_timekeeper_of` returns the kernel's. Tests pass a clock that they move by hand.
typedef struct {
  void *context;
  int64_t (*now)(void *context);
  int (*sleep)(void *context, int64_t time, int watched);
} clinux_timekeeper;

/// What the kernel's timekeeper needs: a timerfd on CLOCK_MONOTONIC, and an eventfd that ends a sleep.
typedef struct {
  int timer, wake;
} clinux_sleep_descriptors;

/// CLOCK_MONOTONIC. The descriptors must outlive the timekeeper.
clinux_timekeeper clinux_timekeeper_of(const clinux_sleep_descriptors *descriptors);

/// CLOCK_MONOTONIC and a sleep (clock_nanosleep) that only its time ends. For threads without real-time priority.
clinux_timekeeper clinux_plain_timekeeper(void);

/// The time in nanoseconds.
RT_SAFE static inline int64_t clinux_now(clinux_timekeeper keeper) { return keeper.now(keeper.context); }
/// Sleeps until a time (0: for ever), until the eventfd is signalled, or until a signal comes. Empties the eventfd.
///
/// An error or a hang-up of the descriptor `watched` (-1: none) also ends the sleep. Returns 1 if that happened, else 0.
RT_SAFE static inline int clinux_sleep(clinux_timekeeper keeper, int64_t time, int watched) {
  return keeper.sleep(keeper.context, time, watched);
}

/// Waits for the end of a thread, at most for `nanoseconds` (pthread_clockjoin_np). Returns ETIMEDOUT if it has not ended.
///
/// `thread` is a pthread_t. Its own name would need pthread.h, which brings the calendar's types into this module.
int clinux_join(unsigned long thread, int64_t nanoseconds);

/// Reads the lowest address and the size of the calling thread's stack. Returns an errno, 0 on success.
int clinux_stack(void **lowest, size_t *bytes);

/// Reads the code and data of loaded libraries into memory, so that the audio thread causes no page fault by using them.
///
/// It reads those libraries whose paths contain one of the words (madvise with MADV_POPULATE_READ, or a read of each page).
/// With `locks` it also locks them (mlock), as far as the kernel allows. Returns their size in bytes. Never call it on the
/// audio thread.
size_t clinux_populate_libraries(const char *const *words, size_t count, int locks);

/// The result of asking RealtimeKit.
typedef enum {
  CLINUX_RTKIT_GRANTED,
  /// RealtimeKit, the system bus or libsystemd, which speaks D-Bus, is missing.
  CLINUX_RTKIT_ABSENT,
  /// RealtimeKit refused.
  CLINUX_RTKIT_REFUSED,
  /// RealtimeKit did not answer in time.
  CLINUX_RTKIT_SILENT,
  CLINUX_RTKIT_FAILED,
} clinux_rtkit_result;

/// Asks RealtimeKit (org.freedesktop.RealtimeKit1) to make a thread of this process real-time. `priority` is the wanted
/// priority; it becomes RealtimeKit's highest if that is lower. If RealtimeKit refuses, `reason` says why.
///
/// First it calls `limit_runtime` with the highest RLIMIT_RTTIME that RealtimeKit accepts, in microseconds. That function lowers
/// the limit and returns an errno; ECANCELED if it must not. All calls over D-Bus together take at most `nanoseconds`. They
/// use libsystemd's sd-bus, which is loaded for them.
clinux_rtkit_result clinux_rtkit_promote(
    pid_t thread, int *priority, int64_t nanoseconds, int (*limit_runtime)(int64_t), char *reason, size_t room);

#endif
