import AudioCodecs
import RealtimeCore

/// Numbers and times of a stream that is mostly in order and now and then is not.
struct FuzzedStream {
  private(set) var sequenceNumber = SequenceNumber(65_530)
  private(set) var timestamp = RTPTimestamp(0xFFFF_F000)
  /// The receiver's clock; only ever goes forward.
  var now = MediaInstant.zero
  private let step: Int

  init(_ format: CodecFormat) { step = Int(format.timestampStep) }

  /// Moves on to the next packet, by one or by what the input says.
  mutating func advance(_ input: inout FuzzInput, _ command: UInt8) {
    let numbers = command & 0x10 == 0 ? 1 : Int(Int8(bitPattern: input.byte()))
    sequenceNumber = command & 0x20 == 0 ? sequenceNumber.advanced(by: numbers) : SequenceNumber(input.short())
    switch command >> 6 {
    case 0, 1: timestamp = timestamp.advanced(by: numbers * step)
    case 2: timestamp = timestamp.advanced(by: Int(Int16(bitPattern: input.short())))
    default: timestamp = RTPTimestamp(input.long())
    }
    if command & 0x08 != 0 { now = now.advanced(byMilliseconds: Double(input.byte()) / 4) }
  }

  /// Lets up to 65 s pass.
  mutating func wait(_ input: inout FuzzInput) { now = now.advanced(byMilliseconds: Double(input.short())) }
}
