/// Counts the allocations of every thread, by standing in for malloc in the test program.
#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdint.h>
#include <sys/types.h>

/// Whether allocations are counted: not under a sanitizer, which brings an allocator of its own.
int allocation_counter_is_active(void);
/// How often the calling thread has allocated so far.
uint64_t allocation_counter_of_this_thread(void);
/// How often the thread of this kernel id has allocated so far.
uint64_t allocation_counter_of_thread(pid_t thread);
/// How many bytes are allocated now, by all threads together; without large blocks, which have mappings of their own.
uint64_t allocation_counter_bytes_in_use(void);

#endif
