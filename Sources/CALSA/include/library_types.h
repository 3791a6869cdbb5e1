/// The types and constants of ALSA, libsndfile, soxr and PCRE2 that we use, declared here because the libraries are opened late:
/// the build needs none of their headers.
///
/// A test compares each with the library's own header, if that is installed. It reads this file: every constant is an enumerator
/// or a `static const`, and every member has a line of its own.
#ifndef CALSA_LIBRARY_TYPES_H
#define CALSA_LIBRARY_TYPES_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

// MARK: ALSA

typedef struct _snd_pcm snd_pcm_t;
typedef struct _snd_pcm_info snd_pcm_info_t;
typedef struct _snd_pcm_hw_params snd_pcm_hw_params_t;
typedef struct _snd_pcm_sw_params snd_pcm_sw_params_t;
typedef struct _snd_output snd_output_t;
typedef unsigned long snd_pcm_uframes_t;
typedef long snd_pcm_sframes_t;
typedef struct timespec snd_htimestamp_t;
typedef void (*snd_lib_error_handler_t)(
  const char *file, int line, const char *function, int err, const char *format, ...);

typedef enum {
  SND_PCM_TYPE_HW = 0,
  SND_PCM_TYPE_NULL = 4,
} snd_pcm_type_t;

typedef enum {
  SND_PCM_STREAM_PLAYBACK = 0,
} snd_pcm_stream_t;

typedef enum {
  SND_PCM_ACCESS_MMAP_INTERLEAVED = 0,
  SND_PCM_ACCESS_RW_INTERLEAVED = 3,
} snd_pcm_access_t;

typedef enum {
  SND_PCM_FORMAT_UNKNOWN = -1,
  SND_PCM_FORMAT_S16_LE = 2,
  SND_PCM_FORMAT_S24_LE = 6,
  SND_PCM_FORMAT_S32_LE = 10,
  SND_PCM_FORMAT_FLOAT_LE = 14,
  SND_PCM_FORMAT_S24_3LE = 32,
} snd_pcm_format_t;

typedef enum {
  SND_PCM_STATE_SETUP = 1,
  SND_PCM_STATE_PREPARED = 2,
  SND_PCM_STATE_RUNNING = 3,
  SND_PCM_STATE_XRUN = 4,
  SND_PCM_STATE_SUSPENDED = 7,
  SND_PCM_STATE_DISCONNECTED = 8,
} snd_pcm_state_t;

typedef enum {
  SND_PCM_TSTAMP_ENABLE = 1,
} snd_pcm_tstamp_t;

typedef enum {
  SND_PCM_TSTAMP_TYPE_MONOTONIC = 1,
} snd_pcm_tstamp_type_t;

enum {
  SND_PCM_NONBLOCK = 1,
};

typedef struct {
  void *addr;
  unsigned int first;
  unsigned int step;
} snd_pcm_channel_area_t;

// MARK: libsndfile

typedef struct sf_private_tag SNDFILE;
typedef int64_t sf_count_t;

enum {
  SFM_READ = 0x10,
  SF_ERR_SYSTEM = 2,
};

typedef struct {
  sf_count_t frames;
  int samplerate;
  int channels;
  int format;
  int sections;
  int seekable;
} SF_INFO;

// MARK: soxr

typedef struct soxr *soxr_t;
typedef const char *soxr_error_t;
typedef const void *soxr_in_t;
typedef void *soxr_out_t;
typedef struct soxr_io_spec soxr_io_spec_t;
typedef struct soxr_quality_spec soxr_quality_spec_t;
typedef struct soxr_runtime_spec soxr_runtime_spec_t;

// MARK: PCRE2, for units of 8 bits

typedef struct pcre2_real_code_8 pcre2_code_8;
typedef struct pcre2_real_general_context_8 pcre2_general_context_8;
typedef struct pcre2_real_compile_context_8 pcre2_compile_context_8;
typedef struct pcre2_real_match_context_8 pcre2_match_context_8;
typedef struct pcre2_real_match_data_8 pcre2_match_data_8;
typedef struct pcre2_real_jit_stack_8 pcre2_jit_stack_8;
typedef pcre2_jit_stack_8 *(*pcre2_jit_callback_8)(void *);

enum {
  PCRE2_AUTO_CALLOUT = 0x4,
  PCRE2_UTF = 0x80000,
  PCRE2_NEVER_BACKSLASH_C = 0x100000,
  PCRE2_MATCH_INVALID_UTF = 0x4000000,
  PCRE2_JIT_COMPLETE = 0x1,
  PCRE2_ERROR_NOMATCH = -1,
  PCRE2_ERROR_CALLOUT = -37,
  PCRE2_ERROR_INTERNAL = -44,
  PCRE2_ERROR_JIT_BADOPTION = -45,
  PCRE2_ERROR_JIT_STACKLIMIT = -46,
};

static const size_t PCRE2_UNSET = SIZE_MAX;

typedef struct {
  uint32_t version;
  uint32_t callout_number;
  uint32_t capture_top;
  uint32_t capture_last;
  size_t *offset_vector;
  const uint8_t *mark;
  const uint8_t *subject;
  size_t subject_length;
  size_t start_match;
  size_t current_position;
  size_t pattern_position;
  size_t next_item_length;
  size_t callout_string_offset;
  size_t callout_string_length;
  const uint8_t *callout_string;
  uint32_t callout_flags;
} pcre2_callout_block_8;

#endif
