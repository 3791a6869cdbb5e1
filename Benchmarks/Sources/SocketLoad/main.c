// SocketLoad hostile SOCKET SECONDS: behaves as badly as it can on many connections for that time. Then prints the median, the
// 99th percentile and the maximum, in ms, of the time that one well-behaved client waited for the reply to `sync`.
// SocketLoad hold SOCKET CLIENTS: connects, prints `connected`, and holds the connections until its standard input ends.
// SocketLoad lines SOCKET CONTENTS COUNT: sends COUNT lines, a multiple of ten, and waits for the reply to `sync` after each
// ten. CONTENTS is 1 if no line changes its value, 2 if each does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };
static char block[BLOCK];
static size_t length;

static void fail(const char *what) {
  perror(what);
  exit(69);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/// Fills the block with whole lines. Each changes one of ten values.
static void fill(void) {
  for (long line = 0; length < BLOCK - 32; line++)
    length += (size_t)sprintf(block + length, "v%ld=%ld\n", line % 10, line / 10);
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("the path of the socket is too long");
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail(path);
  return fd;
}

/// Sends what it is given and `sync`, and waits for the reply.
static void ask_sync(int fd, const char *lines, size_t count) {
  char reply[8] = "";
  if (write(fd, lines, count) != (ssize_t)count || read(fd, reply, sizeof reply - 1) < 0) fail("sync");
  if (strcmp(reply, "ok\n") == 0) return;
  fprintf(stderr, "expected ok, found %s\n", reply);
  exit(70);
}

static void lines(const char *path, long contents, long count) {
  int fd = connect_to(path);
  for (long line = 0; line < count;) {
    size_t end = 0;
    do end += (size_t)sprintf(block + end, "v5=%ld\n", line % contents);
    while (++line % 10);
    end += (size_t)sprintf(block + end, "sync\n");
    ask_sync(fd, block, end);
  }
}

static void hold(const char *path, int count) {
  struct rlimit files;
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  for (int i = 0; i < count; i++) connect_to(path);
  puts("connected");
  fflush(stdout);
  while (getchar() != EOF) continue;
}

/// Starts a hostile client as a process of its own.
static pid_t begin(void (*what)(const char *), const char *path) {
  pid_t process = fork();
  if (process < 0) fail("fork");
  if (process > 0) return process;
  what(path);
  exit(0);
}

static void spill(int fd, const char *bytes, size_t count) {
  while (write(fd, bytes, count) > 0) continue;
}

/// Sends changes endlessly.
static void flood(const char *path) {
  for (;;) {
    int fd = connect_to(path);
    spill(fd, block, length);
    close(fd);
  }
}

/// Sends lines of a gigabyte.
static void sprawl(const char *path) {
  static char part[BLOCK];
  memset(part, 'x', sizeof part);
  for (;;) {
    int fd = connect_to(path);
    for (int i = 0; i < 1024 && write(fd, part, sizeof part) > 0; i++) continue;
    if (write(fd, "\n", 1) < 0) {}
    close(fd);
  }
}

/// Sends requests endlessly and never reads a reply.
static void ask(const char *path) {
  for (;;) {
    int fd = connect_to(path);
    spill(fd, "list\nstatus\nget v0\nnonsense\n", 28);
    close(fd);
  }
}

/// Subscribes to all events and never reads one.
static void follow(const char *path) {
  for (;;) {
    char reply[3];
    int fd = connect_to(path);
    if (write(fd, "events\n", 7) == 7 && read(fd, reply, sizeof reply) == 3) poll(&(struct pollfd){.fd = fd}, 1, -1);
    close(fd);
  }
}

/// Connects and closes, half of the times in the middle of a line.
static void come_and_go(const char *path) {
  for (int i = 0; i < 20000; i++) {
    int fd = connect_to(path);
    if (i % 2 && write(fd, "v1=half a li", 12) < 0) {}
    close(fd);
  }
  pause();
}

/// Begins a hundred lines and ends none.
static void hesitate(const char *path) {
  for (int i = 0; i < 100; i++)
    if (write(connect_to(path), "v2=", 3) < 0) {}
  pause();
}

static int by_size(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static void hostile(const char *path, double seconds) {
  signal(SIGPIPE, SIG_IGN);
  void (*const all[])(const char *) = {flood, flood, sprawl, ask, follow, come_and_go, hesitate};
  pid_t processes[sizeof all / sizeof *all];
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) processes[i] = begin(all[i], path);
  static double waits[1000000];
  int count = 0, fd = connect_to(path);
  for (double start = now(); now() - start < seconds && count < 1000000;) {
    double asked = now();
    ask_sync(fd, "v9=7\nsync\n", 10);
    waits[count++] = (now() - asked) * 1e3;
    usleep(1000);
  }
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) kill(processes[i], SIGKILL), waitpid(processes[i], NULL, 0);
  qsort(waits, (size_t)count, sizeof *waits, by_size);
  printf("%.3f %.3f %.3f\n", waits[count / 2], waits[count * 99 / 100], waits[count - 1]);
}

int main(int count, char **arguments) {
  if (count == 4 && strcmp(arguments[1], "hold") == 0) {
    hold(arguments[2], atoi(arguments[3]));
  } else if (count == 4 && strcmp(arguments[1], "hostile") == 0) {
    fill();
    hostile(arguments[2], atof(arguments[3]));
  } else if (count == 5 && strcmp(arguments[1], "lines") == 0 && atol(arguments[3]) > 0) {
    lines(arguments[2], atol(arguments[3]), atol(arguments[4]));
  } else {
    fputs("usage: SocketLoad hold SOCKET CLIENTS\n       SocketLoad hostile SOCKET SECONDS\n"
          "       SocketLoad lines SOCKET CONTENTS COUNT\n", stderr);
    return 64;
  }
  return 0;
}
