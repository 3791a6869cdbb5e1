/// The shipped sounds, as a part of every program that plays sounds, and the recipes, as a part of soundd: a program that is copied
/// to another machine has them with it.
///
/// The system maps them with the program, and reads only those that are opened.
#ifndef CALSA_SHIPPED_H
#define CALSA_SHIPPED_H

#include <stdbool.h>
#include <stddef.h>

size_t shipped_count(void);

/// The name of a sound, which is that of its file in `sounds/` without `.wav`.
const char *_Nonnull shipped_name(size_t index);

/// Copies the file of a sound into memory and opens it for reading (memfd_create). Returns -1 with errno on an error.
int shipped_open(size_t index);

/// How many files of `examples/` there are, of which recipes are made.
size_t recipe_count(void);

/// The path of a file below `examples/`.
const char *_Nonnull recipe_path(size_t index);

bool recipe_is_executable(size_t index);

/// All files in the order of their paths, each with a zero byte behind it.
const unsigned char *_Nonnull recipe_files(void);

/// The length of all files in bytes, with the zero bytes.
size_t recipe_files_length(void);

#endif
