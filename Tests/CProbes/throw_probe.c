#include "CProbes.h"

#include <stddef.h>

// Swift Testing hangs functions on these to remember where an error was thrown. They box the error: heap operations that
// no app has, on whatever thread throws. The runtime's own default is to call nothing.
extern void *_swift_willThrow __attribute__((weak));
extern void *_swift_willThrowTypedImpl __attribute__((weak));

void antiphon_unhook_throws(void) {
  if (&_swift_willThrow) __atomic_store_n(&_swift_willThrow, NULL, __ATOMIC_RELAXED);
  if (&_swift_willThrowTypedImpl) __atomic_store_n(&_swift_willThrowTypedImpl, NULL, __ATOMIC_RELAXED);
}
