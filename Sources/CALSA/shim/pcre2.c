#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include "late.h"

// The library's own names, for which the header's names are macros.
// clang-format off
#define FUNCTIONS(X) \
  X(pcre2_code_8 *, pcre2_compile_8, \
    (PCRE2_SPTR8 pattern, PCRE2_SIZE length, uint32_t options, int *error, PCRE2_SIZE *offset, \
     pcre2_compile_context_8 *context), \
    (pattern, length, options, error, offset, context), NULL) \
  X(void, pcre2_code_free_8, (pcre2_code_8 *code), (code),) \
  X(int, pcre2_get_error_message_8, (int error, PCRE2_UCHAR8 *text, PCRE2_SIZE room), (error, text, room), \
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
    (PCRE2_SIZE start, PCRE2_SIZE limit, pcre2_general_context_8 *context), (start, limit, context), NULL) \
  X(void, pcre2_jit_stack_assign_8, \
    (pcre2_match_context_8 *context, pcre2_jit_callback_8 callback, void *data), (context, callback, data),) \
  X(void, pcre2_jit_stack_free_8, (pcre2_jit_stack_8 *stack), (stack),) \
  X(int, pcre2_match_8, \
    (const pcre2_code_8 *code, PCRE2_SPTR8 subject, PCRE2_SIZE length, PCRE2_SIZE start, uint32_t options, \
     pcre2_match_data_8 *data, pcre2_match_context_8 *context), \
    (code, subject, length, start, options, data, context), PCRE2_ERROR_INTERNAL) \
  X(PCRE2_SIZE *, pcre2_get_ovector_pointer_8, (pcre2_match_data_8 *data), (data), NULL)
// clang-format on

CALSA_LIBRARY("libpcre2-8.so.0", "libpcre2-8-0", "recommended", "pcre2", "Searches with regular expressions", FUNCTIONS)
