internal import Networking
internal import RealtimeCore

extension FramedAudioFormat {
  /// The format of ElevenLabs' name for it; `nil` for others.
  init?(elevenLabs name: String) {
    switch name {
    case "pcm_8000": self.init(.pcm16, .hz8000)
    case "pcm_16000": self.init(.pcm16, .hz16000)
    case "pcm_22050": self.init(.pcm16, .hz22050)
    case "pcm_24000": self.init(.pcm16, .hz24000)
    case "pcm_44100": self.init(.pcm16, .hz44100)
    case "pcm_48000": self.init(.pcm16, .hz48000)
    case "ulaw_8000": self.init(.muLaw, .hz8000)
    default: return nil
    }
  }
}
