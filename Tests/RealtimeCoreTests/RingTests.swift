import Foundation
import RealtimeCore
import Testing

@_noLocks
private func audioThreadWork(
  _ writer: inout SampleRing.Writer, _ reader: inout SampleRing.Reader, _ block: inout SampleBuffer,
  _ gain: inout LatestValue<Float>.Observer
) -> Int {
  let factor = gain.latest()
  for index in 0..<block.count { block[index] = Float(index) * factor }
  let written = writer.write(block.view(0..<7))
  _ = writer.push(3)
  var out = block.mutableSpan
  let got = reader.read(into: &out)
  _ = reader.pop()
  let count = reader.availableView().count
  reader.consume(count)
  var free = writer.freeSpan(atMost: 4)
  let many = free.count
  if many > 0 { free[0] = 1 }
  writer.commit(many)
  return written + got
}

@Suite struct SampleRingTests {
  @Test func compilesOnTheAudioPath() {
    let ring = SampleRing(minimumCapacity: 100)
    var writer = ring.writer
    var reader = ring.reader
    var block = SampleBuffer(repeating: 0, count: 8)
    let cell = LatestValue<Float>(2)
    var observer = cell.observer
    #expect(audioThreadWork(&writer, &reader, &block, &observer) == 15)
  }
}
