/// An audio device for SDL2_mixer that plays nothing and has no thread: a program that loads this library before
/// SDL2_mixer gets its mixing callback and calls it when it likes.
#ifndef SDL_DEVICE_H
#define SDL_DEVICE_H

#include <stdint.h>

/// The callback that SDL2_mixer opened the device with, and through `data` its argument; NULL if it did not.
void (*sdl_device_callback(void **data))(void *, uint8_t *, int);

#endif
