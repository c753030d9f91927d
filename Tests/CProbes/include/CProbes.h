#pragma once
#include <stdint.h>

// Allocations, reallocations and frees made by the calling thread since it started. Counted by wrappers around glibc's
// allocator, which this file puts in front of it. Where a sanitizer has put its own there nothing is counted.
uint64_t antiphon_allocation_count(void);
int antiphon_allocations_are_counted(void);

// Marks the region that the real-time sanitizer watches; nothing happens where it is not linked.
void antiphon_realtime_enter(void);
void antiphon_realtime_exit(void);
int antiphon_realtime_sanitizer_is_linked(void);

// Takes off what the test library does at every throw, for the rest of the process; failures then lack a backtrace.
void antiphon_unhook_throws(void);
