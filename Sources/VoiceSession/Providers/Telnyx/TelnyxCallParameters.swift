/// What the assistant is told of a caller.
public struct TelnyxCallParameters: Sendable, Hashable {
  /// A codec that the far end is asked to prefer.
  public struct Codec: Sendable, Hashable {
    /// Such as "audio/opus".
    public var mimeType: String
    /// In Hz.
    public var clockRate: Int
    /// `nil`: not said.
    public var channelCount: Int?
    /// Parameters as in SDP's fmtp line; `nil`: none.
    public var formatParameters: String?

    /// A codec.
    public init(mimeType: String, clockRate: Int, channelCount: Int? = nil, formatParameters: String? = nil) {
      self.mimeType = mimeType
      self.clockRate = clockRate
      self.channelCount = channelCount
      self.formatParameters = formatParameters
    }
  }

  /// A name to show.
  public var callerName = "Anonymous User"
  /// A number to show.
  public var callerNumber = "anonymous"
  /// Whom to call; without meaning for an assistant, but it must not be empty.
  public var destinationNumber = "xxx"
  /// The app's own state, which the provider's webhooks bring back; base64.
  public var clientState: String?
  /// Variables of the assistant: names begin with `X-`, and hyphens become underscores.
  public var customHeaders: [String: String] = [:]
  /// Variables of the assistant, for this call.
  public var userVariables: [String: String] = [:]
  /// In order of preference; empty: the far end chooses.
  public var preferredCodecs: [Codec] = []

  /// An anonymous caller.
  public init() {}

  /// A caller with a name and a number.
  public init(
    callerName: String = "Anonymous User", callerNumber: String = "anonymous", destinationNumber: String = "xxx",
    clientState: String? = nil, customHeaders: [String: String] = [:]
  ) {
    self.callerName = callerName
    self.callerNumber = callerNumber
    self.destinationNumber = destinationNumber
    self.clientState = clientState
    self.customHeaders = customHeaders
  }
}
