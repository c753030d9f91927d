import AudioCodecs
import RealtimeCore
import Rivals

/// Our encoder on a stretch of speech, one frame a call.
struct EncoderLoop: ~Copyable, MeasuredLoop {
  private var encoder: AudioEncoder
  private let speech: Speech
  private var frame: SampleBuffer
  private var payload: ByteBuffer
  private var position = 0
  private var sum: UInt64 = 0

  init(_ encoder: consuming AudioEncoder, _ speech: Speech) {
    frame = SampleBuffer(repeating: 0, count: encoder.frameSampleCount)
    payload = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
    self.encoder = encoder
    self.speech = speech
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      position = speech.copyFrame(at: position, into: &frame)
      times[call] = Self.encode(&encoder, frame, &payload, &sum)
    }
  }

  private static func encode(
    _ encoder: inout AudioEncoder, _ frame: borrowing SampleBuffer, _ payload: inout ByteBuffer, _ sum: inout UInt64
  ) -> Int64 {
    var room = payload.mutableSpan
    do {
      let start = bench_now()
      let written = try encoder.encode(frame.view, into: &room)
      let took = bench_now() - start
      sum = payload.checksum(of: written, after: sum)
      return took
    } catch {
      fatalError("encoding failed: \(error)")
    }
  }
}

/// The payloads that an encoder made of a stretch of speech, end to end.
final class Payloads: Sendable {
  let bytes: [UInt8]
  /// Where each payload begins, and where the last one ends.
  let offsets: [Int32]
  var count: Int { offsets.count - 1 }

  init(_ encoder: consuming AudioEncoder, _ speech: Speech) throws {
    var frame = SampleBuffer(repeating: 0, count: encoder.frameSampleCount)
    var payload = ByteBuffer(repeating: 0, count: encoder.maximumPayloadByteCount)
    var bytes: [UInt8] = []
    var offsets: [Int32] = [0]
    for index in 0..<speech.count / frame.count {
      _ = speech.copyFrame(at: index * frame.count, into: &frame)
      var room = payload.mutableSpan
      let size = try encoder.encode(frame.view, into: &room)
      bytes += (0..<size).map { payload[$0] }
      offsets.append(Int32(bytes.count))
    }
    self.bytes = bytes
    self.offsets = offsets
  }

  /// Copies one payload to the front of `buffer`.
  /// - Returns: its size.
  func copyPayload(_ index: Int, into buffer: inout ByteBuffer) -> Int {
    let range = Int(offsets[index])..<Int(offsets[index + 1])
    for (place, byte) in bytes[range].enumerated() { buffer[place] = byte }
    return range.count
  }
}

/// Our decoder on the payloads of a stretch of speech, one payload a call.
struct DecoderLoop: ~Copyable, MeasuredLoop {
  private var decoder: AudioDecoder
  private let payloads: Payloads
  private var payload = ByteBuffer(repeating: 0, count: 6_000)
  private var frame: SampleBuffer
  private var position = 0
  private var sum: UInt64 = 0

  init(_ decoder: consuming AudioDecoder, _ payloads: Payloads) {
    frame = SampleBuffer(repeating: 0, count: decoder.sampleRate.sampleCount(milliseconds: 60))
    self.decoder = decoder
    self.payloads = payloads
  }

  var checksum: UInt64? { sum }

  mutating func run(_ times: inout CallTimes) {
    for call in 0..<times.count {
      if position == payloads.count { position = 0 }
      let size = payloads.copyPayload(position, into: &payload)
      times[call] = Self.decode(&decoder, payload, size, &frame, &sum)
      position += 1
    }
  }

  private static func decode(
    _ decoder: inout AudioDecoder, _ payload: borrowing ByteBuffer, _ size: Int, _ frame: inout SampleBuffer,
    _ sum: inout UInt64
  ) -> Int64 {
    var room = frame.mutableSpan
    do {
      let start = bench_now()
      let written = try decoder.decode(payload.view(0..<size), into: &room)
      let took = bench_now() - start
      sum = frame.checksum(of: written, after: sum)
      return took
    } catch {
      fatalError("decoding failed: \(error)")
    }
  }
}

/// The same encoding in C, straight on libopus.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalEncoderLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let speech: Speech

  init(bitrate: Int, complexity: Int, frameSampleCount: Int, _ speech: Speech) {
    unsafe state = rival_opus_encoder_create(Int32(bitrate), Int32(complexity), Int32(frameSampleCount))
    self.speech = speech
  }

  deinit { unsafe rival_opus_encoder_destroy(state) }

  var checksum: UInt64? { unsafe rival_opus_encoder_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_opus_encode(state, speech.samples, speech.count, times.mutablePointer, times.count)
  }
}

/// The same decoding in C, straight on libopus.
@safe  // `state` is created in init, used only here, destroyed once in deinit
struct RivalDecoderLoop: ~Copyable, MeasuredLoop {
  private let state: OpaquePointer
  private let payloads: Payloads

  init(_ payloads: Payloads) {
    unsafe state = rival_opus_decoder_create()
    self.payloads = payloads
  }

  deinit { unsafe rival_opus_decoder_destroy(state) }

  var checksum: UInt64? { unsafe rival_opus_decoder_checksum(state) }

  mutating func run(_ times: inout CallTimes) {
    unsafe rival_opus_decode(
      state, payloads.bytes, payloads.offsets, payloads.count, times.mutablePointer,
      times.count)
  }
}
