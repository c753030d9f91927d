internal import AudioCodecs
internal import CKernels
internal import EchoControl
internal import RTPTransport
public import RealtimeCore
public import SignalProcessing

/// The microphone's way to the wire: resample, cancel echo, suppress noise, level, detect voice, encode, packetize,
/// protect. Blocks of any size go in; protected packets wait in `outgoing`.
struct CapturePath: ~Copyable {
  private var repaired: SampleBuffer
  private var inbound: Resampler
  private var nearEnd: SampleQueue
  private let frameSampleCount: Int

  private var echoCanceller: EchoCanceller?
  private var noiseSuppressor: NoiseSuppressor?
  private var automaticGain: AutomaticGain?
  private var voiceActivity: VoiceActivity
  private var levelMeter: LevelMeter
  private(set) var bands: BandLevels?

  private var toCodecRate: Resampler
  private var speech: SampleQueue
  private var encoder: AudioEncoder
  private var packetizer: RTPPacketizer
  private var protection: SRTPSender?
  private var datagram: ByteBuffer
  private let outgoingWriter: PacketRing.Writer

  /// Whether silence is sent in place of the microphone.
  var isMuted = false
  private var isSpeaking = false
  private(set) var source = MediaStatistics.MediaSource()
}
