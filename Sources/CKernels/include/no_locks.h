#pragma once

// Tells Swift that a C function neither locks nor allocates, so that `@_noLocks` functions may call it. It is believed,
// not checked: set it only on functions whose body was read.
#define ANTIPHON_NO_LOCKS __attribute__((swift_attr("@_noLocks")))
