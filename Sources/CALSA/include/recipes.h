/// The files of `examples/` that recipes are made of, as a part of the program: one that is copied to another machine has them with it.
///
/// In a file of its own: a program that uses the library names nothing of it, so its linker leaves it out.
#ifndef CALSA_RECIPES_H
#define CALSA_RECIPES_H

#include <stdbool.h>
#include <stddef.h>

size_t recipe_count(void);

/// The path of a file below `examples/`.
const char *_Nonnull recipe_path(size_t index);

bool recipe_is_executable(size_t index);

/// All files in the order of their paths, each with a zero byte behind it.
const unsigned char *_Nonnull recipe_files(void);

/// The length of all files in bytes, with the zero bytes.
size_t recipe_files_length(void);

#endif
