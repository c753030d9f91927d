#pragma once
#include <stddef.h>
#include <stdint.h>

/// Adds up 32-bit words, and single bytes at the end: cheap, the same on both sides of a contest, and different when
/// their output is.
static inline uint64_t bench_checksum(uint64_t sum, const void *data, size_t byte_count) {
  const uint8_t *bytes = (const uint8_t *)data;
  size_t i = 0;
  for (; i + 4 <= byte_count; i += 4) {
    uint32_t word;
    __builtin_memcpy(&word, bytes + i, 4);
    sum += word;
  }
  for (; i < byte_count; i++) sum += bytes[i];
  return sum * 31 + byte_count;
}
