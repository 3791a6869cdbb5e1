#define _GNU_SOURCE
#include "late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *calsa_open(const char *library, const char *package, const calsa_function *functions, size_t count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  int isWhole = handle != NULL;
  for (size_t i = 0; isWhole && i < count; i++) {
    // Among all libraries, so that a preloaded one may stand before this one, as if it were linked.
    void *function = dlsym(RTLD_DEFAULT, functions[i].name);
    isWhole = function != NULL;
    // POSIX lets a pointer to data, which dlsym returns, be used as one to a function.
    memcpy(functions[i].to, &function, sizeof function);
  }
  if (isWhole) return NULL;
  char *text;
  return asprintf(&text, "%s (sudo apt install %s)", dlerror(), package) < 0 ? "out of memory" : text;
}
