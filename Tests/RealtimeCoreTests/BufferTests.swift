import RealtimeCore
import Testing

@Suite struct FixedBufferTests {
  @Test func beginsWithTheGivenValueAndKeepsItsSize() {
    let buffer = FixedBuffer<UInt16>(repeating: 7, count: 5)
    #expect(buffer.count == 5)
    for index in 0..<5 { #expect(buffer[index] == 7) }
    #expect(buffer.span.count == 5 && buffer.view.count == 5)
  }

  @Test func anEmptyBufferCanBeUsed() {
    var buffer = SampleBuffer(repeating: 0, count: 0)
    buffer.fill(0..<0, with: 1)
    buffer.move(0..<0, to: 0)
    let source = SampleBuffer(repeating: 0, count: 0)
    buffer.copy(source.view, to: 0)
    #expect(buffer.count == 0 && buffer.span.isEmpty && buffer.view.count == 0)
    let whole = buffer.mutableSpan(0..<0).count
    #expect(whole == 0)
  }

  @Test func rangesReachBothEnds() {
    var buffer = SampleBuffer(repeating: 0, count: 6)
    buffer.fill(0..<6, with: 1)
    buffer.fill(6..<6, with: 9)
    buffer.fill(2..<4, with: 2)
    #expect(values(buffer.view) == [1, 1, 2, 2, 1, 1])
    let four = SampleBuffer(repeating: 4, count: 2)
    buffer.copy(four.view, to: 4)
    #expect(values(buffer.view(3..<6)) == [2, 4, 4])
    var part = buffer.mutableSpan(5..<6)
    part[0] = 8
    #expect(buffer[5] == 8)
  }

  @Test func moveWorksWithinOverlappingAreas() {
    for (range, target, expected) in [
      (0..<4, 1, [0, 0, 1, 2, 3] as [Float]), (1..<5, 0, [1, 2, 3, 4, 4]), (2..<2, 5, [0, 1, 2, 3, 4]),
    ] {
      var buffer = SampleBuffer(repeating: 0, count: 5)
      for index in 0..<5 { buffer[index] = Float(index) }
      buffer.move(range, to: target)
      #expect(values(buffer.view) == expected)
    }
  }

  @Test func readingOutsideTraps() async {
    await #expect(processExitsWith: .failure) { _ = SampleBuffer(repeating: 0, count: 4)[4] }
    await #expect(processExitsWith: .failure) { _ = SampleBuffer(repeating: 0, count: 4)[-1] }
  }

  @Test func copyingPastTheEndTraps() async {
    await #expect(processExitsWith: .failure) {
      var buffer = SampleBuffer(repeating: 0, count: 4)
      let source = SampleBuffer(repeating: 0, count: 2)
      buffer.copy(source.view, to: 3)
    }
    await #expect(processExitsWith: .failure) {
      var buffer = SampleBuffer(repeating: 0, count: 4)
      buffer.move(0..<3, to: 2)
    }
    await #expect(processExitsWith: .failure) {
      var buffer = SampleBuffer(repeating: 0, count: 4)
      buffer.fill(3..<5, with: 0)
    }
  }

  @Test func aNegativeSizeTraps() async {
    await #expect(processExitsWith: .failure) { _ = SampleBuffer(repeating: 0, count: -1) }
  }
}

@Suite struct BufferViewTests {
  @Test func seesWhatTheSpanHolds() {
    let samples: [Float] = [1, 2, 3, 4]
    let seen = values(SampleView(samples.span))
    #expect(seen == samples)
    var buffer = ByteBuffer(repeating: 3, count: 2)
    var span = buffer.mutableSpan
    let view = ByteView(&span)
    let (count, second) = (view.count, view[1])
    #expect(count == 2 && second == 3)
  }

  @Test func slicesOfSlicesCountFromTheirOwnStart() {
    let samples = (0..<10).map(Float.init)
    let view = SampleView(samples.span)
    let slice = values(view.extracting(2..<9).extracting(3..<5))
    #expect(slice == [5, 6])
    let end = view.extracting(10..<10).count
    #expect(end == 0)
  }

  @Test func emptyViewsCanBeSlicedAndCopied() {
    let none = [Float]()
    let view = SampleView(none.span)
    let (count, sliceCount) = (view.count, view.extracting(0..<0).count)
    #expect(count == 0 && sliceCount == 0)
    var buffer = SampleBuffer(repeating: 5, count: 1)
    var span = buffer.mutableSpan
    view.copy(into: &span)
    #expect(buffer[0] == 5)
    var nothing = SampleBuffer(repeating: 0, count: 0)
    var nowhere = nothing.mutableSpan
    let nowhereCount = SampleView(&nowhere).count
    #expect(nowhereCount == 0)
  }

  @Test func copyFillsTheFrontOnly() {
    var buffer = SampleBuffer(repeating: 5, count: 3)
    var span = buffer.mutableSpan
    let samples: [Float] = [1, 2]
    SampleView(samples.span).copy(into: &span)
    #expect(values(buffer.view) == [1, 2, 5])
  }

  @Test func readingOrSlicingOutsideTraps() async {
    await #expect(processExitsWith: .failure) {
      let buffer = SampleBuffer(repeating: 0, count: 1)
      _ = buffer.view[1]
    }
    await #expect(processExitsWith: .failure) {
      let buffer = SampleBuffer(repeating: 0, count: 1)
      _ = buffer.view.extracting(0..<2).count
    }
    await #expect(processExitsWith: .failure) {
      let longer = SampleBuffer(repeating: 0, count: 2)
      var buffer = SampleBuffer(repeating: 0, count: 1)
      var span = buffer.mutableSpan
      longer.view.copy(into: &span)
    }
  }
}

private func values(_ view: borrowing SampleView) -> [Float] {
  var values: [Float] = []
  for index in 0..<view.count { values.append(view[index]) }
  return values
}
