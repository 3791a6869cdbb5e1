/// The functions of ALSA, libsndfile, soxr and PCRE2 that we use, each declared under its own name. late.h defines it.
///
/// Each list has rows of X(type, name, parameters, arguments, result if the library is missing).
#ifndef CALSA_LIBRARY_FUNCTIONS_H
#define CALSA_LIBRARY_FUNCTIONS_H

#include "library_types.h"

// clang-format off
#define ALSA_FUNCTIONS(X) \
  X(int, snd_lib_error_set_handler, (snd_lib_error_handler_t handler), (handler), NONE) \
  X(const char *, snd_strerror, (int error), (error), problem()) \
  X(int, snd_output_buffer_open, (snd_output_t **output), (output), NONE) \
  X(size_t, snd_output_buffer_string, (snd_output_t *output, char **text), (output, text), 0) \
  X(int, snd_output_close, (snd_output_t *output), (output), NONE) \
  X(int, snd_config_update_free_global, (void), (), NONE) \
  X(int, snd_card_next, (int *card), (card), NONE) \
  X(int, snd_card_get_name, (int card, char **name), (card, name), NONE) \
  X(int, snd_device_name_hint, (int card, const char *interface, void ***hints), (card, interface, hints), NONE) \
  X(int, snd_device_name_free_hint, (void **hints), (hints), NONE) \
  X(char *, snd_device_name_get_hint, (const void *hint, const char *key), (hint, key), NULL) \
  X(int, snd_pcm_open, \
    (snd_pcm_t **pcm, const char *name, snd_pcm_stream_t stream, int mode), \
    (pcm, name, stream, mode), NONE) \
  X(int, snd_pcm_close, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_dump, (snd_pcm_t *pcm, snd_output_t *output), (pcm, output), NONE) \
  X(snd_pcm_type_t, snd_pcm_type, (snd_pcm_t *pcm), (pcm), SND_PCM_TYPE_NULL) \
  X(const char *, snd_pcm_type_name, (snd_pcm_type_t type), (type), NULL) \
  X(int, snd_pcm_poll_descriptors_count, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_poll_descriptors, \
    (snd_pcm_t *pcm, struct pollfd *descriptors, unsigned int room), \
    (pcm, descriptors, room), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_avail, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_htimestamp, \
    (snd_pcm_t *pcm, snd_pcm_uframes_t *avail, snd_htimestamp_t *stamp), \
    (pcm, avail, stamp), NONE) \
  X(int, snd_pcm_delay, (snd_pcm_t *pcm, snd_pcm_sframes_t *delay), (pcm, delay), NONE) \
  X(snd_pcm_state_t, snd_pcm_state, (snd_pcm_t *pcm), (pcm), SND_PCM_STATE_DISCONNECTED) \
  X(int, snd_pcm_prepare, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_start, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_drop, (snd_pcm_t *pcm), (pcm), NONE) \
  X(int, snd_pcm_resume, (snd_pcm_t *pcm), (pcm), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_rewind, (snd_pcm_t *pcm, snd_pcm_uframes_t frames), (pcm, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_forward, (snd_pcm_t *pcm, snd_pcm_uframes_t frames), (pcm, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_writei, \
    (snd_pcm_t *pcm, const void *frames, snd_pcm_uframes_t count), \
    (pcm, frames, count), NONE) \
  X(int, snd_pcm_mmap_begin, \
    (snd_pcm_t *pcm, const snd_pcm_channel_area_t **areas, snd_pcm_uframes_t *offset, snd_pcm_uframes_t *frames), \
    (pcm, areas, offset, frames), NONE) \
  X(snd_pcm_sframes_t, snd_pcm_mmap_commit, \
    (snd_pcm_t *pcm, snd_pcm_uframes_t offset, snd_pcm_uframes_t frames), \
    (pcm, offset, frames), NONE) \
  X(int, snd_pcm_info_malloc, (snd_pcm_info_t **info), (info), NONE) \
  X(void, snd_pcm_info_free, (snd_pcm_info_t *info), (info),) \
  X(int, snd_pcm_info, (snd_pcm_t *pcm, snd_pcm_info_t *info), (pcm, info), NONE) \
  X(int, snd_pcm_info_get_card, (const snd_pcm_info_t *info), (info), NONE) \
  X(const char *, snd_pcm_info_get_name, (const snd_pcm_info_t *info), (info), NULL) \
  X(int, snd_pcm_hw_params_malloc, (snd_pcm_hw_params_t **hardware), (hardware), NONE) \
  X(void, snd_pcm_hw_params_free, (snd_pcm_hw_params_t *hardware), (hardware),) \
  X(int, snd_pcm_hw_params_any, (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware), (pcm, hardware), NONE) \
  X(int, snd_pcm_hw_params, (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware), (pcm, hardware), NONE) \
  X(int, snd_pcm_hw_params_is_batch, (const snd_pcm_hw_params_t *hardware), (hardware), NONE) \
  X(int, snd_pcm_hw_params_can_disable_period_wakeup, (const snd_pcm_hw_params_t *hardware), (hardware), NONE) \
  X(int, snd_pcm_hw_params_set_period_wakeup, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int wakes), \
    (pcm, hardware, wakes), NONE) \
  X(int, snd_pcm_hw_params_set_access, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_access_t access), \
    (pcm, hardware, access), NONE) \
  X(int, snd_pcm_hw_params_set_format, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_format_t format), \
    (pcm, hardware, format), NONE) \
  X(int, snd_pcm_hw_params_set_channels_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int *channels), \
    (pcm, hardware, channels), NONE) \
  X(int, snd_pcm_hw_params_set_rate_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, unsigned int *rate, int *side), \
    (pcm, hardware, rate, side), NONE) \
  X(int, snd_pcm_hw_params_set_period_size_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames, int *side), \
    (pcm, hardware, frames, side), NONE) \
  X(int, snd_pcm_hw_params_get_period_size, \
    (const snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames, int *side), \
    (hardware, frames, side), NONE) \
  X(int, snd_pcm_hw_params_set_buffer_size_near, \
    (snd_pcm_t *pcm, snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames), \
    (pcm, hardware, frames), NONE) \
  X(int, snd_pcm_hw_params_get_buffer_size, \
    (const snd_pcm_hw_params_t *hardware, snd_pcm_uframes_t *frames), \
    (hardware, frames), NONE) \
  X(int, snd_pcm_sw_params_malloc, (snd_pcm_sw_params_t **software), (software), NONE) \
  X(void, snd_pcm_sw_params_free, (snd_pcm_sw_params_t *software), (software),) \
  X(int, snd_pcm_sw_params_current, (snd_pcm_t *pcm, snd_pcm_sw_params_t *software), (pcm, software), NONE) \
  X(int, snd_pcm_sw_params, (snd_pcm_t *pcm, snd_pcm_sw_params_t *software), (pcm, software), NONE) \
  X(int, snd_pcm_sw_params_get_boundary, \
    (const snd_pcm_sw_params_t *software, snd_pcm_uframes_t *frames), \
    (software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_start_threshold, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_stop_threshold, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_avail_min, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_uframes_t frames), \
    (pcm, software, frames), NONE) \
  X(int, snd_pcm_sw_params_set_tstamp_mode, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_tstamp_t mode), \
    (pcm, software, mode), NONE) \
  X(int, snd_pcm_sw_params_set_tstamp_type, \
    (snd_pcm_t *pcm, snd_pcm_sw_params_t *software, snd_pcm_tstamp_type_t type), \
    (pcm, software, type), NONE)

