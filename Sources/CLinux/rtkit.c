#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "clinux.h"
#include "clinux_dlopen.h"
#include "clinux_realtime.h"

#define LIBRARY "libsystemd.so.0"
CLINUX_DLOPEN_NOTE(note, LIBRARY, "suggested", "rtkit", "Asks RealtimeKit for real-time priority");

// The part of <systemd/sd-bus.h> that this file uses. Its binary interface is stable, so the build does not need the header.
// The library is loaded only before soundd asks RealtimeKit.
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct {
  const char *name, *message;
  int needs_free;
} sd_bus_error;

typedef struct {
  void *library;
  sd_bus *bus;
  int64_t deadline;
  /// Receives the reason why RealtimeKit did not grant real-time priority.
  char *reason;
  size_t room;
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
} connection;

static const char service[] = "org.freedesktop.RealtimeKit1", object[] = "/org/freedesktop/RealtimeKit1";

/// Microseconds left, at least 1, because sd-bus takes 0 as its own default.
static uint64_t time_left(const connection *rtkit) {
  int64_t left = (rtkit->deadline - clinux_monotonic()) / 1000;
  return left > 0 ? (uint64_t)left : 1;
}

static clinux_rtkit_result fail(connection *rtkit, clinux_rtkit_result result, const char *what, const char *detail) {
  snprintf(rtkit->reason, rtkit->room, "%s%s", what, detail ? detail : "");
  return result;
}

static clinux_rtkit_result silent(connection *rtkit) {
  return fail(rtkit, CLINUX_RTKIT_SILENT, "RealtimeKit did not answer in time", NULL);
}

/// Looks up all functions. Returns whether the library has them all.
static int load(connection *rtkit) {
  rtkit->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
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

static clinux_rtkit_result connect_bus(connection *rtkit) {
  if (!load(rtkit))
    return fail(rtkit, CLINUX_RTKIT_ABSENT, "RealtimeKit cannot be asked without libsystemd: ", dlerror());
  int code = rtkit->open_system(&rtkit->bus);
  // Without this loop the first call waits for the connection without a time-out.
  while (code >= 0 && (code = rtkit->is_ready(rtkit->bus)) == 0) {
    if (clinux_monotonic() >= rtkit->deadline) return silent(rtkit);
    code = rtkit->process(rtkit->bus, NULL);
    if (code == 0) code = rtkit->wait(rtkit->bus, time_left(rtkit));
    if (code == -EINTR) code = 0;
  }
  if (code >= 0) return CLINUX_RTKIT_GRANTED;
  return fail(rtkit, CLINUX_RTKIT_ABSENT, "there is no system bus to ask RealtimeKit on: ", strerror(-code));
}

/// The result for the error of a call. Frees the error.
static clinux_rtkit_result outcome(connection *rtkit, int code, sd_bus_error *error) {
  if (code >= 0) return CLINUX_RTKIT_GRANTED;
  static const char bus[] = "org.freedesktop.DBus.Error.";
  const char *name = error->name && !strncmp(error->name, bus, sizeof bus - 1) ? error->name + sizeof bus - 1 : "";
  const char *text = error->message ? error->message : error->name ? error->name : strerror(-code);
  clinux_rtkit_result result;
  if (!strcmp(name, "ServiceUnknown") || !strcmp(name, "NameHasNoOwner") || !strncmp(name, "Spawn.", 6))
    result = fail(rtkit, CLINUX_RTKIT_ABSENT, "RealtimeKit is not installed: ", text);
  else if (!strcmp(name, "AccessDenied"))
    result = fail(rtkit, CLINUX_RTKIT_REFUSED, "RealtimeKit refused: ", text);
  else if (!strcmp(name, "NoReply") || !strcmp(name, "Timeout") || code == -ETIMEDOUT)
    result = silent(rtkit);
  else
    result = fail(rtkit, CLINUX_RTKIT_FAILED, "asking RealtimeKit failed: ", text);
  rtkit->error_free(error);
  return result;
}

static clinux_rtkit_result get(connection *rtkit, const char *property, char type, void *out) {
  sd_bus_error error = {0};
  rtkit->set_method_call_timeout(rtkit->bus, time_left(rtkit));
  int code = rtkit->get_property_trivial(rtkit->bus, service, object, service, property, &error, type, out);
  return outcome(rtkit, code, &error);
}

static clinux_rtkit_result promote(connection *rtkit, pid_t thread, int *priority, int (*limit_runtime)(int64_t)) {
  int32_t highest = 0;
  int64_t microseconds = 0;
  clinux_rtkit_result result = get(rtkit, "MaxRealtimePriority", 'i', &highest);
  if (result == CLINUX_RTKIT_GRANTED) result = get(rtkit, "RTTimeUSecMax", 'x', &microseconds);
  if (result != CLINUX_RTKIT_GRANTED) return result;
  int error = limit_runtime(microseconds);
  if (error == ECANCELED) return fail(rtkit, CLINUX_RTKIT_FAILED, "RealtimeKit demands a lower RLIMIT_RTTIME", "");
  if (error) return fail(rtkit, CLINUX_RTKIT_FAILED, "RLIMIT_RTTIME cannot be set: ", strerror(error));
  if (*priority > highest) *priority = highest;
  sd_bus_error refusal = {0};
  rtkit->set_method_call_timeout(rtkit->bus, time_left(rtkit));
  int code = rtkit->call_method(
      rtkit->bus, service, object, service, "MakeThreadRealtime", &refusal, NULL, "tu", (uint64_t)thread,
      (uint32_t)*priority);
  return outcome(rtkit, code, &refusal);
}

clinux_rtkit_result clinux_rtkit_promote(
    pid_t thread, int *priority, int64_t nanoseconds, int (*limit_runtime)(int64_t), char *reason, size_t room) {
  connection rtkit = {.deadline = clinux_monotonic() + nanoseconds, .reason = reason, .room = room};
  clinux_rtkit_result result = connect_bus(&rtkit);
  if (result == CLINUX_RTKIT_GRANTED) result = promote(&rtkit, thread, priority, limit_runtime);
  if (rtkit.bus) rtkit.close_unref(rtkit.bus);
  if (rtkit.library) dlclose(rtkit.library);
  return result;
}
