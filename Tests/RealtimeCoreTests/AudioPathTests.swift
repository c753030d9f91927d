import RealtimeCore
import TestSupport
import Testing

// One function per type that makes every call an audio thread may make. That this file compiles is the compiler's own
// proof that none of them locks or allocates; the tests below show it at run time.

@_noLocks
private func useSampleRing(
  _ writer: inout SampleRing.Writer, _ reader: inout SampleRing.Reader, _ block: inout SampleBuffer
) -> Int {
  var written = writer.write(block.view(0..<7))
  if writer.push(3) { written &+= 1 }
  var free = writer.freeSpan(atMost: 4)
  let count = free.count
  if count > 0 { free[0] = 1 }
  writer.commit(count)
  var target = block.mutableSpan
  var got = reader.read(into: &target)
  if reader.pop() != nil { got &+= 1 }
  let view = reader.availableView()
  let available = view.count
  reader.consume(available)
  let rest = writer.freeCount &+ writer.capacity &+ writer.overflowCount
  return rest &+ written &- got &+ reader.availableCount &+ reader.capacity &+ reader.underrunCount
}

@_noLocks
private func usePacketRing(
  _ writer: inout PacketRing.Writer, _ reader: inout PacketRing.Reader, _ packet: borrowing ByteView
) -> Int {
  let arrival = MediaInstant(nanoseconds: 5)
  var count = writer.write(packet, at: arrival) == .written ? 1 : 0
  var slot = writer.freeSlot()
  if slot.count > 0 {
    slot[0] = 2
    writer.commit(1, at: arrival)
    count &+= 1
  }
  count &+= reader.availableCount
  while reader.frontArrival() != nil {
    count &+= reader.front().count
    reader.removeFront()
  }
  return count &+ writer.overflowCount &+ writer.oversizedCount
}

@_noLocks
private func useLatestValue(
  _ publisher: inout LatestValue<SIMD8<Float>>.Publisher, _ observer: inout LatestValue<SIMD8<Float>>.Observer
) -> Float {
  publisher.publish(SIMD8(repeating: 2))
  let new = observer.latestIfChanged()
  return observer.latest()[0] + (new == nil ? 0 : 1)
}

@_noLocks
private func useFixedBuffer(_ buffer: inout SampleBuffer, _ source: borrowing SampleView) -> Float {
  buffer[0] = 1
  buffer.fill(1..<buffer.count, with: 0.5)
  buffer.copy(source, to: 1)
  buffer.move(0..<2, to: 2)
  var part = buffer.mutableSpan(1..<3)
  part[0] = 4
  var whole = buffer.mutableSpan
  var slice = whole.part(0..<1)
  slice[0] += 1
  return buffer[0] + buffer.view[1] + buffer.view(1..<2)[0]
}

@_noLocks
private func useBufferView(_ view: borrowing SampleView, _ span: Span<Float>, _ target: inout MutableSpan<Float>)
  -> Float
{
  view.extracting(1..<3).copy(into: &target)
  let same = SampleView(span)
  let written = SampleView(&target)
  return view[0] + same[0] + written[0] + Float(view.count)
}

@_noLocks
private func useNumbers(_ sequence: inout SequenceUnwrapper, _ timestamps: inout TimestampUnwrapper) -> Int64 {
  let number = SequenceNumber(65_535).advanced(by: 2)
  let timestamp = RTPTimestamp(.max).advanced(by: 960)
  var sum = sequence.unwrap(number) &+ timestamps.unwrap(timestamp)
  if number.isNewer(than: SequenceNumber(65_535)) { sum &+= Int64(number.distance(to: SequenceNumber(0))) }
  sum &+= Int64(timestamp.distance(to: RTPTimestamp(0)))
  let rate = SampleRate.hz48000
  let now = MediaInstant(nanoseconds: rate.nanoseconds(sampleCount: 480)).advanced(byNanoseconds: 3)
  let later = MediaInstant(milliseconds: 2.5).advanced(byMilliseconds: 0.5)
  if now < later && rate > .hz44100 { sum &+= later.nanoseconds(since: now) }
  return sum &+ Int64(later.milliseconds(since: now)) &+ Int64(rate.sampleCount(milliseconds: 20))
}

@Suite struct AudioPathTests {
  @Test func ringsTouchNoHeap() throws {
    let samples = SampleRing(minimumCapacity: 100)
    var sampleWriter = samples.writer
    var sampleReader = samples.reader
    let packets = PacketRing(packetCapacity: 4)
    var packetWriter = packets.writer
    var packetReader = packets.reader
    let cell = LatestValue(SIMD8<Float>(repeating: 0))
    var publisher = cell.publisher
    var observer = cell.observer
    var block = SampleBuffer(repeating: 0, count: 8)
    let packet = ByteBuffer(repeating: 1, count: 200)
    var sum = 0.0
    for warmUp in [true, false] {
      let operations = heapOperations {
        onRealtimePath {
          for _ in 0..<1_000 {
            sum += Double(useSampleRing(&sampleWriter, &sampleReader, &block))
            sum += Double(usePacketRing(&packetWriter, &packetReader, packet.view))
            sum += Double(useLatestValue(&publisher, &observer))
          }
        }
      }
      if !warmUp, let operations { #expect(operations == 0) }
    }
    #expect(sum > 0)
  }

  @Test func buffersAndNumbersTouchNoHeap() throws {
    var buffer = SampleBuffer(repeating: 0, count: 8)
    var target = SampleBuffer(repeating: 0, count: 2)
    let source = SampleBuffer(repeating: 0.25, count: 3)
    var sequence = SequenceUnwrapper()
    var timestamps = TimestampUnwrapper()
    var sum = 0.0
    for warmUp in [true, false] {
      let operations = heapOperations {
        onRealtimePath {
          for _ in 0..<1_000 {
            sum += Double(useFixedBuffer(&buffer, source.view))
            var span = target.mutableSpan
            sum += Double(useBufferView(source.view, source.span, &span))
            sum += Double(useNumbers(&sequence, &timestamps))
          }
        }
      }
      if !warmUp, let operations { #expect(operations == 0) }
    }
    #expect(sum > 0)
  }
}
