#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void limit(int resource, clinux_limit limit) {
  struct rlimit64 value = {limit.soft, limit.hard};
  // A hard limit that was lowered meanwhile stays: only root may raise it.
  setrlimit64(resource, &value);
}

// The child between vfork and exec. It has its own descriptors and signal handlers, and shares all memory with its parent.
// Returns an errno if it cannot become the program.
static int become(const clinux_command *command, pid_t parent, int input, int output, int errors) {
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return errno;
  // The parent may have ended before that call.
  if (getppid() != parent) return ESRCH;
  if (setpgid(0, 0) < 0) return errno;
  // All zero is SIG_DFL to the kernel. glibc would leave out the two signals that it keeps for itself.
  static const unsigned long standard[16];
  for (int number = 1; number < NSIG; number++) syscall(SYS_rt_sigaction, number, standard, NULL, (NSIG - 1) / 8);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(errors, 2) < 0) return errno;
  if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) < 0) return errno;
  for (size_t i = 0; i < command->kept_count; i++)
    if (fcntl(command->kept[i], F_SETFD, 0) < 0) return errno;
  limit(RLIMIT_NOFILE, command->files);
  limit(RLIMIT_RTTIME, command->realtime);
  if (chdir(command->folder) < 0) return errno;
  execvpe(command->arguments[0], command->arguments, command->environment);
  return errno;
}

static pid_t start(const clinux_command *command, int input, int output, int errors) {
  volatile int error = 0;
  pid_t parent = getpid();
  pid_t child = vfork();
  if (child == 0) {
    error = become(command, parent, input, output, errors);
    _exit(127);
  }
  if (child < 0 || !error) return child;
  waitpid(child, NULL, 0);
  errno = error;
  return -1;
}

static void shut(int fd) {
  if (fd >= 0) close(fd);
}

int clinux_spawn(const clinux_command *command, clinux_process *process) {
  int out[2] = {-1, -1}, err[2] = {-1, -1}, watch = -1;
  pid_t child = -1;
  int input = command->input < 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : fcntl(command->input, F_DUPFD_CLOEXEC, 3);
  if (input >= 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0 &&
      fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && fcntl(err[0], F_SETFL, O_NONBLOCK) == 0) {
    child = start(command, input, out[1], err[1]);
    // It sets FD_CLOEXEC.
    if (child > 0) watch = (int)syscall(SYS_pidfd_open, child, 0);
  }
  int error = errno;
  shut(input);
  shut(out[1]);
  shut(err[1]);
  if (watch >= 0) {
    *process = (clinux_process){child, watch, out[0], err[0]};
    return 0;
  }
  shut(out[0]);
  shut(err[0]);
  if (child > 0) {
    kill(-child, SIGKILL);
    waitpid(child, NULL, 0);
  }
  errno = error;
  return -1;
}
