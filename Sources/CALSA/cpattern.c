#include "cpattern.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calsa.h"

// PCRE2's own limit starts again at every offset at which a match may begin, and ignores the characters that a repeat scans.
// Within that limit a match of 64 KiB may take a minute. So PCRE2 calls us before every item of the expression, and we
// take steps from a budget: one for the call, and more for the bytes between this call and the last one.
//
// The budget grows with the subject, so that many short lines cost no more than a long one. Sensible expressions need less
// than 5 steps per byte. 64 KiB cost at most 5 ms on a slow server, or 9 ms without the JIT compiler.
enum { BUDGET_BASE = 4096, BUDGET_PER_BYTE = 8, BYTES_PER_STEP = 8 };
// The caller passes one budget for all searches of a transaction. A search takes this part of it even if PCRE2 never calls us,
// because PCRE2 still reads the subject: it checks that it is UTF-8 and looks for a byte that every match has.
enum { SEARCH_COST = 16, BYTES_PER_READ_STEP = 32 };
// A repeated group takes about 12 bytes of JIT's stack per repetition, or about 130 bytes of the heap without the JIT compiler.
enum { STACK_START = 32 * 1024, STACK_LIMIT = 1024 * 1024, HEAP_LIMIT_KIB = 8 * 1024 };

struct budget {
  // The expression as the user wrote it.
  const uint8_t *source;
  long left;
  // The offset of the match at the last call.
  size_t position;
};

struct cpattern {
  // Held during a match, which alone uses the following members.
  pthread_mutex_t lock;
  pcre2_code_8 *code;
  pcre2_match_data_8 *data;
  pcre2_match_context_8 *context;
  // Made when a match first needs more stack than JIT takes of the thread's own.
  pcre2_jit_stack_8 *stack;
  struct budget budget;
  uint8_t source[];
};

// The least number of a repeat, if the item has one. \x{41} and the like also count as a repeat, which costs next to nothing.
static size_t least_repeat(const uint8_t *item, size_t length, size_t most) {
  size_t result = 0;
  const uint8_t *brace = memchr(item, '{', length);
  for (const uint8_t *end = item + length; brace; brace = memchr(brace, '{', (size_t)(end - brace))) {
    size_t number = 0;
    for (brace++; brace < end && *brace >= '0' && *brace <= '9' && number < most; brace++)
      number = number * 10 + (size_t)(*brace - '0');
    if (number > result) result = number;
  }
  return result;
}

static size_t longest_group(const pcre2_callout_block_8 *block) {
  size_t result = 0;
  for (uint32_t group = 1; group < block->capture_top; group++) {
    const size_t start = block->offset_vector[2 * group], end = block->offset_vector[2 * group + 1];
    if (start != PCRE2_UNSET && end > start && end - start > result) result = end - start;
  }
  return result;
}

// How many bytes the next item may scan before it fails to match. The match's offset does not show that work.
static size_t unseen_work(const pcre2_callout_block_8 *block, const uint8_t *item) {
  const size_t length = block->next_item_length;
  const size_t rest = block->subject_length - block->current_position;
  size_t result = least_repeat(item, length, rest);
  const int refers_back = item[0] == '\\' ? (item[1] >= '1' && item[1] <= '9') || item[1] == 'g' || item[1] == 'k'
                                          : length > 4 && memcmp(item, "(?P=", 4) == 0;
  if (refers_back) {
    const size_t group = longest_group(block);
    if (group > result) result = group;
  }
  return result < rest ? result : rest;
}

static int spend(pcre2_callout_block_8 *block, void *data) {
  struct budget *budget = data;
  const size_t position = block->current_position;
  const size_t moved = position > budget->position ? position - budget->position : budget->position - position;
  const size_t unseen = block->next_item_length > 1 ? unseen_work(block, budget->source + block->pattern_position) : 0;
  budget->position = position;
  budget->left -= 1 + (long)((moved + unseen) / BYTES_PER_STEP);
  return budget->left < 0 ? PCRE2_ERROR_CALLOUT : 0;
}

