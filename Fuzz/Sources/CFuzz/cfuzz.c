#define _GNU_SOURCE
#include "cfuzz.h"

#include <sys/mman.h>

// libFuzzer looks at this section after every input. Nothing else reads it.
__attribute__((used, retain, section("__libfuzzer_extra_counters"))) static uint8_t counters[4096];

void cfuzz_note_outcome(uint32_t outcome) { counters[outcome % sizeof counters] = 1; }

int cfuzz_memory_file(void) { return memfd_create("clip", MFD_CLOEXEC); }
