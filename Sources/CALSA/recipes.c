#include "shipped.h"

// In a file of its own: a program that uses the library names nothing of it, so its linker leaves it out.

// The compiler that comes with Swift has #embed, which is a part of C23.
#pragma clang diagnostic ignored "-Wc23-extensions"

// No pointers: each would be relocated whenever a command starts.
static const struct {
  char path[39];
  char is_executable;
} entries[] = {
    {"agent/claude-settings.json", 0},
    {"agent/codex-hooks.json", 0},
    {"agent/config.toml", 0},
    {"agent/opencode.js", 0},
    {"agent/remote", 0},
    {"agent/soundd-agent", 1},
    {"alarm.toml", 0},
    {"battery.toml", 0},
    {"build/announce", 1},
    {"build/config.toml", 0},
    {"cron/config.toml", 0},
    {"cron/report", 1},
    {"desktop.toml", 0},
    {"disk.toml", 0},
    {"first.toml", 0},
    {"fleet/config.toml", 0},
    {"fleet/soundd-fleet-listen", 1},
    {"fleet/soundd-fleet-publish", 1},
    {"fleet/soundd-fleet-publish.service", 0},
    {"geiger.toml", 0},
    {"git/config.toml", 0},
    {"git/soundd-hook", 1},
    {"http.toml", 0},
    {"i3.toml", 0},
    {"kubernetes.toml", 0},
    {"log.toml", 0},
    {"mail.toml", 0},
    {"mqtt.toml", 0},
    {"notifications.toml", 0},
    {"progress.toml", 0},
    {"prometheus.toml", 0},
    {"shell/config.toml", 0},
    {"shell/soundd.bash", 0},
    {"shell/soundd.fish", 0},
    {"shell/soundd.zsh", 0},
    {"speech.toml", 0},
    {"ssh/config.toml", 0},
    {"ssh/soundd-ssh@.service", 0},
    {"steps.toml", 0},
    {"systemd/config.toml", 0},
    {"systemd/no-failure.conf", 0},
    {"systemd/on-failure.conf", 0},
    {"systemd/soundd-failed@.service", 0},
    {"systemd/system.conf", 0},
    {"temperature.toml", 0},
    {"timer/config.toml", 0},
    {"timer/timer", 1},
    {"ups.toml", 0},
};

// The files in the order of their paths. A zero byte ends each of them: they are texts, which have none.
static const unsigned char files[] = {
#embed "../../examples/agent/claude-settings.json"
, 0,
#embed "../../examples/agent/codex-hooks.json"
, 0,
#embed "../../examples/agent/config.toml"
, 0,
#embed "../../examples/agent/opencode.js"
, 0,
#embed "../../examples/agent/remote"
, 0,
#embed "../../examples/agent/soundd-agent"
, 0,
#embed "../../examples/alarm.toml"
, 0,
#embed "../../examples/battery.toml"
, 0,
#embed "../../examples/build/announce"
, 0,
#embed "../../examples/build/config.toml"
, 0,
#embed "../../examples/cron/config.toml"
, 0,
#embed "../../examples/cron/report"
, 0,
#embed "../../examples/desktop.toml"
, 0,
#embed "../../examples/disk.toml"
, 0,
#embed "../../examples/first.toml"
, 0,
#embed "../../examples/fleet/config.toml"
, 0,
#embed "../../examples/fleet/soundd-fleet-listen"
, 0,
#embed "../../examples/fleet/soundd-fleet-publish"
, 0,
#embed "../../examples/fleet/soundd-fleet-publish.service"
, 0,
#embed "../../examples/geiger.toml"
, 0,
#embed "../../examples/git/config.toml"
, 0,
#embed "../../examples/git/soundd-hook"
, 0,
#embed "../../examples/http.toml"
, 0,
#embed "../../examples/i3.toml"
, 0,
#embed "../../examples/kubernetes.toml"
, 0,
#embed "../../examples/log.toml"
, 0,
#embed "../../examples/mail.toml"
, 0,
#embed "../../examples/mqtt.toml"
, 0,
#embed "../../examples/notifications.toml"
, 0,
#embed "../../examples/progress.toml"
, 0,
#embed "../../examples/prometheus.toml"
, 0,
#embed "../../examples/shell/config.toml"
, 0,
#embed "../../examples/shell/soundd.bash"
, 0,
#embed "../../examples/shell/soundd.fish"
, 0,
#embed "../../examples/shell/soundd.zsh"
, 0,
#embed "../../examples/speech.toml"
, 0,
#embed "../../examples/ssh/config.toml"
, 0,
#embed "../../examples/ssh/soundd-ssh@.service"
, 0,
#embed "../../examples/steps.toml"
, 0,
#embed "../../examples/systemd/config.toml"
, 0,
#embed "../../examples/systemd/no-failure.conf"
, 0,
#embed "../../examples/systemd/on-failure.conf"
, 0,
#embed "../../examples/systemd/soundd-failed@.service"
, 0,
#embed "../../examples/systemd/system.conf"
, 0,
#embed "../../examples/temperature.toml"
, 0,
#embed "../../examples/timer/config.toml"
, 0,
#embed "../../examples/timer/timer"
, 0,
#embed "../../examples/ups.toml"
, 0,
};

size_t recipe_count(void) { return sizeof entries / sizeof entries[0]; }

const char *recipe_path(size_t index) { return entries[index].path; }

bool recipe_is_executable(size_t index) { return entries[index].is_executable; }

const unsigned char *recipe_files(void) { return files; }

size_t recipe_files_length(void) { return sizeof files; }
