#include "peers.h"

#if __has_include(<AL/alext.h>)
#define AL_NO_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <dlfcn.h>
#include <stdlib.h>

static void *library;
static ALCdevice *loopback;
static ALCcontext *context;
static LPALCRENDERSAMPLESSOFT render_samples;
static LPALCMAKECONTEXTCURRENT make_current;
static LPALCDESTROYCONTEXT destroy_context;
static LPALCCLOSEDEVICE close_device;

#define FIND(type, name) \
  const type f_##name = (type)dlsym(library, #name); \
  if (f_##name == NULL) return "libopenal has no " #name
#define FIND_EXTENSION(type, name) \
  const type f_##name = (type)f_alcGetProcAddress(NULL, #name); \
  if (f_##name == NULL) return "libopenal has no " #name

const char *openal_open(const peer_voices *voices, int direct) {
  // The user's settings do not count.
  setenv("ALSOFT_CONF", "/dev/null", 1);
  if (library == NULL) library = dlopen("libopenal.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return "not installed (libopenal-dev)";
  FIND(LPALCGETPROCADDRESS, alcGetProcAddress);
  FIND(LPALCCREATECONTEXT, alcCreateContext);
  FIND(LPALCMAKECONTEXTCURRENT, alcMakeContextCurrent);
  FIND(LPALCDESTROYCONTEXT, alcDestroyContext);
  FIND(LPALCCLOSEDEVICE, alcCloseDevice);
  FIND(LPALGENBUFFERS, alGenBuffers);
  FIND(LPALBUFFERDATA, alBufferData);
  FIND(LPALGENSOURCES, alGenSources);
  FIND(LPALSOURCEI, alSourcei);
  FIND(LPALSOURCEF, alSourcef);
  FIND(LPALSOURCEPLAYV, alSourcePlayv);
  FIND(LPALGETERROR, alGetError);
  FIND_EXTENSION(LPALCLOOPBACKOPENDEVICESOFT, alcLoopbackOpenDeviceSOFT);
  FIND_EXTENSION(LPALCRENDERSAMPLESSOFT, alcRenderSamplesSOFT);
  render_samples = f_alcRenderSamplesSOFT;
  make_current = f_alcMakeContextCurrent;
  destroy_context = f_alcDestroyContext;
  close_device = f_alcCloseDevice;

  loopback = f_alcLoopbackOpenDeviceSOFT(NULL);
  if (loopback == NULL) return "alcLoopbackOpenDeviceSOFT failed";
  // What would cost it more than the sum is off.
  const ALCint attributes[] = {
      ALC_FREQUENCY, 48000, ALC_FORMAT_CHANNELS_SOFT, ALC_STEREO_SOFT, ALC_FORMAT_TYPE_SOFT, ALC_FLOAT_SOFT,
      ALC_HRTF_SOFT, ALC_FALSE, ALC_OUTPUT_LIMITER_SOFT, ALC_FALSE, 0};
  context = f_alcCreateContext(loopback, attributes);
  if (context == NULL || !f_alcMakeContextCurrent(context)) return "alcCreateContext failed";
  ALuint sources[256];
  if (voices->voices > 256) return "more than 256 voices";
  f_alGenSources((ALsizei)voices->voices, sources);
  for (size_t v = 0; v < voices->voices; v++) {
    ALuint buffer = 0;
    f_alGenBuffers(1, &buffer);
    f_alBufferData(buffer, AL_FORMAT_STEREO_FLOAT32, voices->clips[v], (ALsizei)(voices->frames * 8), 48000);
    f_alSourcei(sources[v], AL_BUFFER, (ALint)buffer);
    f_alSourcei(sources[v], AL_LOOPING, AL_TRUE);
    f_alSourcei(sources[v], AL_DIRECT_CHANNELS_SOFT, direct ? AL_TRUE : AL_FALSE);
    f_alSourcef(sources[v], AL_GAIN, (float)voices->gains[v] * 0x1p-7f);
  }
  // All at once: they begin in the same block.
  f_alSourcePlayv((ALsizei)voices->voices, sources);
  return f_alGetError() == AL_NO_ERROR ? NULL : "OpenAL reported an error";
}

void openal_render(float *out, size_t frames) { render_samples(loopback, out, (ALCsizei)frames); }

void openal_close(void) {
  if (context != NULL) {
    make_current(NULL);
    destroy_context(context);
  }
  if (loopback != NULL) close_device(loopback);
  context = NULL;
  loopback = NULL;
}

#else

const char *openal_open(const peer_voices *voices, int direct) {
  (void)voices, (void)direct;
  return "not installed (libopenal-dev)";
}
void openal_render(float *out, size_t frames) { (void)out, (void)frames; }
void openal_close(void) {}

#endif
