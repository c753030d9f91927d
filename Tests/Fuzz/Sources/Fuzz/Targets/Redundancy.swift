import RTPTransport
import RealtimeCore

/// The input is a payload with redundant audio.
func fuzzRedundancy(_ payload: [UInt8]) throws {
  guard let red = RedundantPayload(payload.span) else { return }
  check(red.primary.range.upperBound == payload.count, "the primary block ends before the payload")
  check(red.primary.payloadType < 128, "a payload type of 8 bits")
  var end = 4 * red.redundantCount + 1
  for index in 0..<red.redundantCount {
    guard let block = red.block(index, in: payload.span) else { fatalError("block \(index) is missing") }
    check(block.range.lowerBound == end, "block \(index) begins at \(block.range.lowerBound), not at \(end)")
    check(block.payloadType < 128 && (0..<16_384).contains(block.timestampOffset), "block \(index)")
    end = block.range.upperBound
  }
  check(end == red.primary.range.lowerBound, "a hole before the primary block")
  // A shorter view than the headers were read from must not be read beyond.
  let half = payload.span.extracting(first: payload.count / 2)
  for index in -1...red.redundantCount { _ = red.block(index, in: half) }
}