#define SNDFILE_FUNCTIONS(X) \
  X(SNDFILE *, sf_open_fd, (int fd, int mode, SF_INFO *info, int closes), (fd, mode, info, closes), \
    (closes ? close(fd) : 0, NULL)) \
  X(int, sf_close, (SNDFILE *file), (file), SF_ERR_SYSTEM) \
  X(int, sf_error, (SNDFILE *file), (file), SF_ERR_SYSTEM) \
  X(const char *, sf_strerror, (SNDFILE *file), (file), problem()) \
  X(sf_count_t, sf_readf_float, (SNDFILE *file, float *to, sf_count_t frames), (file, to, frames), 0)

#define SOXR_FUNCTIONS(X) \
  X(soxr_t, soxr_create, \
    (double from, double to, unsigned channels, soxr_error_t *error, soxr_io_spec_t const *io, \
     soxr_quality_spec_t const *quality, soxr_runtime_spec_t const *runtime), \
    (from, to, channels, error, io, quality, runtime), (error ? *error = problem() : 0, NULL)) \
  X(soxr_error_t, soxr_process, \
    (soxr_t soxr, soxr_in_t in, size_t length, size_t *taken, soxr_out_t out, size_t room, size_t *written), \
    (soxr, in, length, taken, out, room, written), problem()) \
  X(void, soxr_delete, (soxr_t soxr), (soxr),)

