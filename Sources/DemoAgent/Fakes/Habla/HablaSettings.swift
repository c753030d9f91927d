/// How the fake's Habla backend is set up.
public struct HablaSettings: Sendable {
  /// Which of the vendor's two backends it is like.
  public enum Backend: Sendable {
    /// Sends sound only on the live socket, and breaks when it gets text.
    case nova
    /// Sends status and text too, in the form that the vendor's app reads; the backend itself is not published.
    case gemini
  }

  /// Nova or Gemini.
  public var backend = Backend.gemini
  /// Of the HMAC in `Authorization`; `nil`: nobody is asked.
  public var secret: String? = nil
  /// What the HMAC is made of.
  public var bundleID = "com.example.habla"
  /// Whether the translator starts; if not, the live socket is closed with 1011.
  public var translatorStarts = true
  /// From the socket's opening to `ringing`, and from there to `connected`, in seconds.
  public var ringSeconds = 0.1
  /// Sound in one message, in ms.
  public var chunkMilliseconds = 100
  /// From the farewell to the hang-up, in seconds.
  public var farewellSeconds = 2.5

  /// The languages that the vendor's server takes, and the short names of some.
  static let languages = ["en-US", "en-GB", "en-AU", "en-IN", "es-US", "fr-FR", "de-DE", "it-IT", "pt-BR", "hi-IN"]
  static let aliases = ["en", "es", "fr", "de", "it", "pt", "hi"]

  /// A backend that lets everybody in.
  public init() {}
}