cpattern *cpattern_compile(const uint8_t *source, size_t length, char *message, size_t room, size_t *where) {
  int error = 0;
  size_t offset = 0;
  *where = 0;
  const uint8_t *bytes = source ? source : (const uint8_t *)"";
  const uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_AUTO_CALLOUT;
  pcre2_code_8 *code = pcre2_compile_8(bytes, length, options, &error, &offset, NULL);
  if (!code) {
    *where = offset;
    pcre2_get_error_message_8(error, (uint8_t *)message, room);
    return NULL;
  }
  cpattern *pattern = calloc(1, sizeof *pattern + length);
  pcre2_match_data_8 *match = pcre2_match_data_create_from_pattern_8(code, NULL);
  pcre2_match_context_8 *context = pcre2_match_context_create_8(NULL);
  if (!pattern || !match || !context) {
    snprintf(message, room, "out of memory");
    free(pattern);
    pcre2_match_data_free_8(match);
    pcre2_match_context_free_8(context);
    pcre2_code_free_8(code);
    return NULL;
  }
  // Without the JIT compiler matches are slower, but otherwise the same.
  pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE);
  pcre2_set_heap_limit_8(context, HEAP_LIMIT_KIB);
  memcpy(pattern->source, bytes, length);
  pthread_mutex_init(&pattern->lock, NULL);
  pattern->code = code;
  pattern->data = match;
  pattern->context = context;
  pattern->budget.source = pattern->source;
  pcre2_set_callout_8(context, spend, &pattern->budget);
  return pattern;
}

void cpattern_free(cpattern *pattern) {
  pcre2_jit_stack_free_8(pattern->stack);
  pcre2_match_data_free_8(pattern->data);
  pcre2_match_context_free_8(pattern->context);
  pcre2_code_free_8(pattern->code);
  pthread_mutex_destroy(&pattern->lock);
  free(pattern);
}

// Calls PCRE2 with at most `allowance` steps. `left` receives the remaining steps; below 0 if they were too few.
static int run(cpattern *pattern, const uint8_t *bytes, size_t length, long allowance, long *left) {
  pattern->budget.left = allowance;
  pattern->budget.position = 0;
  int count = pcre2_match_8(pattern->code, bytes, length, 0, 0, pattern->data, pattern->context);
  if (count == PCRE2_ERROR_JIT_STACKLIMIT && !pattern->stack) {
    pattern->stack = pcre2_jit_stack_create_8(STACK_START, STACK_LIMIT, NULL);
    if (pattern->stack) {
      pcre2_jit_stack_assign_8(pattern->context, NULL, pattern->stack);
      // Tries again with the rest of the budget.
      count = pcre2_match_8(pattern->code, bytes, length, 0, 0, pattern->data, pattern->context);
    }
  }
  *left = pattern->budget.left;
  return count;
}

static int match(
  cpattern *pattern, const uint8_t *subject, size_t length, int64_t *budget, size_t *start, size_t *end) {
  const long fixed = SEARCH_COST + (long)(length / BYTES_PER_READ_STEP);
  const long most = BUDGET_BASE + BUDGET_PER_BYTE * (long)length;
  const long rest = (long)*budget - fixed;
  if (rest <= 0) {
    *budget = 0;
    return CPATTERN_OVER_BUDGET;
  }
  const long allowance = rest < most ? rest : most;
  long left = 0;
  const int count = run(pattern, subject ? subject : (const uint8_t *)"", length, allowance, &left);
  *budget = left < 0 ? rest - allowance : rest - (allowance - left);
  if (count == PCRE2_ERROR_NOMATCH) return CPATTERN_NOTHING;
  if (count < 0) return left < 0 && allowance < most ? CPATTERN_OVER_BUDGET : CPATTERN_TOO_COSTLY;
  const size_t *ends = pcre2_get_ovector_pointer_8(pattern->data);
  const int group = count > 1 && ends[2] != PCRE2_UNSET ? 1 : 0;
  *start = ends[2 * group];
  *end = ends[2 * group + 1];
  return CPATTERN_FOUND;
}

int cpattern_match(
  cpattern *pattern, const uint8_t *subject, size_t length, int64_t *budget, size_t *start, size_t *end) {
  pthread_mutex_lock(&pattern->lock);
  const int result = match(pattern, subject, length, budget, start, end);
  pthread_mutex_unlock(&pattern->lock);
  return result;
}
