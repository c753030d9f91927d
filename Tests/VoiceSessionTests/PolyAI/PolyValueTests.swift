import AudioDevices
import Foundation
import RealtimeCore
import Testing

@testable import VoiceSession

@Suite("PolyAI: errors and devices")
struct PolyValueTests {
  private static let cases: [(PolyError, Bool)] = [
    (.auth(.tokenAcquisitionFailed), false), (.auth(.unauthorized), false),
    (.session(.sessionCreationFailed(code: 503)), false), (.session(.sessionExpired), false),
    (.session(.sessionEnded), false), (.session(.unexpectedDisconnect(code: 4000, reason: "replaced")), true),
    (.session(.maxReconnectAttemptsExceeded), true), (.message(.deliveryFailed), false),
    (.message(.payloadTooLarge), false), (.transport(.networkError), true), (.transport(.protocolError), true),
    (.transport(.notConnected), true), (.voice(.notImplemented), false), (.voice(.signalingFailed("no")), false),
    (.voice(.mediaFailed("no keys")), false), (.voice(.timedOut), false), (.voice(.disconnected), true),
    (.voice(.interrupted), true), (.invalidConfiguration("blank"), false),
  ]

  @Test("each error, whether to retry, and the shared shape there and back", arguments: cases)
  func everyError(error: PolyError, isRetryable: Bool) {
    #expect(error.isRetryable == isRetryable)
    #expect(SessionError(error).isRetryable == isRetryable)
    #expect(PolyError(SessionError(error)) == error)
  }

  @Test func everyKindHasAName() {
    for kind in SessionError.Kind.allCases { _ = PolyError(SessionError(kind, "words")) }
    #expect(PolyError(SessionError(.media, "no sound")) == .voice(.mediaFailed("no sound")))
  }

  static func device(
    _ id: String, _ name: String, _ direction: AudioDevice.Direction = .playback, isDefault: Bool = false
  ) -> AudioDevice {
    AudioDevice(
      id: id, name: name, direction: direction, isDefault: isDefault, sampleRate: .hz48000, channelCount: 2,
      isMonitor: false)
  }

  @Test(arguments: [
    ("bluez_output.AA.1", "Buds", VoiceAudioDevice.Kind.bluetooth), ("alsa.usb", "USB Headset", .wiredHeadset),
    ("alsa.hp", "Headphones", .wiredHeadset), ("alsa.0", "Built-in Speaker", .speakerphone),
    ("alsa.1", "Earpiece", .earpiece), ("alsa.hdmi", "HDMI", .unknown),
  ]) func kinds(id: String, name: String, kind: VoiceAudioDevice.Kind) {
    #expect(VoiceAudioDevice(Self.device(id, name)).kind == kind)
  }

  @Test func headsetsFirstThenWhatTheOptionsSay() {
    let (speaker, earpiece) = (Self.device("s", "Speaker", isDefault: true), Self.device("e", "Earpiece"))
    let (buds, mic) = (
      Self.device("bluez_output.AA.1", "Buds"), Self.device("bluez_input.AA.1", "Buds mic", .capture)
    )
    for prefersSpeakerphone in [true, false] {
      var routing = VoiceRouting(prefersSpeakerphone: prefersSpeakerphone)
      routing.take([speaker, earpiece, mic])
      #expect(routing.loudspeaker == (prefersSpeakerphone ? "s" : "e"))
      #expect(routing.state.availableDevices.map(\.id) == ["s", "e"])
      routing.take([speaker, earpiece, buds, mic])
      #expect(routing.loudspeaker == buds.id)
      #expect(routing.microphone == mic.id)
      routing.choose("s")
      #expect(routing.state.selectedDevice?.kind == .speakerphone)
      routing.choose(nil)
      #expect(routing.loudspeaker == buds.id)
      routing.choose(buds.id)
      routing.take([speaker, earpiece])
      #expect(routing.loudspeaker == (prefersSpeakerphone ? "s" : "e"))
      #expect(routing.chosen == nil)
    }
    var plain = VoiceRouting(prefersSpeakerphone: true)
    plain.take([Self.device("hdmi", "HDMI", isDefault: true)])
    #expect(plain.loudspeaker == nil)
    #expect(plain.state.selectedDevice?.id == "hdmi")
  }
}
