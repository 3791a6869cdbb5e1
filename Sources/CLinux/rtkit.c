#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clinux.h"
#include "clinux_realtime.h"

// The part of <systemd/sd-bus.h> that is used here; its binary interface is stable. So the build does not need the header,
// and the library is loaded only before RealtimeKit is asked.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
  const char *name, *message;
  int needs_free;
} sd_bus_error;

struct clinux_rtkit {
  void *library;
  sd_bus *bus;
  int64_t deadline;
  char reason[256];
  int (*open_system)(sd_bus **);
  int (*is_ready)(sd_bus *);
  int (*process)(sd_bus *, sd_bus_message **);
  int (*wait)(sd_bus *, uint64_t microseconds);
  int (*set_method_call_timeout)(sd_bus *, uint64_t microseconds);
  int (*get_property_trivial)(
      sd_bus *, const char *destination, const char *path, const char *interface, const char *member, sd_bus_error *,
      char type, void *out);
  int (*call_method)(
      sd_bus *, const char *destination, const char *path, const char *interface, const char *member, sd_bus_error *,
      sd_bus_message **reply, const char *types, ...);
  void (*error_free)(sd_bus_error *);
  sd_bus *(*close_unref)(sd_bus *);
};

static const char service[] = "org.freedesktop.RealtimeKit1", object[] = "/org/freedesktop/RealtimeKit1";

/// Microseconds left, at least 1, because sd-bus takes 0 as its own default.
static uint64_t time_left(const clinux_rtkit *rtkit) {
  int64_t left = (rtkit->deadline - clinux_monotonic()) / 1000;
  return left > 0 ? (uint64_t)left : 1;
}

static clinux_rtkit_result fail(clinux_rtkit *rtkit, clinux_rtkit_result result, const char *reason) {
  snprintf(rtkit->reason, sizeof rtkit->reason, "%s", reason ? reason : "");
  return result;
}

static clinux_rtkit_result fail_errno(clinux_rtkit *rtkit, int code) {
  return fail(rtkit, code == -ETIMEDOUT ? CLINUX_RTKIT_SILENT : CLINUX_RTKIT_FAILED, strerror(-code));
}

/// Looks up all functions; returns whether they are there.
static int load(clinux_rtkit *rtkit) {
  rtkit->library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!rtkit->library) return 0;
  // dlsym returns a pointer to data; POSIX allows its use as a pointer to a function.
  struct { const char *name; void *to; } functions[] = {
      {"sd_bus_open_system", &rtkit->open_system},
      {"sd_bus_is_ready", &rtkit->is_ready},
      {"sd_bus_process", &rtkit->process},
      {"sd_bus_wait", &rtkit->wait},
      {"sd_bus_set_method_call_timeout", &rtkit->set_method_call_timeout},
      {"sd_bus_get_property_trivial", &rtkit->get_property_trivial},
      {"sd_bus_call_method", &rtkit->call_method},
      {"sd_bus_error_free", &rtkit->error_free},
      {"sd_bus_close_unref", &rtkit->close_unref},
  };
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    void *function = dlsym(rtkit->library, functions[i].name);
    if (!function) return 0;
    memcpy(functions[i].to, &function, sizeof function);
  }
  return 1;
}

static clinux_rtkit_result connect_bus(int64_t nanoseconds, clinux_rtkit **out) {
  clinux_rtkit *rtkit = *out = calloc(1, sizeof *rtkit);
  if (!rtkit) return CLINUX_RTKIT_FAILED;
  rtkit->deadline = clinux_monotonic() + nanoseconds;
  if (!load(rtkit)) return fail(rtkit, CLINUX_RTKIT_NO_LIBRARY, dlerror());
  int code = rtkit->open_system(&rtkit->bus);
  if (code < 0) return fail(rtkit, CLINUX_RTKIT_NO_BUS, strerror(-code));
  // Without this loop the first call waits for the connection without a time-out.
  while ((code = rtkit->is_ready(rtkit->bus)) == 0) {
    if (clinux_monotonic() >= rtkit->deadline) return fail_errno(rtkit, -ETIMEDOUT);
    code = rtkit->process(rtkit->bus, NULL);
    if (code == 0) code = rtkit->wait(rtkit->bus, time_left(rtkit));
    if (code < 0 && code != -EINTR) break;
  }
  return code < 0 ? fail(rtkit, CLINUX_RTKIT_NO_BUS, strerror(-code)) : CLINUX_RTKIT_OK;
}

/// The result for the error of a call. Frees the error.
static clinux_rtkit_result outcome(clinux_rtkit *rtkit, int code, sd_bus_error *error) {
  if (code >= 0) return CLINUX_RTKIT_OK;
  clinux_rtkit_result result = fail_errno(rtkit, code);
  if (error->name) {
    static const char bus[] = "org.freedesktop.DBus.Error.";
    const char *name = strncmp(error->name, bus, sizeof bus - 1) ? "" : error->name + sizeof bus - 1;
    if (!strcmp(name, "ServiceUnknown") || !strcmp(name, "NameHasNoOwner") || !strncmp(name, "Spawn.", 6))
      result = CLINUX_RTKIT_ABSENT;
    else if (!strcmp(name, "AccessDenied"))
      result = CLINUX_RTKIT_REFUSED;
    else if (!strcmp(name, "NoReply") || !strcmp(name, "Timeout"))
      result = CLINUX_RTKIT_SILENT;
    fail(rtkit, result, error->message ? error->message : error->name);
  }
  rtkit->error_free(error);
  return result;
}

static clinux_rtkit_result get(clinux_rtkit *rtkit, const char *property, char type, void *out) {
  sd_bus_error error = {0};
  rtkit->set_method_call_timeout(rtkit->bus, time_left(rtkit));
  int code = rtkit->get_property_trivial(rtkit->bus, service, object, service, property, &error, type, out);
  return outcome(rtkit, code, &error);
}

clinux_rtkit_result clinux_rtkit_open(
    int64_t nanoseconds, clinux_rtkit **out, int *priority, int64_t *microseconds) {
  int32_t highest = 0;
  clinux_rtkit_result result = connect_bus(nanoseconds, out);
  if (result == CLINUX_RTKIT_OK) result = get(*out, "MaxRealtimePriority", 'i', &highest);
  if (result == CLINUX_RTKIT_OK) result = get(*out, "RTTimeUSecMax", 'x', microseconds);
  *priority = highest;
  return result;
}

clinux_rtkit_result clinux_rtkit_promote(clinux_rtkit *rtkit, pid_t thread, int priority) {
  sd_bus_error error = {0};
  rtkit->set_method_call_timeout(rtkit->bus, time_left(rtkit));
  int code = rtkit->call_method(
      rtkit->bus, service, object, service, "MakeThreadRealtime", &error, NULL, "tu", (uint64_t)thread,
      (uint32_t)priority);
  return outcome(rtkit, code, &error);
}

const char *clinux_rtkit_reason(const clinux_rtkit *rtkit) { return rtkit ? rtkit->reason : strerror(ENOMEM); }

void clinux_rtkit_close(clinux_rtkit *rtkit) {
  if (!rtkit) return;
  if (rtkit->bus) rtkit->close_unref(rtkit->bus);
  if (rtkit->library) dlclose(rtkit->library);
  free(rtkit);
}
