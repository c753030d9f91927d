import RTPTransport
import RealtimeCore
import Rivals

/// Our SRTP sender and receiver on packets of one size; either is timed.
struct SRTPLoop: ~Copyable, MeasuredLoop {
  enum Timed { case protecting, unprotecting }

  private var sender: SRTPSender
  private var receiver: SRTPReceiver
  private let payloadByteCount: Int
  private let timed: Timed
  private var packet = ByteBuffer(repeating: 0, count: 1_500)
  private var sequence: UInt16 = 0
  private var sum: UInt64 = 0

  init(_ key: SRTPKey, ssrc: UInt32, payloadByteCount: Int, timed: Timed) throws {
    let sender = try SRTPSender(key: key, ssrc: ssrc)
    let receiver = try SRTPReceiver(key: key, sources: [ssrc])
    self.sender = sender
    self.receiver = receiver
    self.payloadByteCount = payloadByteCount
    self.timed = timed
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      let size = writePacket()
      do {
        times[call] = try Self.roundTrip(&sender, &receiver, &packet, size, timed, &sum)
      } catch {
        fatalError("SRTP failed: \(error)")
      }
    }
  }

  /// An RTP header (RFC 3550 §5.1) and a payload that changes from packet to packet.
  private mutating func writePacket() -> Int {
    let timestamp = UInt32(sequence) &* 960
    packet[0] = 0x80
    packet[1] = 111
    packet[2] = UInt8(truncatingIfNeeded: sequence >> 8)
    packet[3] = UInt8(truncatingIfNeeded: sequence)
    for index in 0..<4 {
      packet[4 + index] = UInt8(truncatingIfNeeded: timestamp >> (24 - 8 * index))
      packet[8 + index] = UInt8(truncatingIfNeeded: sender.ssrc >> (24 - 8 * index))
    }
    packet.fill(12..<12 + payloadByteCount, with: UInt8(truncatingIfNeeded: sequence))
    sequence &+= 1
    return 12 + payloadByteCount
  }

  private static func roundTrip(
    _ sender: inout SRTPSender, _ receiver: inout SRTPReceiver, _ packet: inout ByteBuffer, _ size: Int,
    _ timed: Timed, _ sum: inout UInt64
  ) throws -> Int64 {
    var room = packet.mutableSpan
    let start = bench_now()
    let protectedSize = try sender.protect(&room, byteCount: size)
    let end = bench_now()
    sum = packet.checksum(of: protectedSize, after: sum)
    var received = packet.mutableSpan
    let restart = bench_now()
    _ = try receiver.unprotect(&received, byteCount: protectedSize)
    return timed == .unprotecting ? bench_now() - restart : end - start
  }
}

/// libsrtp2 from C, with its own ciphers.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalSRTPLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let payloadByteCount: Int
  private let timed: SRTPLoop.Timed

  /// `nil` when the library knows no such profile.
  init?(_ profile: RivalSRTPProfile, key: [UInt8], ssrc: UInt32, payloadByteCount: Int, timed: SRTPLoop.Timed) {
    guard let made = unsafe rival_srtp_create(profile, key, ssrc) else { return nil }
    unsafe state = made
    self.payloadByteCount = payloadByteCount
    self.timed = timed
  }

  deinit { unsafe rival_srtp_destroy(state) }

  var checksum: UInt64? { unsafe rival_srtp_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_srtp_run(
      state, payloadByteCount, timed == .unprotecting ? 1 : 0, times.mutablePointer, times.count)
  }
}
