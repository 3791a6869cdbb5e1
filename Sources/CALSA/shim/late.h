/// Libraries that are opened when they are first used: a program that plays nothing need not map them.
///
/// Their functions keep the names and declarations of their own headers. What is defined here under these names asks the
/// library, once it is open; other libraries do not see it.
#ifndef CALSA_LATE_H
#define CALSA_LATE_H

#include <pthread.h>
#include <stddef.h>

typedef struct {
  const char *name;
  /// Where the function's address goes.
  void *to;
} calsa_function;

/// Opens a library for good, binds all its symbols and looks up all functions. Returns NULL, or why it cannot be used and what
/// to do about it: text for good.
const char *calsa_open(const char *library, const char *package, const calsa_function *functions, size_t count);

#define CALSA_FIELD(type, name, parameters, arguments, otherwise) __typeof__(&name) name;
#define CALSA_ROW(type, name, parameters, arguments, otherwise) {#name, &table.name},
#define CALSA_DEFINITION(type, name, parameters, arguments, otherwise) \
  __attribute__((visibility("hidden"))) type name parameters { \
    if (problem()) return otherwise; \
    return table.name arguments; \
  }

/// All of a library's functions: FUNCTIONS is a list of X(type, name, parameters, arguments, result if there is no library).
/// Gives the file `table`, which `problem()` fills at its first call, from whichever thread; it returns what is wrong, or NULL.
#define CALSA_LIBRARY(library, package, FUNCTIONS) \
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
