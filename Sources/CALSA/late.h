/// Opens libraries at their first use, so that a program that plays nothing does not map them.
///
/// Their functions keep their names (library_functions.h). A function defined here under such a name opens the library and calls
/// the library's function. Other libraries do not see the function defined here.
#ifndef CALSA_LATE_H
#define CALSA_LATE_H

#include <pthread.h>
#include <stddef.h>

#include "clinux_dlopen.h"

typedef struct {
  const char *name;
  /// Where to store the function's address.
  void *to;
} calsa_function;

/// Opens a library, binds all its symbols and looks up all functions. The library stays open. Returns NULL, or a text that
/// says why the library cannot be used and what to do. The text is never freed.
const char *calsa_open(const char *library, const char *package, const calsa_function *functions, size_t count);

#define CALSA_FIELD(type, name, parameters, arguments, otherwise) __typeof__(&name) name;
#define CALSA_ROW(type, name, parameters, arguments, otherwise) {#name, &table.name},
#define CALSA_DEFINITION(type, name, parameters, arguments, otherwise) \
  __attribute__((visibility("hidden"))) type name parameters { \
    if (problem()) return otherwise; \
    return table.name arguments; \
  }

/// All of a library's functions: FUNCTIONS is its list in library_functions.h.
/// Defines `table` and `problem()`. The first call of `problem()`, on any thread, fills the table. `problem()` returns why the
/// library cannot be used, or NULL.
///
/// `package` is the name of Debian's package. The other parameters are those of the program's note about the library.
#define CALSA_LIBRARY(library, package, priority, feature, description, FUNCTIONS) \
  CLINUX_DLOPEN_NOTE(note, library, priority, feature, description); \
  static struct { FUNCTIONS(CALSA_FIELD) } table; \
  static const char *reason; \
  static void open_library(void) { \
    static const calsa_function functions[] = {FUNCTIONS(CALSA_ROW)}; \
    reason = calsa_open(library, package, functions, sizeof functions / sizeof functions[0]); \
  } \
  static const char *problem(void) { \
    static pthread_once_t once = PTHREAD_ONCE_INIT; \
    pthread_once(&once, open_library); \
    return reason; \
  } \
  FUNCTIONS(CALSA_DEFINITION)

#endif
