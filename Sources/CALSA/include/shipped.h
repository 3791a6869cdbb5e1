/// The shipped sounds, as a part of every program that plays sounds: a program that is copied to another machine has them with it.
///
/// The system maps them with the program, and reads only those that are opened.
#ifndef CALSA_SHIPPED_H
#define CALSA_SHIPPED_H

#include <stddef.h>

size_t shipped_count(void);

/// The name of a sound, which is that of its file in `sounds/` without `.wav`.
const char *_Nonnull shipped_name(size_t index);

/// Copies the file of a sound into memory and opens it for reading (memfd_create). Returns -1 with errno on an error.
int shipped_open(size_t index);

#endif