#define PCRE2_FUNCTIONS(X) \
  X(pcre2_code_8 *, pcre2_compile_8, \
    (const uint8_t *pattern, size_t length, uint32_t options, int *error, size_t *offset, \
     pcre2_compile_context_8 *context), \
    (pattern, length, options, error, offset, context), NULL) \
  X(void, pcre2_code_free_8, (pcre2_code_8 *code), (code),) \
  X(int, pcre2_get_error_message_8, (int error, uint8_t *text, size_t room), (error, text, room), \
    snprintf((char *)text, room, "%s", problem())) \
  X(int, pcre2_jit_compile_8, (pcre2_code_8 *code, uint32_t options), (code, options), PCRE2_ERROR_JIT_BADOPTION) \
  X(pcre2_match_data_8 *, pcre2_match_data_create_from_pattern_8, \
    (const pcre2_code_8 *code, pcre2_general_context_8 *context), (code, context), NULL) \
  X(void, pcre2_match_data_free_8, (pcre2_match_data_8 *data), (data),) \
  X(pcre2_match_context_8 *, pcre2_match_context_create_8, (pcre2_general_context_8 *context), (context), NULL) \
  X(void, pcre2_match_context_free_8, (pcre2_match_context_8 *context), (context),) \
  X(int, pcre2_set_callout_8, \
    (pcre2_match_context_8 *context, int (*callout)(pcre2_callout_block_8 *, void *), void *data), \
    (context, callout, data), 0) \
  X(int, pcre2_set_heap_limit_8, (pcre2_match_context_8 *context, uint32_t limit), (context, limit), 0) \
  X(pcre2_jit_stack_8 *, pcre2_jit_stack_create_8, \
    (size_t start, size_t limit, pcre2_general_context_8 *context), (start, limit, context), NULL) \
  X(void, pcre2_jit_stack_assign_8, \
    (pcre2_match_context_8 *context, pcre2_jit_callback_8 callback, void *data), (context, callback, data),) \
  X(void, pcre2_jit_stack_free_8, (pcre2_jit_stack_8 *stack), (stack),) \
  X(int, pcre2_match_8, \
    (const pcre2_code_8 *code, const uint8_t *subject, size_t length, size_t start, uint32_t options, \
     pcre2_match_data_8 *data, pcre2_match_context_8 *context), \
    (code, subject, length, start, options, data, context), PCRE2_ERROR_INTERNAL) \
  X(size_t *, pcre2_get_ovector_pointer_8, (pcre2_match_data_8 *data), (data), NULL)
// clang-format on

#define CALSA_DECLARATION(type, name, parameters, arguments, otherwise) type name parameters;
ALSA_FUNCTIONS(CALSA_DECLARATION)
SNDFILE_FUNCTIONS(CALSA_DECLARATION)
SOXR_FUNCTIONS(CALSA_DECLARATION)
PCRE2_FUNCTIONS(CALSA_DECLARATION)

#endif
