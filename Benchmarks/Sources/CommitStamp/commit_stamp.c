#define _GNU_SOURCE
#include "commit_stamp.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

// The types are those of <alsa/asoundlib.h> and <pipewire/stream.h>; only their width matters here.
typedef unsigned long frames_t;
typedef long result_t;

static _Atomic(int64_t) *stamp;
static result_t (*writei)(void *, const void *, frames_t);
static result_t (*mmap_commit)(void *, frames_t, frames_t);
static result_t (*mmap_writei)(void *, const void *, frames_t);
static int (*queue_buffer)(void *, void *);
// Whether the program speaks to PipeWire itself. If ALSA's plugin does, the commit to ALSA was the program's, and noted.
static int is_native;

// soundd opens ALSA's library after the start.
static void look_up(void) {
  writei = (result_t(*)(void *, const void *, frames_t))dlsym(RTLD_NEXT, "snd_pcm_writei");
  mmap_writei = (result_t(*)(void *, const void *, frames_t))dlsym(RTLD_NEXT, "snd_pcm_mmap_writei");
  mmap_commit = (result_t(*)(void *, frames_t, frames_t))dlsym(RTLD_NEXT, "snd_pcm_mmap_commit");
}

// Everything is looked up once: the stamp itself costs a read of the clock.
__attribute__((constructor)) static void prepare(void) {
  look_up();
  queue_buffer = (int (*)(void *, void *))dlsym(RTLD_NEXT, "pw_stream_queue_buffer");
  is_native = queue_buffer != NULL;
  const char *path = getenv("COMMIT_STAMP");
  const int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *page = mmap(NULL, sizeof *stamp, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, fd, 0);
  close(fd);
  if (page != MAP_FAILED) stamp = page;
}

static void note(void) {
  if (stamp == NULL || atomic_load_explicit(stamp, memory_order_relaxed) != 0) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  int64_t none = 0;
  atomic_compare_exchange_strong(stamp, &none, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

// Noted after the call: the frames are committed when it returns.
result_t snd_pcm_writei(void *pcm, const void *buffer, frames_t size) {
  if (writei == NULL) look_up();
  const result_t written = writei(pcm, buffer, size);
  if (written > 0) note();
  return written;
}

result_t snd_pcm_mmap_writei(void *pcm, const void *buffer, frames_t size) {
  if (mmap_writei == NULL) look_up();
  const result_t written = mmap_writei(pcm, buffer, size);
  if (written > 0) note();
  return written;
}

result_t snd_pcm_mmap_commit(void *pcm, frames_t offset, frames_t frames) {
  if (mmap_commit == NULL) look_up();
  const result_t committed = mmap_commit(pcm, offset, frames);
  if (committed > 0) note();
  return committed;
}

int pw_stream_queue_buffer(void *stream, void *buffer) {
  if (queue_buffer == NULL) {
    // ALSA's plugin brought the library in after the start, where RTLD_NEXT does not see it.
    void *library = dlopen("libpipewire-0.3.so.0", RTLD_NOW | RTLD_NOLOAD);
    if (library != NULL) queue_buffer = (int (*)(void *, void *))dlsym(library, "pw_stream_queue_buffer");
    if (queue_buffer == NULL) return -ENOSYS;
  }
  const int result = queue_buffer(stream, buffer);
  if (result == 0 && is_native) note();
  return result;
}
