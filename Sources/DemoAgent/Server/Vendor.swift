/// Whose protocol the agent speaks.
public enum Vendor: String, Sendable, CaseIterable {
  /// JSON-RPC over a WebSocket, sound over WebRTC.
  case telnyx
  /// JSON over a WebSocket, sound in it as base64.
  case elevenLabs = "elevenlabs"
  /// REST, two WebSockets, sound over WebRTC.
  case polyAI = "polyai"
  /// REST and a WebSocket for each call, sound in it as it is.
  case habla
  /// The Voice WebSocket in both roles, and a stand-in for the client SDK's unpublished wire.
  case vonage
}
