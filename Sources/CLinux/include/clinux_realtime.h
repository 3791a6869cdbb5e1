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

typedef enum { CLINUX_LIMIT_PRIORITY, CLINUX_LIMIT_RUNTIME, CLINUX_LIMIT_LOCKED, CLINUX_LIMIT_FILES } clinux_limit;
/// RLIMIT_RTPRIO, RLIMIT_RTTIME (microseconds) or RLIMIT_MEMLOCK (bytes) of this process; no limit is UINT64_MAX.
int clinux_get_limit(clinux_limit limit, uint64_t *soft, uint64_t *hard);
int clinux_set_limit(clinux_limit limit, uint64_t soft, uint64_t hard);

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

/// The time in nanoseconds.
RT_SAFE static inline int64_t clinux_now(clinux_timekeeper keeper) { return keeper.now(keeper.context); }
/// Sleeps until a time (0: for ever), until the eventfd is signalled, which empties it, or until a signal comes.
///
/// `watched` is a descriptor whose error or hang-up ends the sleep too; -1: none. Returns 1 if that happened, else 0.
RT_SAFE static inline int clinux_sleep(clinux_timekeeper keeper, int64_t time, int watched) {
  return keeper.sleep(keeper.context, time, watched);
}

/// The calling thread's stack: its lowest address and its size; returns an errno, 0 on success.
int clinux_stack(void **lowest, size_t *bytes);

/// The result of asking RealtimeKit.
typedef enum {
  CLINUX_RTKIT_OK,
  /// libsystemd, which speaks D-Bus, is not installed.
  CLINUX_RTKIT_NO_LIBRARY,
  /// There is no system bus.
  CLINUX_RTKIT_NO_BUS,
  /// RealtimeKit is not on the bus and cannot be started.
  CLINUX_RTKIT_ABSENT,
  /// It said no.
  CLINUX_RTKIT_REFUSED,
  /// It did not answer in time.
  CLINUX_RTKIT_SILENT,
  CLINUX_RTKIT_FAILED,
} clinux_rtkit_result;

/// A connection to RealtimeKit (org.freedesktop.RealtimeKit1) through libsystemd's sd-bus, which is loaded at the first use.
typedef struct clinux_rtkit clinux_rtkit;

/// Connects to the system bus and asks for MaxRealtimePriority and RTTimeUSecMax: the highest priority that RealtimeKit gives,
/// and the highest RLIMIT_RTTIME that it accepts, in microseconds. All calls with `out` together take at most `nanoseconds`.
///
/// The caller closes `out` whatever the result; it is NULL if there is no memory for it.
clinux_rtkit_result clinux_rtkit_open(int64_t nanoseconds, clinux_rtkit **out, int *priority, int64_t *microseconds);
/// MakeThreadRealtime, for a thread of this process.
clinux_rtkit_result clinux_rtkit_promote(clinux_rtkit *rtkit, pid_t thread, int priority);
/// The text of the last result that was not OK; may be empty. Valid until the next call.
const char *clinux_rtkit_reason(const clinux_rtkit *rtkit);
void clinux_rtkit_close(clinux_rtkit *rtkit);

#endif
