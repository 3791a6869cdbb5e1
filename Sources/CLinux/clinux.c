#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include <linux/close_range.h>
#include <linux/sockios.h>

_Static_assert(EPOLLIN == 0x001 && EPOLLOUT == 0x004 && EPOLLERR == 0x008 && EPOLLHUP == 0x010 &&
                   EPOLLRDHUP == 0x2000,
               "the constants of the header are those of the kernel");

int clinux_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, fd, &event);
}

int clinux_epoll_add(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_ADD, fd, events, token);
}

int clinux_epoll_modify(int epoll, int fd, uint32_t events, uint64_t token) {
  return control(epoll, EPOLL_CTL_MOD, fd, events, token);
}

int clinux_epoll_remove(int epoll, int fd) { return control(epoll, EPOLL_CTL_DEL, fd, 0, 0); }

int clinux_epoll_wait(int epoll, clinux_event *events, int capacity, int milliseconds) {
  struct epoll_event raw[64];
  if (capacity > 64) capacity = 64;
  int count = epoll_wait(epoll, raw, capacity, milliseconds);
  for (int i = 0; i < count; i++) events[i] = (clinux_event){raw[i].events, raw[i].data.u64};
  return count;
}

int clinux_signalfd(const int *signals, int count) {
  sigset_t set;
  sigemptyset(&set);
  for (int i = 0; i < count; i++) sigaddset(&set, signals[i]);
  if ((errno = pthread_sigmask(SIG_BLOCK, &set, NULL)) != 0) return -1;
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int clinux_signalfd_read(int fd) {
  struct signalfd_siginfo info;
  return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

// How often a failed call is repeated. Without its timer or signal a thread would wait for ever. The kernel never refuses these
// calls, but a filter of system calls or an injected fault may.
enum { attempts = 8 };

int clinux_timerfd_create(clockid_t clock) { return timerfd_create(clock, TFD_CLOEXEC | TFD_NONBLOCK); }

int clinux_timerfd_set(int fd, uint64_t nanoseconds) {
  struct itimerspec time = {.it_value = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)}};
  int result = -1;
  for (int i = 0; i < attempts && result < 0; i++) result = timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, NULL);
  return result;
}

int clinux_timerfd_set_civil(int fd, int64_t second) {
  // Zero would disarm the timer, and the kernel refuses a negative time. Both are past, so use nanosecond 1, which fires at once.
  struct itimerspec time = {.it_value = {(time_t)(second < 0 ? 0 : second), 1}};
  if (second == INT64_MIN) time.it_value.tv_nsec = 0;
  return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &time, NULL);
}

int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void clinux_eventfd_signal(int fd) {
  uint64_t one = 1;
  for (int i = 0; i < attempts; i++) {
    // A full counter (EAGAIN) is already a signal, so nothing is lost.
    if (write(fd, &one, sizeof one) >= 0 || errno == EAGAIN) return;
  }
}

uint64_t clinux_drain(int fd) {
  uint64_t count = 0;
  return read(fd, &count, sizeof count) == sizeof count ? count : 0;
}

void clinux_guard_standard_descriptors(void) {
  for (int fd = 0; fd <= 2; fd++) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Input is opened only for writing and output only for reading, so that use fails.
    if (open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) return;
  }
}

int clinux_open_path(const char *path) { return open(path, O_PATH | O_CLOEXEC); }

int clinux_has_access_list(int fd) { return fgetxattr(fd, "system.posix_acl_access", NULL, 0) > 0; }

int clinux_may_have_writer(int fd) {
  // A writer that comes at this very moment waits until the lease is given back. The kernel then sends this signal, which does
  // nothing; its own choice, SIGIO, would end the process.
  if (fcntl(fd, F_SETSIG, SIGURG) < 0 || fcntl(fd, F_SETLEASE, F_RDLCK) < 0) return 1;
  return fcntl(fd, F_SETLEASE, F_UNLCK) < 0;
}

int clinux_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int clinux_unix_socket(int nonblocking) {
  return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
}

static int address(const char *path, struct sockaddr_un *out, socklen_t *length) {
  size_t count = strlen(path);
  if (count == 0 || count >= sizeof out->sun_path) {
    errno = count == 0 ? ENOENT : ENAMETOOLONG;
    return -1;
  }
  memset(out, 0, sizeof *out);
  out->sun_family = AF_UNIX;
  memcpy(out->sun_path, path, count);
  if (path[0] == '@') out->sun_path[0] = 0;
  *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + count + (path[0] == '@' ? 0 : 1));
  return 0;
}

