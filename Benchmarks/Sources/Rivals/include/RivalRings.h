#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Rings of floats for one producer and one consumer.
enum RivalRing { RIVAL_RING_BOOST, RIVAL_RING_JACK };

/// Samples per second that a producer on `core_a` hands to a consumer on `core_b` in blocks of `block` (at most 480),
/// `count` samples in all. Waiting is spinning. Negative when samples came out in the wrong order.
double rival_ring_throughput(enum RivalRing ring, int core_a, int core_b, size_t block, size_t count);

/// Nanoseconds from sending one sample through one ring to having it back through another, mean over `turns`.
double rival_ring_round_trip(enum RivalRing ring, int core_a, int core_b, size_t turns);

#ifdef __cplusplus
}
#endif
