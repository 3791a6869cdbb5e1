#include "peers.h"

// The headers give the types; the library is opened at run time, so that a machine without it still runs the rest.
#if __has_include(<SDL2/SDL_mixer.h>)
#include <SDL2/SDL_mixer.h>
#include <dlfcn.h>
#include <stdlib.h>

static void *library, *device;
static void (*callback)(void *, Uint8 *, int);
static void *callback_data;
static typeof(Mix_CloseAudio) *close_audio;

#define FIND(name) \
  typeof(name) *const f_##name = (typeof(name) *)dlsym(library, #name); \
  if (f_##name == NULL) return "libSDL2_mixer has no " #name

const char *sdl_open(const peer_voices *voices, const char *device_path) {
  setenv("SDL_AUDIODRIVER", "dummy", 1);
  // Before SDL2_mixer, and global: its calls are to find this device rather than SDL's, whose thread paces the callback.
  if (device == NULL) device = dlopen(device_path, RTLD_NOW | RTLD_GLOBAL);
  if (device == NULL) return dlerror();
  if (library == NULL) library = dlopen("libSDL2_mixer-2.0.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return "not installed (libsdl2-mixer-dev)";
  FIND(Mix_OpenAudioDevice);
  FIND(Mix_AllocateChannels);
  FIND(Mix_QuickLoad_RAW);
  FIND(Mix_Volume);
  FIND(Mix_PlayChannelTimed);
  close_audio = (typeof(Mix_CloseAudio) *)dlsym(library, "Mix_CloseAudio");
  if (close_audio == NULL) return "libSDL2_mixer has no Mix_CloseAudio";
  if (f_Mix_OpenAudioDevice(48000, AUDIO_F32SYS, 2, 64, NULL, 0) != 0) return "Mix_OpenAudioDevice failed";
  void (*(*taken)(void **))(void *, Uint8 *, int) = dlsym(device, "sdl_device_callback");
  callback = taken == NULL ? NULL : taken(&callback_data);
  if (callback == NULL) return "SDL2_mixer did not open the benchmark's device";
  if (f_Mix_AllocateChannels((int)voices->voices) != (int)voices->voices) return "Mix_AllocateChannels failed";
  for (size_t v = 0; v < voices->voices; v++) {
    Mix_Chunk *chunk = f_Mix_QuickLoad_RAW((Uint8 *)voices->clips[v], (Uint32)(voices->frames * 8));
    f_Mix_Volume((int)v, voices->gains[v]);
    if (chunk == NULL || f_Mix_PlayChannelTimed((int)v, chunk, -1, -1) < 0) return "Mix_PlayChannel failed";
  }
  return NULL;
}

void sdl_render(float *out, size_t frames) { callback(callback_data, (Uint8 *)out, (int)(frames * 8)); }

void sdl_close(void) {
  if (close_audio != NULL) close_audio();
}

#else

const char *sdl_open(const peer_voices *voices, const char *device) {
  (void)voices, (void)device;
  return "not installed (libsdl2-mixer-dev)";
}
void sdl_render(float *out, size_t frames) { (void)out, (void)frames; }
void sdl_close(void) {}

#endif
