// The few loops that use most of a call's processor time, and the C library's float functions, both in a form that
// Swift's audio-path checker accepts: each declaration is marked as free of locks and allocation.
#pragma once
#include "audio_loops.h"
#include "echo_loops.h"
#include "float_functions.h"
#include "kernel_sets.h"
#include "polyphase.h"
#include "split_radix_fft.h"
#include "tick_counter.h"
