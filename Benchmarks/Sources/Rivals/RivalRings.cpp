#include "RivalRings.h"

#include <atomic>
#include <memory>
#include <thread>

#include <boost/lockfree/spsc_queue.hpp>
#include <jack/ringbuffer.h>

#include "Clock.h"

namespace {

constexpr size_t capacity = 4096;  // samples, as our ring has in the same benchmark
constexpr size_t largestBlock = 480;

class BoostRing {
 public:
  size_t write(const float *samples, size_t count) { return queue.push(samples, count); }
  size_t read(float *samples, size_t count) { return queue.pop(samples, count); }
  bool push(float sample) { return queue.push(sample); }
  bool pop(float &sample) { return queue.pop(sample); }

 private:
  boost::lockfree::spsc_queue<float, boost::lockfree::capacity<capacity>> queue;
};

// JACK's ring moves bytes and holds one less than its size, so whole samples are counted out before each call.
class JackRing {
 public:
  JackRing() : ring(jack_ringbuffer_create(capacity * sizeof(float))) {}
  ~JackRing() { jack_ringbuffer_free(ring); }
  JackRing(const JackRing &) = delete;
  JackRing &operator=(const JackRing &) = delete;

  size_t write(const float *samples, size_t count) {
    const size_t room = jack_ringbuffer_write_space(ring) / sizeof(float);
    const size_t fitting = count < room ? count : room;
    if (fitting > 0) jack_ringbuffer_write(ring, reinterpret_cast<const char *>(samples), fitting * sizeof(float));
    return fitting;
  }
  size_t read(float *samples, size_t count) {
    const size_t there = jack_ringbuffer_read_space(ring) / sizeof(float);
    const size_t taken = count < there ? count : there;
    if (taken > 0) jack_ringbuffer_read(ring, reinterpret_cast<char *>(samples), taken * sizeof(float));
    return taken;
  }
  bool push(float sample) { return write(&sample, 1) == 1; }
  bool pop(float &sample) { return read(&sample, 1) == 1; }

 private:
  jack_ringbuffer_t *ring;
};

// The stream repeats 0, 1, … block - 1; the first sample of every read shows whether one was lost or doubled.
template <class Ring>
bool consumeBlocks(Ring &ring, size_t block, size_t count) {
  float samples[largestBlock];
  size_t phase = 0;
  bool inOrder = true;
  for (size_t received = 0; received < count;) {
    const size_t got = ring.read(samples, block);
    if (got == 0) continue;
    inOrder &= samples[0] == static_cast<float>(phase);
    phase += got;
    if (phase >= block) phase -= block;
    received += got;
  }
  return inOrder;
}

template <class Ring>
void produceBlocks(Ring &ring, size_t block, size_t count) {
  float samples[largestBlock];
  for (size_t i = 0; i < block; i++) samples[i] = static_cast<float>(i);
  for (size_t sent = 0; sent < count; sent += block) {
    for (size_t done = 0; done < block;) done += ring.write(samples + done, block - done);
  }
}

// Sample by sample, through the calls made for that; the stream counts 0 to 65,535 over and over.
template <class Ring>
bool consumeSingly(Ring &ring, size_t count) {
  float expected = 0, sample = 0;
  bool inOrder = true;
  for (size_t received = 0; received < count; received++) {
    while (!ring.pop(sample)) {
    }
    inOrder &= sample == expected;
    expected = expected >= 65535 ? 0 : expected + 1;
  }
  return inOrder;
}

template <class Ring>
void produceSingly(Ring &ring, size_t count) {
  float sample = 0;
  for (size_t sent = 0; sent < count; sent++) {
    while (!ring.push(sample)) {
    }
    sample = sample >= 65535 ? 0 : sample + 1;
  }
}

template <class Ring>
double throughput(int coreA, int coreB, size_t block, size_t count) {
  const auto ring = std::make_unique<Ring>();
  std::atomic<bool> ready{false};
  bool inOrder = false;
  std::thread consumer([&] {
    bench_pin_to_core(coreB);
    ready.store(true);
    inOrder = block == 1 ? consumeSingly(*ring, count) : consumeBlocks(*ring, block, count);
  });
  bench_pin_to_core(coreA);
  while (!ready.load()) {
  }
  const int64_t start = bench_now();
  if (block == 1) produceSingly(*ring, count);
  else produceBlocks(*ring, block, count);
  consumer.join();
  const int64_t took = bench_now() - start;
  return inOrder ? static_cast<double>(count) * 1e9 / static_cast<double>(took) : -1;
}

template <class Ring>
double roundTrip(int coreA, int coreB, size_t turns) {
  const auto there = std::make_unique<Ring>(), back = std::make_unique<Ring>();
  std::atomic<bool> ready{false};
  std::thread far([&] {
    bench_pin_to_core(coreB);
    ready.store(true);
    float sample = 0;
    for (size_t turn = 0; turn < turns; turn++) {
      while (!there->pop(sample)) {
      }
      while (!back->push(sample)) {
      }
    }
  });
  bench_pin_to_core(coreA);
  while (!ready.load()) {
  }
  float sample = 1;
  const int64_t start = bench_now();
  for (size_t turn = 0; turn < turns; turn++) {
    while (!there->push(sample)) {
    }
    while (!back->pop(sample)) {
    }
  }
  const int64_t took = bench_now() - start;
  far.join();
  return static_cast<double>(took) / static_cast<double>(turns);
}

}  // namespace

double rival_ring_throughput(RivalRing ring, int core_a, int core_b, size_t block, size_t count) {
  return ring == RIVAL_RING_BOOST ? throughput<BoostRing>(core_a, core_b, block, count)
                                  : throughput<JackRing>(core_a, core_b, block, count);
}

double rival_ring_round_trip(RivalRing ring, int core_a, int core_b, size_t turns) {
  return ring == RIVAL_RING_BOOST ? roundTrip<BoostRing>(core_a, core_b, turns)
                                  : roundTrip<JackRing>(core_a, core_b, turns);
}
