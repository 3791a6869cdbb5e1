#ifndef CFUZZ_H
#define CFUZZ_H

#include <stdint.h>

/// Tells libFuzzer that an input came to this outcome: one that none before came to is worth keeping, as if it had reached
/// new code.
void cfuzz_note_outcome(uint32_t outcome);

/// memfd_create, which the Glibc module lacks: a file that lies in memory and has no name.
int cfuzz_memory_file(void);

#endif
