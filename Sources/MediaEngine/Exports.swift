// Settings and calls are made of these rooms' types, so one import suffices for an engine.
@_exported public import AudioCodecs
@_exported public import EchoControl
@_exported public import JitterBuffer
@_exported public import RTPTransport
@_exported public import RealtimeCore
@_exported public import SignalProcessing
