/// What a thread with real-time priority needs of the kernel and of RealtimeKit.
#ifndef CLINUX_REALTIME_H
#define CLINUX_REALTIME_H

#include <stdint.h>
#include <sys/types.h>

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

/// Prepares the calling thread for real-time priority: of the signals it takes only SIGXCPU, with which the kernel says that
/// it has gone on for longer than RLIMIT_RTTIME without a sleep. Then it goes back to ordinary priority, `clinux_demotions`
/// counts, and the eventfd `report` is signalled. A handler that the process has for SIGXCPU already is left alone.
void clinux_guard_realtime(int report);
/// How many threads of this process have lost their priority in that way.
int clinux_demotions(void);

/// The calling thread's stack: its lowest address and its size; returns an errno, 0 on success.
int clinux_stack(void **lowest, size_t *bytes);

/// Why RealtimeKit did not give what it was asked for.
typedef enum {
  CLINUX_RTKIT_OK,
  /// libsystemd, which speaks D-Bus, is not installed.
  CLINUX_RTKIT_NO_LIBRARY,
  /// There is no system bus.
  CLINUX_RTKIT_NO_BUS,
  /// Nobody on the bus is RealtimeKit, and nobody can be started.
  CLINUX_RTKIT_ABSENT,
  /// It said no.
  CLINUX_RTKIT_REFUSED,
  /// It did not answer in time.
  CLINUX_RTKIT_SILENT,
  CLINUX_RTKIT_FAILED,
} clinux_rtkit_result;

/// A connection to RealtimeKit (org.freedesktop.RealtimeKit1), through libsystemd's sd-bus, which is loaded for it.
typedef struct clinux_rtkit clinux_rtkit;

/// Connects to the system bus. All that is done with `out` together takes no longer than `nanoseconds`.
///
/// `out` is set whatever the result, if there is memory for it, and is to be closed.
clinux_rtkit_result clinux_rtkit_open(int64_t nanoseconds, clinux_rtkit **out);
/// Its MaxRealtimePriority, and RTTimeUSecMax: what RLIMIT_RTTIME may be at most, in microseconds.
clinux_rtkit_result clinux_rtkit_limits(clinux_rtkit *rtkit, int *priority, int64_t *microseconds);
/// Its MakeThreadRealtime, for a thread of this process.
clinux_rtkit_result clinux_rtkit_promote(clinux_rtkit *rtkit, pid_t thread, int priority);
/// What there is to say about the last result that was not OK; empty if nothing. Valid until the next call.
const char *clinux_rtkit_reason(const clinux_rtkit *rtkit);
void clinux_rtkit_close(clinux_rtkit *rtkit);

#endif
