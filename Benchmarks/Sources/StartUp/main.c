// StartUp ROUNDS COMMAND...: starts each command ROUNDS times, taking turns, each after the last one has ended, and prints
// the medians of what each took in microseconds, a line each: from its start until its end, and on the processor, with its
// children. A command is words with single
// blanks between, or for the shell if it has a | in it.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

enum { most_commands = 8, most_words = 16, most_rounds = 100000 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static double microseconds(struct timeval time) { return (double)time.tv_sec * 1e6 + (double)time.tv_usec; }

static int compare(const void *one, const void *other) {
  double a = *(const double *)one, b = *(const double *)other;
  return (a > b) - (a < b);
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 0, commands = count - 2;
  if (rounds < 1 || rounds > most_rounds || commands < 1 || commands > most_commands) return 64;
  char *words[most_commands][most_words + 1] = {0};
  double *times[most_commands], *costs[most_commands];
  for (int command = 0; command < commands; command++) {
    char *text = arguments[command + 2];
    times[command] = calloc((size_t)rounds, sizeof(double));
    costs[command] = calloc((size_t)rounds, sizeof(double));
    if (!times[command] || !costs[command]) return 70;
    if (strchr(text, '|')) {
      words[command][0] = "/bin/sh", words[command][1] = "-c", words[command][2] = text;
      continue;
    }
    int place = 0;
    for (char *word = strtok(text, " "); word && place < most_words; word = strtok(NULL, " ")) words[command][place++] = word;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  for (int round = 0; round < rounds; round++) {
    for (int command = 0; command < commands; command++) {
      pid_t child;
      int status;
      struct rusage used;
      double start = now();
      if (posix_spawnp(&child, words[command][0], &actions, NULL, words[command], environ) || wait4(child, &status, 0, &used) < 0) return 66;
      times[command][round] = now() - start;
      costs[command][round] = microseconds(used.ru_utime) + microseconds(used.ru_stime);
      if (status) {
        fprintf(stderr, "StartUp: '%s' failed\n", words[command][0]);
        return 70;
      }
    }
  }
  for (int command = 0; command < commands; command++) {
    qsort(times[command], (size_t)rounds, sizeof(double), compare);
    qsort(costs[command], (size_t)rounds, sizeof(double), compare);
    printf("%.0f %.0f\n", times[command][rounds / 2], costs[command][rounds / 2]);
  }
}
