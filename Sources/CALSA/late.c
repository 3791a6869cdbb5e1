#define _GNU_SOURCE
#include "late.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const char *calsa_open(const char *library, const char *package, const calsa_function *functions, size_t count) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  int isWhole = handle != NULL;
  for (size_t i = 0; isWhole && i < count; i++) {
    // Searches all libraries, so that a preloaded library comes first, as it does with linking.
    void *function = dlsym(RTLD_DEFAULT, functions[i].name);
    isWhole = function != NULL;
    // dlsym returns a pointer to data; POSIX allows its use as a pointer to a function.
    memcpy(functions[i].to, &function, sizeof function);
  }
  if (isWhole) return NULL;
  char *text;
  return asprintf(&text, "%s (sudo apt install %s)", dlerror(), package) < 0 ? "out of memory" : text;
}
