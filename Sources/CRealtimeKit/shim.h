#pragma once
#include <dbus/dbus.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The kernel's number of the calling thread, by which RealtimeKit knows it.
static inline dbus_uint64_t antiphon_thread_number(void) { return (dbus_uint64_t)syscall(SYS_gettid); }

/// How long a real-time thread may run without a wait, in microseconds, before the kernel ends the process. RealtimeKit
/// refuses processes without this limit.
static inline int antiphon_limit_realtime(long long microseconds) {
  struct rlimit limit = {(rlim_t)microseconds, (rlim_t)microseconds};
  return setrlimit(RLIMIT_RTTIME, &limit);
}

// libdbus takes its arguments variadically, which Swift cannot call.

/// Appends a thread's number and a priority to a call of RealtimeKit's MakeThreadRealtime.
static inline dbus_bool_t antiphon_dbus_append_thread(DBusMessage *message, dbus_uint64_t thread, dbus_uint32_t priority) {
  return dbus_message_append_args(message, DBUS_TYPE_UINT64, &thread, DBUS_TYPE_UINT32, &priority, DBUS_TYPE_INVALID);
}

/// Appends the names of an interface and one of its properties to a call of Properties.Get.
static inline dbus_bool_t antiphon_dbus_append_property(DBusMessage *message, const char *interface, const char *name) {
  return dbus_message_append_args(message, DBUS_TYPE_STRING, &interface, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID);
}

/// Reads the whole number in the variant of an answer to Properties.Get; -1 where there is none.
static inline long long antiphon_dbus_property(DBusMessage *answer) {
  DBusMessageIter outer, inner;
  if (!dbus_message_iter_init(answer, &outer) || dbus_message_iter_get_arg_type(&outer) != DBUS_TYPE_VARIANT) return -1;
  dbus_message_iter_recurse(&outer, &inner);
  if (dbus_message_iter_get_arg_type(&inner) == DBUS_TYPE_INT32) {
    dbus_int32_t value;
    dbus_message_iter_get_basic(&inner, &value);
    return value;
  }
  if (dbus_message_iter_get_arg_type(&inner) == DBUS_TYPE_INT64) {
    dbus_int64_t value;
    dbus_message_iter_get_basic(&inner, &value);
    return value;
  }
  return -1;
}
