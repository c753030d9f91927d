#include "CProbes.h"

#include <errno.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

static _Thread_local uint64_t count;

uint64_t antiphon_allocation_count(void) { return count; }

#if defined(__GLIBC__) && !defined(SANITIZED)
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

// The real-time sanitizer intercepts these names itself; weak definitions give way to it.
#define WRAPPER __attribute__((weak, visibility("default")))

WRAPPER void *malloc(size_t bytes) { count++; return __libc_malloc(bytes); }
WRAPPER void *calloc(size_t items, size_t bytes) { count++; return __libc_calloc(items, bytes); }
WRAPPER void *realloc(void *old, size_t bytes) { count++; return __libc_realloc(old, bytes); }
WRAPPER void *memalign(size_t alignment, size_t bytes) { count++; return __libc_memalign(alignment, bytes); }
WRAPPER void *aligned_alloc(size_t alignment, size_t bytes) { count++; return __libc_memalign(alignment, bytes); }
WRAPPER int posix_memalign(void **out, size_t alignment, size_t bytes) {
  count++;
  void *memory = __libc_memalign(alignment, bytes);
  if (!memory) return ENOMEM;
  *out = memory;
  return 0;
}
WRAPPER void free(void *memory) { count += memory != NULL; __libc_free(memory); }

int antiphon_allocations_are_counted(void) { return !antiphon_realtime_sanitizer_is_linked(); }
#else
int antiphon_allocations_are_counted(void) { return 0; }
#endif
