// SocketLoad rate SOCKET CLIENTS LINES same|change: sends so many lines NAME=VALUE over all clients, ten names in turn, and
// prints the millions that were carried out in a second, until every client has its answer to `sync`.
// SocketLoad stream LINES same|change: prints the same lines.
// SocketLoad hostile SOCKET SECONDS: behaves as badly as it can on many connections for so long, and prints the median, the 99th
// percentile and the longest time, in ms, that one well-behaved client waited for its `sync` meanwhile.
// SocketLoad hold SOCKET CLIENTS: connects, says so, and holds the connections until its standard input ends.
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
static long lines_in_block;

struct client {
  int fd;
  size_t sent;
  long blocks;
};

static void fail(const char *what) {
  perror(what);
  exit(69);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

/// Whole lines, of which each is the same as the one ten before, or never.
static void fill(int changes) {
  for (long line = 0; length < BLOCK - 32; line++, lines_in_block++)
    length += (size_t)sprintf(block + length, "v%ld=%ld\n", line % 10, changes ? line / 10 : 7);
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) fail("the path of the socket is too long");
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) fail(path);
  return fd;
}

/// Sends what the socket takes; returns whether that was the last.
static int push(struct client *client, long blocks) {
  while (client->blocks < blocks) {
    ssize_t count = write(client->fd, block + client->sent, length - client->sent);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (count < 0) fail("write");
    client->sent += (size_t)count;
    if (client->sent < length) continue;
    client->sent = 0;
    client->blocks++;
  }
  return 1;
}

static void rate(const char *path, int count, long lines) {
  struct client *clients = calloc((size_t)count, sizeof *clients);
  struct pollfd *polled = calloc((size_t)count, sizeof *polled);
  if (!clients || !polled) fail("calloc");
  for (int i = 0; i < count; i++) {
    clients[i].fd = connect_to(path);
    polled[i] = (struct pollfd){.fd = clients[i].fd, .events = POLLOUT};
    fcntl(clients[i].fd, F_SETFL, O_NONBLOCK);
  }
  long blocks = (lines + lines_in_block * count - 1) / (lines_in_block * count);
  double start = now();
  for (int left = count; left > 0;) {
    if (poll(polled, (nfds_t)count, -1) < 0) fail("poll");
    for (int i = 0; i < count; i++) {
      if (!(polled[i].revents & (POLLOUT | POLLHUP | POLLERR)) || !push(&clients[i], blocks)) continue;
      polled[i].fd = -1;
      left--;
    }
  }
  for (int i = 0; i < count; i++) {
    char reply[256] = "";
    fcntl(clients[i].fd, F_SETFL, 0);
    if (write(clients[i].fd, "sync\n", 5) != 5) fail("write");
    if (read(clients[i].fd, reply, sizeof reply - 1) < 0) fail("read");
    if (strcmp(reply, "ok\n") != 0) {
      fprintf(stderr, "expected ok, found %s\n", reply);
      exit(70);
    }
  }
  printf("%.2f\n", (double)(blocks * lines_in_block * count) / (now() - start) / 1e6);
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

/// One of those who behave badly, in a process of its own.
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

/// Sends changes without end.
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

/// Asks without end, and never reads an answer.
static void ask(const char *path) {
  for (;;) {
    int fd = connect_to(path);
    spill(fd, "list\nstatus\nget v0\nnonsense\n", 28);
    close(fd);
  }
}

/// Follows all events, and never reads one.
static void follow(const char *path) {
  for (;;) {
    char reply[3];
    int fd = connect_to(path);
    if (write(fd, "events\n", 7) == 7 && read(fd, reply, sizeof reply) == 3) poll(&(struct pollfd){.fd = fd}, 1, -1);
    close(fd);
  }
}

/// Connects and goes, in the middle of a line.
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
    char reply[8] = "";
    double asked = now();
    if (write(fd, "v9=7\nsync\n", 10) != 10 || read(fd, reply, sizeof reply - 1) < 0) fail("sync");
    if (strcmp(reply, "ok\n") != 0) {
      fprintf(stderr, "expected ok, found %s\n", reply);
      exit(70);
    }
    waits[count++] = (now() - asked) * 1e3;
    usleep(1000);
  }
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) kill(processes[i], SIGKILL), waitpid(processes[i], NULL, 0);
  qsort(waits, (size_t)count, sizeof *waits, by_size);
  printf("%.3f %.3f %.3f\n", waits[count / 2], waits[count * 99 / 100], waits[count - 1]);
}

int main(int count, char **arguments) {
  if (count == 6 && strcmp(arguments[1], "rate") == 0) {
    fill(strcmp(arguments[5], "change") == 0);
    rate(arguments[2], atoi(arguments[3]), atol(arguments[4]));
  } else if (count == 4 && strcmp(arguments[1], "stream") == 0) {
    fill(strcmp(arguments[3], "change") == 0);
    for (long sent = 0; sent < atol(arguments[2]); sent += lines_in_block)
      if (fwrite(block, 1, length, stdout) < length) fail("write");
  } else if (count == 4 && strcmp(arguments[1], "hold") == 0) {
    hold(arguments[2], atoi(arguments[3]));
  } else if (count == 4 && strcmp(arguments[1], "hostile") == 0) {
    fill(1);
    hostile(arguments[2], atof(arguments[3]));
  } else {
    fputs("usage: SocketLoad rate SOCKET CLIENTS LINES same|change\n       SocketLoad stream LINES same|change\n"
          "       SocketLoad hold SOCKET CLIENTS\n       SocketLoad hostile SOCKET SECONDS\n", stderr);
    return 64;
  }
  return 0;
}
