/// System calls that the Glibc module lacks. Each function makes the call of its name, and returns -1 with errno on an error.
#ifndef CLINUX_H
#define CLINUX_H

#include <stdint.h>
#include <sys/types.h>

#define RT_SAFE __attribute__((swift_attr("@_noLocks")))

static const uint32_t CLINUX_IN = 0x001, CLINUX_OUT = 0x004, CLINUX_ERR = 0x008, CLINUX_HUP = 0x010,
                      CLINUX_RDHUP = 0x2000;

/// One report of epoll_wait. It replaces `struct epoll_event`, which is packed and contains a union.
typedef struct {
  uint32_t events;
  uint64_t token;
} clinux_event;

/// epoll_create1 with EPOLL_CLOEXEC.
int clinux_epoll_create(void);
int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token);
int clinux_epoll_remove(int epoll, int fd);
/// Waits for at most 64 reports; `milliseconds` as in epoll_wait (-1: for ever).
int clinux_epoll_wait(int epoll, clinux_event *events, int capacity, int milliseconds);

/// Blocks the signals for this thread and the threads that it starts, and returns a descriptor that reports them.
int clinux_signalfd(const int *signals, int count);
/// The number of the next signal waiting on a signalfd; 0 if there is none.
int clinux_signalfd_read(int fd);

/// A non-blocking timerfd on a clock: CLOCK_MONOTONIC, CLOCK_BOOTTIME or CLOCK_REALTIME.
int clinux_timerfd_create(clockid_t clock);
/// Arms the timer for an absolute time in nanoseconds of its clock; 0 disarms it.
int clinux_timerfd_set(int fd, uint64_t nanoseconds) RT_SAFE;
/// Arms a timer on CLOCK_REALTIME for a second since 1970, or disarms it (`INT64_MIN`). It also becomes readable when
/// the clock is set and when the machine wakes up (TFD_TIMER_CANCEL_ON_SET). The caller must then arm it again.
///
/// ECANCELED means that the clock was set since the timer was last read. The timer is armed nevertheless.
int clinux_timerfd_set_civil(int fd, int64_t second);

/// A non-blocking eventfd.
int clinux_eventfd(void);
/// Adds 1 to an eventfd.
void clinux_eventfd_signal(int fd) RT_SAFE;
/// Empties an eventfd or timerfd; returns what it held.
uint64_t clinux_drain(int fd) RT_SAFE;

/// Opens a file that fails on use for each standard descriptor that is closed. Otherwise the next opened file, perhaps a
/// device, would get its number and receive messages for people.
void clinux_guard_standard_descriptors(void);

/// open with O_PATH and O_CLOEXEC. Closing such a descriptor does not ask the file system.
int clinux_open_path(const char *path);

/// Whether an open file has a POSIX access control list (fgetxattr): 0 or 1.
int clinux_has_access_list(int fd);

/// Whether a program may have a file, which is open here for reading, open for writing: 0 or 1. The kernel grants a read lease
/// (F_SETLEASE) only if none has. It grants none for other users' files and on some file systems: then 1.
int clinux_may_have_writer(int fd);

/// accept4 with SOCK_NONBLOCK and SOCK_CLOEXEC.
int clinux_accept(int fd);
/// A stream socket of the Unix family with SOCK_CLOEXEC; `nonblocking` is 0 or 1.
int clinux_unix_socket(int nonblocking);
/// Binds a Unix socket to a path, or connects it. ENAMETOOLONG if the path does not fit `sun_path`.
int clinux_unix_bind(int fd, const char *path);
int clinux_unix_connect(int fd, const char *path);
/// Sends one datagram to a Unix socket; a path that begins with '@' is abstract. For sd_notify.
int clinux_unix_datagram(const char *path, const void *bytes, size_t count);
/// SO_SNDTIMEO: how long connect waits for room in the queue of a listener.
int clinux_limit_waiting(int fd, int64_t nanoseconds);
/// send with MSG_NOSIGNAL and MSG_DONTWAIT.
ssize_t clinux_send(int fd, const void *bytes, size_t count);
/// How many bytes in a Unix socket the peer has not read yet, including the kernel's overhead (SIOCOUTQ).
int clinux_unread(int fd);
/// The uid and pid at the other end (SO_PEERCRED).
int clinux_peer(int fd, uid_t *uid, pid_t *pid);

