#include "sdl_device.h"

#include <stddef.h>

#if __has_include(<SDL2/SDL.h>)
#include <SDL2/SDL.h>

static SDL_AudioSpec opened;

// In place of SDL's own: takes whatever is asked for.
SDL_AudioDeviceID SDL_OpenAudioDevice(
    const char *device, int is_capture, const SDL_AudioSpec *desired, SDL_AudioSpec *obtained, int allowed_changes) {
  (void)device, (void)is_capture, (void)allowed_changes;
  opened = *desired;
  opened.silence = 0;
  opened.size = (Uint32)desired->samples * desired->channels * (SDL_AUDIO_BITSIZE(desired->format) / 8);
  if (obtained != NULL) *obtained = opened;
  return 2;
}

void SDL_PauseAudioDevice(SDL_AudioDeviceID device, int pause_on) { (void)device, (void)pause_on; }
void SDL_LockAudioDevice(SDL_AudioDeviceID device) { (void)device; }
void SDL_UnlockAudioDevice(SDL_AudioDeviceID device) { (void)device; }
void SDL_CloseAudioDevice(SDL_AudioDeviceID device) { (void)device; }

void (*sdl_device_callback(void **data))(void *, uint8_t *, int) {
  *data = opened.userdata;
  return opened.callback;
}

#else

void (*sdl_device_callback(void **data))(void *, uint8_t *, int) {
  *data = NULL;
  return NULL;
}

#endif
