#define _GNU_SOURCE
#include "shipped.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

// The compiler that comes with Swift has #embed, which is a part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char wav_alarm[] = {
#embed "../../sounds/alarm.wav"
};
static const unsigned char wav_alignment[] = {
#embed "../../sounds/alignment.wav"
};
static const unsigned char wav_decrease[] = {
#embed "../../sounds/decrease.wav"
};
static const unsigned char wav_error[] = {
#embed "../../sounds/error.wav"
};
static const unsigned char wav_impact[] = {
#embed "../../sounds/impact.wav"
};
static const unsigned char wav_impact_heavy[] = {
#embed "../../sounds/impact-heavy.wav"
};
static const unsigned char wav_impact_light[] = {
#embed "../../sounds/impact-light.wav"
};
static const unsigned char wav_impact_medium[] = {
#embed "../../sounds/impact-medium.wav"
};
static const unsigned char wav_impact_rigid[] = {
#embed "../../sounds/impact-rigid.wav"
};
static const unsigned char wav_impact_soft[] = {
#embed "../../sounds/impact-soft.wav"
};
static const unsigned char wav_impact_solid[] = {
#embed "../../sounds/impact-solid.wav"
};
static const unsigned char wav_increase[] = {
#embed "../../sounds/increase.wav"
};
static const unsigned char wav_level_change[] = {
#embed "../../sounds/level-change.wav"
};
static const unsigned char wav_message[] = {
#embed "../../sounds/message.wav"
};
static const unsigned char wav_path_complete[] = {
#embed "../../sounds/path-complete.wav"
};
static const unsigned char wav_press[] = {
#embed "../../sounds/press.wav"
};
static const unsigned char wav_release[] = {
#embed "../../sounds/release.wav"
};
static const unsigned char wav_selection[] = {
#embed "../../sounds/selection.wav"
};
static const unsigned char wav_selection_off[] = {
#embed "../../sounds/selection-off.wav"
};
static const unsigned char wav_selection_on[] = {
#embed "../../sounds/selection-on.wav"
};
static const unsigned char wav_start[] = {
#embed "../../sounds/start.wav"
};
static const unsigned char wav_stop[] = {
#embed "../../sounds/stop.wav"
};
static const unsigned char wav_success[] = {
#embed "../../sounds/success.wav"
};
static const unsigned char wav_tick[] = {
#embed "../../sounds/tick.wav"
};
static const unsigned char wav_warning[] = {
#embed "../../sounds/warning.wav"
};

static const struct {
  const char *name;
  const unsigned char *bytes;
  size_t size;
} sounds[] = {
    {"alarm", wav_alarm, sizeof wav_alarm},
    {"alignment", wav_alignment, sizeof wav_alignment},
    {"decrease", wav_decrease, sizeof wav_decrease},
    {"error", wav_error, sizeof wav_error},
    {"impact", wav_impact, sizeof wav_impact},
    {"impact-heavy", wav_impact_heavy, sizeof wav_impact_heavy},
    {"impact-light", wav_impact_light, sizeof wav_impact_light},
    {"impact-medium", wav_impact_medium, sizeof wav_impact_medium},
    {"impact-rigid", wav_impact_rigid, sizeof wav_impact_rigid},
    {"impact-soft", wav_impact_soft, sizeof wav_impact_soft},
    {"impact-solid", wav_impact_solid, sizeof wav_impact_solid},
    {"increase", wav_increase, sizeof wav_increase},
    {"level-change", wav_level_change, sizeof wav_level_change},
    {"message", wav_message, sizeof wav_message},
    {"path-complete", wav_path_complete, sizeof wav_path_complete},
    {"press", wav_press, sizeof wav_press},
    {"release", wav_release, sizeof wav_release},
    {"selection", wav_selection, sizeof wav_selection},
    {"selection-off", wav_selection_off, sizeof wav_selection_off},
    {"selection-on", wav_selection_on, sizeof wav_selection_on},
    {"start", wav_start, sizeof wav_start},
    {"stop", wav_stop, sizeof wav_stop},
    {"success", wav_success, sizeof wav_success},
    {"tick", wav_tick, sizeof wav_tick},
    {"warning", wav_warning, sizeof wav_warning},
};

size_t shipped_count(void) { return sizeof sounds / sizeof sounds[0]; }

const char *shipped_name(size_t index) { return sounds[index].name; }

int shipped_open(size_t index) {
  int fd = memfd_create(sounds[index].name, MFD_CLOEXEC);
  if (fd < 0) return -1;
  for (size_t written = 0; written < sounds[index].size;) {
    ssize_t count = pwrite(fd, sounds[index].bytes + written, sounds[index].size - written, (off_t)written);
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
