/// Regular expressions of PCRE2, with a bound on the cost of a match.
///
/// It is C, because PCRE2 calls back before every item of the expression, and there each instruction counts.
#ifndef CPATTERN_H
#define CPATTERN_H

#include <stddef.h>
#include <stdint.h>

typedef struct cpattern cpattern;

/// Compiles an expression (UTF-8). If it is invalid, returns NULL; `message` says why and `where` at which byte.
cpattern *_Nullable cpattern_compile(
  const uint8_t *_Nonnull source, size_t length, char *_Nonnull message, size_t room, size_t *_Nonnull where);

void cpattern_free(cpattern *_Nonnull pattern);

/// The result of a search.
enum {
  CPATTERN_NOTHING = 0,
  CPATTERN_FOUND = 1,
  /// The search was given up, because it would cost more than any search may.
  CPATTERN_TOO_COSTLY = -1,
  /// The search was given up, because the budget was too small.
  CPATTERN_OVER_BUDGET = -2,
};

/// Searches the bytes, which need not be UTF-8. Takes its steps from `budget`, down to 0.
///
/// After a match, `start` and `end` are the bounds of the first group if it took part, otherwise of the whole match. Allocates
/// nothing once the expression is compiled for this processor. If several threads use one expression, they take turns.
int cpattern_match(
  cpattern *_Nonnull pattern, const uint8_t *_Nullable subject, size_t length, int64_t *_Nonnull budget,
  size_t *_Nonnull start, size_t *_Nonnull end);

#endif
