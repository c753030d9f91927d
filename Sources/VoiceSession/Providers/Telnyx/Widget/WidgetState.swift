public import Foundation

/// What the widget shows.
public enum WidgetState: Sendable, Hashable {
  /// Nothing was asked yet: no network, nothing to see.
  case idle
  /// The connection is being made.
  case loading
  /// A button that starts a call.
  case collapsed(WidgetSettings)
  /// A call is being made.
  case connecting(WidgetSettings)
  /// A call, with bars.
  case expanded(WidgetSettings, isConnected: Bool, isMuted: Bool, agentStatus: WidgetAgentStatus)
  /// A call, with what was said.
  case transcriptView(WidgetSettings, isConnected: Bool, isMuted: Bool, agentStatus: WidgetAgentStatus)
  /// It does not work; `initialize` again.
  case error(message: String, type: WidgetErrorType)

  /// Whether a call is open in one of its two views.
  public var isInCall: Bool {
    switch self {
    case .expanded, .transcriptView: true
    case .idle, .loading, .collapsed, .connecting, .error: false
    }
  }
}

/// What the agent does, as the widget tells it.
public enum WidgetAgentStatus: String, Sendable, Hashable, CaseIterable {
  /// Nothing.
  case idle
  /// It makes up an answer.
  case thinking
  /// It speaks, and may be interrupted.
  case waiting
  /// It looks at a picture.
  case processingImage
}

/// What an error is about.
public enum WidgetErrorType: String, Sendable, Hashable, CaseIterable {
  /// The set-up.
  case initialization
  /// The connection; the only one that is raised.
  case connection
  /// Anything else.
  case other
}

/// One thing that was said, written or shown.
public struct WidgetTranscriptItem: Sendable, Hashable, Identifiable {
  /// A picture.
  public struct Attachment: Sendable, Hashable, Identifiable {
    /// Unique.
    public var id: String
    /// The picture, as JPEG or what its address says, in base64; empty where only an address is known.
    public var base64Data: String
    /// Where it is, if it is not in `base64Data`.
    public var url: String?

    /// A picture.
    public init(id: String, base64Data: String, url: String? = nil) {
      self.id = id
      self.base64Data = base64Data
      self.url = url
    }
  }

  /// Unique; later versions have the same.
  public var id: String
  /// The words so far.
  public var text: String
  /// Whether the user said it, or the agent.
  public var isUser: Bool
  /// When the first version came.
  public var timestamp: Date
  /// Whether the words may still change.
  public var isPartial: Bool
  /// Pictures.
  public var attachments: [Attachment]

  /// An item.
  public init(
    id: String, text: String, isUser: Bool, timestamp: Date, isPartial: Bool = false, attachments: [Attachment] = []
  ) {
    self.id = id
    self.text = text
    self.isUser = isUser
    self.timestamp = timestamp
    self.isPartial = isPartial
    self.attachments = attachments
  }
}
