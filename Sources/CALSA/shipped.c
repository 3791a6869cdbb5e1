#define _GNU_SOURCE
#include "shipped.h"

#include <endian.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

// The compiler that comes with Swift has #embed, which is a part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// No pointers: each would be relocated whenever a command starts.
static const char names[][16] = {
    "alarm", "alignment", "decrease", "error", "impact", "impact-heavy", "impact-light", "impact-medium",
    "impact-rigid", "impact-soft", "impact-solid", "increase", "level-change", "message", "path-complete", "press",
    "release", "selection", "selection-off", "selection-on", "start", "stop", "success", "tick", "warning",
};

// The files in the order of their names, one after the other. A WAV file begins with its length.
static const unsigned char files[] = {
#embed "../../sounds/alarm.wav"
,
#embed "../../sounds/alignment.wav"
,
#embed "../../sounds/decrease.wav"
,
#embed "../../sounds/error.wav"
,
#embed "../../sounds/impact.wav"
,
#embed "../../sounds/impact-heavy.wav"
,
#embed "../../sounds/impact-light.wav"
,
#embed "../../sounds/impact-medium.wav"
,
#embed "../../sounds/impact-rigid.wav"
,
#embed "../../sounds/impact-soft.wav"
,
#embed "../../sounds/impact-solid.wav"
,
#embed "../../sounds/increase.wav"
,
#embed "../../sounds/level-change.wav"
,
#embed "../../sounds/message.wav"
,
#embed "../../sounds/path-complete.wav"
,
#embed "../../sounds/press.wav"
,
#embed "../../sounds/release.wav"
,
#embed "../../sounds/selection.wav"
,
#embed "../../sounds/selection-off.wav"
,
#embed "../../sounds/selection-on.wav"
,
#embed "../../sounds/start.wav"
,
#embed "../../sounds/stop.wav"
,
#embed "../../sounds/success.wav"
,
#embed "../../sounds/tick.wav"
,
#embed "../../sounds/warning.wav"
};

static size_t length(const unsigned char *file) {
  uint32_t rest;
  memcpy(&rest, file + 4, sizeof rest);
  return 8 + le32toh(rest);
}

size_t shipped_count(void) { return sizeof names / sizeof names[0]; }

const char *shipped_name(size_t index) { return names[index]; }

int shipped_open(size_t index) {
  const unsigned char *file = files;
  for (size_t i = 0; i < index; i++) file += length(file);
  int fd = memfd_create(names[index], MFD_CLOEXEC);
  if (fd < 0) return -1;
  for (size_t written = 0; written < length(file);) {
    ssize_t count = pwrite(fd, file + written, length(file) - written, (off_t)written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      int reason = errno;
      close(fd);
      errno = reason;
      return -1;
    }
    written += (size_t)count;
  }
  return fd;
}
