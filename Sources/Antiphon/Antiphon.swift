// What an app imports: every public name of the audio path under one module.
@_exported import AudioCodecs
@_exported import AudioDevices
@_exported import AudioFiles
@_exported import CallSimulation
@_exported import EchoControl
@_exported import JitterBuffer
@_exported import MediaEngine
@_exported import Networking
@_exported import RTPTransport
@_exported import RealtimeCore
@_exported import SignalProcessing
@_exported import VoiceSession
