#include "CProbes.h"

__attribute__((weak)) extern void __rtsan_realtime_enter(void);
__attribute__((weak)) extern void __rtsan_realtime_exit(void);

void antiphon_realtime_enter(void) { if (__rtsan_realtime_enter) __rtsan_realtime_enter(); }
void antiphon_realtime_exit(void) { if (__rtsan_realtime_exit) __rtsan_realtime_exit(); }
int antiphon_realtime_sanitizer_is_linked(void) { return __rtsan_realtime_enter != 0; }
