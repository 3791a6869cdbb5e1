#define _GNU_SOURCE
#include "clinux.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

int clinux_memfd(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

#ifdef ARCHITECTURE

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define ALLOW_CALL(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), ALLOW
#define REFUSE_CALL(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES)
// Memory may be mapped and protected, but never made executable. The low half of the argument holds all flags.
#define ALLOW_DATA(number) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 4), LOAD(args[2]), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1), KILL, ALLOW

static struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    KILL,
    LOAD(nr),
    ALLOW_CALL(SYS_read),
    ALLOW_CALL(SYS_pread64),
    ALLOW_CALL(SYS_write),
    ALLOW_CALL(SYS_lseek),
    ALLOW_CALL(SYS_fstat),
    // glibc's fstat on some machines.
    ALLOW_CALL(SYS_newfstatat),
    ALLOW_CALL(SYS_close),
    ALLOW_CALL(SYS_munmap),
    ALLOW_CALL(SYS_mremap),
    ALLOW_CALL(SYS_madvise),
    ALLOW_CALL(SYS_brk),
    ALLOW_CALL(SYS_futex),
    ALLOW_CALL(SYS_getrandom),
    // glibc's qsort asks how much memory there is.
    ALLOW_CALL(SYS_sysinfo),
    ALLOW_CALL(SYS_rt_sigreturn),
    ALLOW_CALL(SYS_exit),
    ALLOW_CALL(SYS_exit_group),
    // libsndfile looks for a second file of old Macintoshes, and stdio asks whether it prints to a terminal.
    REFUSE_CALL(SYS_openat),
    REFUSE_CALL(SYS_ioctl),
    ALLOW_DATA(SYS_mmap),
    ALLOW_DATA(SYS_mprotect),
    KILL,
};

static int limit_to(int resource, uint64_t value) {
  struct rlimit64 limit = {value, value};
  return setrlimit64(resource, &limit);
}

int clinux_confine(uint64_t memory, uint64_t file, uint64_t seconds) {
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  if (limit_to(RLIMIT_AS, memory) < 0 || limit_to(RLIMIT_FSIZE, file) < 0 || limit_to(RLIMIT_CPU, seconds) < 0 ||
      limit_to(RLIMIT_CORE, 0) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
    return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

#else

int clinux_confine(uint64_t memory, uint64_t file, uint64_t seconds) {
  errno = ENOSYS;
  return -1;
}

#endif