/// ppoll until one of two descriptors is readable or a third one reports an error or a hang-up; any of them may be -1.
///
/// Bit 0, 1 or 2 of the result says which one; the result is 0 if a signal interrupted the wait.
int clinux_wait_for_any(int first, int second, int watched) RT_SAFE;
/// ppoll of one descriptor. Returns those of `events` (POLLIN, POLLOUT) that it is ready for, 0 after the time, -1 with errno.
///
/// Swift code cannot use `struct pollfd`, because Swift may find it in another module in each build.
int clinux_wait(int fd, short events, int64_t nanoseconds);
/// CLOCK_MONOTONIC in nanoseconds.
int64_t clinux_monotonic(void) RT_SAFE;
/// CLOCK_BOOTTIME in nanoseconds: CLOCK_MONOTONIC plus the time that the machine was asleep.
int64_t clinux_boottime(void);
/// CLOCK_REALTIME in nanoseconds. Swift code cannot use `struct timespec` either, see `struct pollfd` above.
int64_t clinux_realtime(void);
/// The calling thread's name, at most 15 bytes, as top and gdb show it.
void clinux_name_thread(const char *name);
/// Gives free memory back to the system (malloc_trim).
void clinux_trim_heap(void);
/// The calling thread's id in the kernel.
pid_t clinux_thread_id(void);
/// Starts a detached thread that calls `run`. Returns an errno, 0 on success.
///
/// The thread has a name (at most 15 bytes) and ordinary priority, even if the calling thread has another one. It receives no
/// signals except those of its own faults.
int clinux_start_thread(const char *name, void (*run)(void *), void *argument);
/// Calls `run` on such a thread and waits until it returns. Returns an errno if no thread could be made, and then does not call `run`.
///
/// The thread has a table of descriptors of its own, in which standard output and standard error lead nowhere: what a library prints
/// there is dropped, while other threads may print. It sees none of the other open descriptors.
int clinux_call_quietly(const char *name, void (*run)(void *), void *argument);

/// A resource limit (struct rlimit64).
typedef struct {
  uint64_t soft, hard;
} clinux_limit;

/// What a process is made from.
typedef struct {
  /// The program, which is searched for in PATH, and its arguments; the last one is NULL, as in `environment`.
  char *const *arguments;
  char *const *environment;
  /// The folder that it starts in.
  const char *folder;
  /// Its RLIMIT_NOFILE and RLIMIT_RTTIME.
  clinux_limit files, realtime;
  /// Descriptors that it gets beside the standard ones, with the same numbers.
  const int *kept;
  size_t kept_count;
  /// Its standard input; -1: /dev/null.
  int input;
} clinux_command;

/// A child: its pid, a pidfd that becomes readable when it ends, and the pipes of its standard output and error, which never
/// block. All three descriptors have FD_CLOEXEC.
typedef struct {
  pid_t pid;
  int pidfd, output, errors;
} clinux_process;

/// Starts a program (vfork, execvpe) as the leader of a new process group, and returns when it runs.
///
/// Call it on a thread of `clinux_start_thread`: no handler of this process must run in the child, which takes the thread's priority.
///
/// It has no descriptor beside those in `kept`, and no blocked or ignored signal. The kernel kills it when the
/// calling *thread* ends (PR_SET_PDEATHSIG). Blocks as long as exec does, which a mount may delay for ever.
int clinux_spawn(const clinux_command *command, clinux_process *process);

/// Lets this process do no more than compute, allocate memory, and read and write descriptors that it has (seccomp). Anything else
/// kills it. Limits its memory to `memory` bytes, what it writes into one file to `file`, and its processor time to `seconds`
/// (setrlimit).
int clinux_confine(uint64_t memory, uint64_t file, uint64_t seconds);
/// memfd_create with MFD_CLOEXEC.
int clinux_memfd(const char *name);

#endif