int clinux_unix_bind(int fd, const char *path) {
  struct sockaddr_un to;
  socklen_t length;
  return address(path, &to, &length) < 0 ? -1 : bind(fd, (struct sockaddr *)&to, length);
}

int clinux_unix_connect(int fd, const char *path) {
  struct sockaddr_un to;
  socklen_t length;
  return address(path, &to, &length) < 0 ? -1 : connect(fd, (struct sockaddr *)&to, length);
}

int clinux_unix_datagram(const char *path, const void *bytes, size_t count) {
  struct sockaddr_un to;
  socklen_t length;
  if (address(path, &to, &length) < 0) return -1;
  int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  ssize_t sent = sendto(fd, bytes, count, MSG_NOSIGNAL, (struct sockaddr *)&to, length);
  int error = errno;
  close(fd);
  errno = error;
  return sent < 0 ? -1 : 0;
}

int clinux_limit_waiting(int fd, int64_t nanoseconds) {
  struct timeval limit = {.tv_sec = nanoseconds / 1000000000, .tv_usec = nanoseconds % 1000000000 / 1000};
  return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

ssize_t clinux_send(int fd, const void *bytes, size_t count) {
  return send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int clinux_unread(int fd) {
  int count = 0;
  return ioctl(fd, SIOCOUTQ, &count) < 0 ? 0 : count;
}

int clinux_peer(int fd, uid_t *uid, pid_t *pid) {
  struct ucred peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return -1;
  *uid = peer.uid;
  *pid = peer.pid;
  return 0;
}

int clinux_wait_for_any(int first, int second, int watched) {
  struct pollfd all[] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}, {.fd = watched}};
  if (ppoll(all, 3, NULL, NULL) <= 0) return 0;
  return (all[0].revents ? 1 : 0) | (all[1].revents ? 2 : 0) | (all[2].revents ? 4 : 0);
}

int clinux_wait(int fd, short events, int64_t nanoseconds) {
  struct pollfd descriptor = {.fd = fd, .events = events};
  struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
  int count = ppoll(&descriptor, 1, nanoseconds < 0 ? NULL : &time, NULL);
  return count > 0 ? descriptor.revents : count;
}

static int64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t clinux_monotonic(void) { return nanoseconds(CLOCK_MONOTONIC); }

int64_t clinux_boottime(void) { return nanoseconds(CLOCK_BOOTTIME); }

int64_t clinux_realtime(void) { return nanoseconds(CLOCK_REALTIME); }

void clinux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void clinux_trim_heap(void) { malloc_trim(0); }

pid_t clinux_thread_id(void) { return gettid(); }

struct start {
  char name[16];
  void (*run)(void *);
  void *argument;
};

static void *begin(void *pointer) {
  struct start start = *(struct start *)pointer;
  free(pointer);
  clinux_name_thread(start.name);
  start.run(start.argument);
  return NULL;
}

int clinux_start_thread(const char *name, void (*run)(void *), void *argument) {
  struct start *start = calloc(1, sizeof *start);
  if (!start) return ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->run = run;
  start->argument = argument;
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) {
    free(start);
    return error;
  }
  struct sched_param parameters = {.sched_priority = 0};
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setinheritsched(&attributes, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attributes, SCHED_OTHER);
  pthread_attr_setschedparam(&attributes, &parameters);
  // Blocks the signals before the thread starts, because a thread inherits the mask of its creator.
  sigset_t blocked, before;
  sigfillset(&blocked);
  const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  pthread_t thread;
  error = pthread_create(&thread, &attributes, begin, start);
  if (error == EPERM) {
    // A process under SCHED_IDLE or SCHED_BATCH may not start threads of another policy.
    pthread_attr_setinheritsched(&attributes, PTHREAD_INHERIT_SCHED);
    error = pthread_create(&thread, &attributes, begin, start);
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  if (error) free(start);
  return error;
}

struct quiet_call {
  void (*run)(void *);
  void *argument;
  sem_t done;
};

static void call_quietly(void *pointer) {
  struct quiet_call *call = pointer;
  // An older kernel lets the library print.
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_UNSHARE) == 0) {
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere >= 0) {
      dup2(nowhere, STDOUT_FILENO);
      dup2(nowhere, STDERR_FILENO);
      close(nowhere);
    }
  }
  call->run(call->argument);
  sem_post(&call->done);
}

int clinux_call_quietly(const char *name, void (*run)(void *), void *argument) {
  struct quiet_call call = {.run = run, .argument = argument};
  if (sem_init(&call.done, 0, 0) < 0) return errno;
  int error = clinux_start_thread(name, call_quietly, &call);
  while (!error && sem_wait(&call.done) < 0 && errno == EINTR) continue;
  sem_destroy(&call.done);
  return error;
}
