/// Real-time priority: the calls of the kernel and of RealtimeKit.
#ifndef CLINUX_REALTIME_H
#define CLINUX_REALTIME_H

#include <stdint.h>
#include <sys/types.h>

#include "clinux.h"

/// SCHED_FIFO | SCHED_RESET_ON_FORK for a thread of this process, by its id in the kernel; returns an errno, 0 on success.
int clinux_set_realtime(pid_t thread, int priority);

/// The policies of sched_getscheduler, without SCHED_RESET_ON_FORK.
static const int CLINUX_POLICY_FIFO = 1, CLINUX_POLICY_ROUND_ROBIN = 2;
/// A thread's policy and its priority among those of its policy; returns an errno, 0 on success.
int clinux_scheduling(pid_t thread, int *policy, int *priority);

/// Prepares the calling thread for real-time priority. It blocks all signals but SIGXCPU, which the kernel sends when the
/// thread has run for longer than RLIMIT_RTTIME without a sleep. The handler gives the thread ordinary priority, adds 1 to
/// `clinux_demotions` and signals the eventfd `report`. If the process has a handler for SIGXCPU already, it stays.
void clinux_guard_realtime(int report);
/// How many threads of this process have lost their priority through SIGXCPU.
int clinux_demotions(void);

/// A clock, and a sleep by it. `clinux_timekeeper_of` gives the kernel's; a test gives a clock that it moves itself.
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

/// CLOCK_MONOTONIC, and a sleep (clock_nanosleep) that nothing but its time ends: for threads that are not real-time.
clinux_timekeeper clinux_plain_timekeeper(void);

/// The time in nanoseconds.
RT_SAFE static inline int64_t clinux_now(clinux_timekeeper keeper) { return keeper.now(keeper.context); }
/// Sleeps until a time (0: for ever), until the eventfd is signalled, which empties it, or until a signal comes.
///
/// `watched` is a descriptor whose error or hang-up ends the sleep too; -1: none. Returns 1 if that happened, else 0.
RT_SAFE static inline int clinux_sleep(clinux_timekeeper keeper, int64_t time, int watched) {
  return keeper.sleep(keeper.context, time, watched);
}

/// Waits for the end of a thread, at most for so many nanoseconds (pthread_clockjoin_np). Returns ETIMEDOUT if it has not ended;
/// otherwise the thread is gone. `thread` is a pthread_t: pthread.h would bring the calendar's types into this module.
int clinux_join(unsigned long thread, int64_t nanoseconds);

/// The calling thread's stack: its lowest address and its size; returns an errno, 0 on success.
int clinux_stack(void **lowest, size_t *bytes);

/// Brings the code and the data of loaded libraries into memory (madvise with MADV_POPULATE_READ, or a read of each page), so that
/// their first use on the audio thread causes no page fault: those whose paths contain one of the words. `locks`: also
/// locks them there (mlock), as far as the kernel allows. Returns how many bytes they have. Not for the audio thread.
size_t clinux_populate_libraries(const char *const *words, size_t count, int locks);

/// The result of asking RealtimeKit.
typedef enum {
  CLINUX_RTKIT_GRANTED,
  /// It cannot be asked: it, the system bus, or libsystemd, which speaks D-Bus, is not there.
  CLINUX_RTKIT_ABSENT,
  /// It said no.
  CLINUX_RTKIT_REFUSED,
  /// It did not answer in time.
  CLINUX_RTKIT_SILENT,
  CLINUX_RTKIT_FAILED,
} clinux_rtkit_result;

/// Asks RealtimeKit (org.freedesktop.RealtimeKit1) to make a thread of this process real-time. `priority` is the wanted one,
/// and becomes the highest one that RealtimeKit gives if that is lower. If it is not granted, `reason` says why.
///
/// Before that, it calls `limit_runtime` with the highest RLIMIT_RTTIME that RealtimeKit accepts, in microseconds. That
/// function lowers the limit and returns an errno; ECANCELED if it must not. All calls over D-Bus together take at most `nanoseconds`. They go through
/// libsystemd's sd-bus, which is loaded for them.
clinux_rtkit_result clinux_rtkit_promote(
    pid_t thread, int *priority, int64_t nanoseconds, int (*limit_runtime)(int64_t), char *reason, size_t room);

#endif
