public import RealtimeCore

/// Turns PCM frames into the payloads of one RTP stream, whatever the codec.
///
/// - Threads: one at a time; after `init` nothing allocates or waits.
/// - Latency added: `algorithmicDelay` samples beside the frame itself.
public struct AudioEncoder: ~Copyable, Sendable {
  /// What the payloads will be.
  public let format: CodecFormat
  /// The rate of the input.
  public let sampleRate: SampleRate
  /// Samples that `encode` takes.
  public let frameSampleCount: Int
  /// Samples by which decoded audio lags behind the input: Opus' lookahead, G.722's band filters, 0 for the
  /// others.
  public let algorithmicDelay: Int
  /// Bytes that the longest payload can have.
  public let maximumPayloadByteCount: Int
  private var opus: OpusEncoder?
  private var g722: G722Encoder?

  /// Makes the encoder of `format`.
  /// - Parameter sampleRate: 8 kHz for G.711, 16 kHz for G.722, the clock rate for L16 and L24, 8, 12, 16, 24 or 48 kHz for Opus.
  /// - Parameter settings: used by Opus only.
  public init(
    _ format: CodecFormat, sampleRate: SampleRate, opus settings: OpusEncoderSettings = OpusEncoderSettings()
  ) throws(CodecError) {
    let count = try format.frameSampleCount(at: sampleRate)
    switch format.codec {
    case .opus:
      guard OpusDecoder.supports(sampleRate) else { throw .unsupportedSampleRate(hertz: sampleRate.hertz, .opus) }
      guard let duration = OpusFrameDuration(rawValue: format.packetDuration) else {
        throw .unsupportedPacketDuration(microseconds: format.packetDuration, .opus)
      }
      let encoder: OpusEncoder
      do throws(OpusError) {
        encoder = try OpusEncoder(sampleRate: sampleRate, frameDuration: duration, settings: settings)
      } catch {
        throw .opus(error)
      }
      algorithmicDelay = encoder.lookahead
      maximumPayloadByteCount = OpusEncoder.maximumPacketByteCount
      opus = consume encoder
      g722 = nil
    case .g722:
      guard sampleRate == .hz16000 else { throw .unsupportedSampleRate(hertz: sampleRate.hertz, .g722) }
      guard count & 1 == 0 else { throw .unsupportedPacketDuration(microseconds: format.packetDuration, .g722) }
      let encoder = try G722Encoder()
      algorithmicDelay = G722Encoder.delay
      maximumPayloadByteCount = count / 2
      opus = nil
      g722 = consume encoder
    case .pcmu, .pcma, .l16, .l24:
      guard sampleRate.hertz == format.clockRate else {
        throw .unsupportedSampleRate(hertz: sampleRate.hertz, format.codec)
      }
      algorithmicDelay = 0
      maximumPayloadByteCount = format.codec == .l24 ? count * 3 : format.codec == .l16 ? count * 2 : count
      opus = nil
      g722 = nil
    }
    self.format = format
    self.sampleRate = sampleRate
    frameSampleCount = count
  }

  /// Encodes one frame of exactly `frameSampleCount` samples.
  /// - Parameter payload: receives the bytes; `maximumPayloadByteCount` is always enough.
  /// - Returns: the bytes written; 0 when discontinuous transmission has nothing to send for this frame.
  @_noLocks
  public mutating func encode(
    _ frame: borrowing SampleView, into payload: inout MutableSpan<UInt8>
  ) throws(CodecError) -> Int {
    guard frame.count == frameSampleCount else {
      throw .wrongFrameSize(given: frame.count, needed: frameSampleCount)
    }
    let room = payload.count
    let needed = format.codec.isOpus ? 1 : maximumPayloadByteCount
    guard needed <= room else { throw .outputTooSmall(room: room, needed: needed) }
    switch format.codec {
    case .opus:
      do throws(OpusError) {
        return try opus!.encode(frame, into: &payload)
      } catch {
        throw .opus(error)
      }
    case .pcmu: return G711.encode(frame, into: &payload, .mu)
    case .pcma: return G711.encode(frame, into: &payload, .a)
    case .l16: return L16.encode(frame, into: &payload)
    case .l24: return L24.encode(frame, into: &payload)
    case .g722: return g722!.encode(frame, into: &payload)
    }
  }

  /// Encodes one frame; see `encode(_:into:)` for views.
  @_noLocks
  public mutating func encode(_ frame: Span<Float>, into payload: inout MutableSpan<UInt8>) throws(CodecError) -> Int {
    try encode(SampleView(frame), into: &payload)
  }

  /// Forgets the signal so far; settings stay.
  @_noLocks
  public mutating func reset() {
    opus?.reset()
    g722?.reset()
  }
}

// Opus' settings that may change between two frames; the other codecs have none and ignore them.
extension AudioEncoder {
  /// Sets the bitrate from the next frame on.
  @_noLocks
  public mutating func setBitrate(_ bitrate: OpusEncoderSettings.Bitrate) throws(CodecError) {
    do throws(OpusError) { try opus?.setBitrate(bitrate) } catch { throw .opus(error) }
  }

  /// Sets the percent of packets expected to get lost, 0 to 100.
  @_noLocks
  public mutating func setExpectedPacketLoss(_ percent: Int) throws(CodecError) {
    do throws(OpusError) { try opus?.setExpectedPacketLoss(percent) } catch { throw .opus(error) }
  }

  /// Switches in-band FEC.
  @_noLocks
  public mutating func setForwardErrorCorrection(_ isOn: Bool) throws(CodecError) {
    do throws(OpusError) { try opus?.setForwardErrorCorrection(isOn) } catch { throw .opus(error) }
  }

  /// Switches discontinuous transmission.
  @_noLocks
  public mutating func setDiscontinuousTransmission(_ isOn: Bool) throws(CodecError) {
    do throws(OpusError) { try opus?.setDiscontinuousTransmission(isOn) } catch { throw .opus(error) }
  }
}
