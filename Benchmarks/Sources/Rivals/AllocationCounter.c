#include "AllocationCounter.h"

#include <errno.h>
#include <stddef.h>

static _Thread_local uint64_t operations;

uint64_t bench_heap_operations(void) { return operations; }

// glibc's own entry points; the wrappers below take the public names, for this program and every library it loads.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size) {
  operations++;
  return __libc_malloc(size);
}

EXPORTED void *calloc(size_t count, size_t size) {
  operations++;
  return __libc_calloc(count, size);
}

EXPORTED void *realloc(void *old, size_t size) {
  operations++;
  return __libc_realloc(old, size);
}

EXPORTED void *memalign(size_t alignment, size_t size) {
  operations++;
  return __libc_memalign(alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
  operations++;
  return __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void **result, size_t alignment, size_t size) {
  operations++;
  void *memory = __libc_memalign(alignment, size);
  if (memory == NULL) return ENOMEM;
  *result = memory;
  return 0;
}

EXPORTED void free(void *memory) {
  if (memory != NULL) operations++;
  __libc_free(memory);
}
