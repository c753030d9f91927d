internal import AudioCodecs
internal import EchoControl
internal import JitterBuffer
internal import RTPTransport
internal import RealtimeCore
internal import SignalProcessing

// The stages of both paths, made as the settings wish, with each room's errors as the engine's. (A noncopyable value
// cannot be left half made when something throws, so stages are made one by one before any is stored.)

extension BandLevels {
  /// `nil` when no bands are wanted.
  static func forDisplay(sampleRate: SampleRate, bandCount: Int) throws(MediaEngineError) -> BandLevels? {
    guard bandCount > 0 else { return nil }
    do throws(SignalProcessingError) {
      return try BandLevels(sampleRate: sampleRate, bandCount: bandCount)
    } catch {
      throw .signal(error)
    }
  }
}

extension MediaEngineSettings {
  func makeEchoCanceller() throws(MediaEngineError) -> EchoCanceller? {
    guard var echo = echoCanceller else { return nil }
    // SpeexDSP suppresses noise in the pass that suppresses the residue; our own canceller runs a suppressor behind it.
    echo.noiseAttenuation = noiseAttenuation ?? 0
    do throws(EchoError) {
      return try EchoCanceller(sampleRate: engineRate, settings: echo)
    } catch {
      throw .echo(error)
    }
  }

  /// `nil` also when the echo canceller does it.
  func makeNoiseSuppressor() throws(MediaEngineError) -> NoiseSuppressor? {
    guard echoCanceller == nil, let attenuation = noiseAttenuation else { return nil }
    do throws(SignalProcessingError) {
      return try NoiseSuppressor(sampleRate: engineRate, maximumAttenuation: attenuation)
    } catch {
      throw .signal(error)
    }
  }

  func makeAutomaticGain() throws(MediaEngineError) -> AutomaticGain? {
    guard let automaticGain else { return nil }
    do throws(SignalProcessingError) {
      return try AutomaticGain(sampleRate: engineRate, settings: automaticGain)
    } catch {
      throw .signal(error)
    }
  }

  func makeVoiceActivity() throws(MediaEngineError) -> VoiceActivity {
    do throws(SignalProcessingError) {
      return try VoiceActivity(sampleRate: engineRate)
    } catch {
      throw .signal(error)
    }
  }

  /// `nil` when the agent's audio comes by RTP.
  func makeAgentStream() throws(MediaEngineError) -> StreamPlayout? {
    guard let agentStream else { return nil }
    do throws(CodecError) {
      return try StreamPlayout(agentStream, settings: streamPlayout)
    } catch {
      throw .codec(error)
    }
  }

  /// `nil` when packets are sent once only.
  func makeRedundancyWriter(maximumPayloadByteCount: Int) -> RedundancyWriter? {
    guard let redundancy, redundancy.sendLevels > 0 else { return nil }
    return RedundancyWriter(
      levels: redundancy.sendLevels, payloadType: sendFormat.payloadType,
      maximumPayloadByteCount: maximumPayloadByteCount)
  }

  func makeEncoder(sampleRate: SampleRate) throws(MediaEngineError) -> AudioEncoder {
    do throws(CodecError) {
      return try AudioEncoder(sendFormat, sampleRate: sampleRate, opus: opus)
    } catch {
      throw .codec(error)
    }
  }

  /// `nil` for plain RTP.
  func makeSRTPSender() throws(MediaEngineError) -> SRTPSender? {
    guard let security else { return nil }
    do throws(SRTPError) {
      return try SRTPSender(key: security.send, ssrc: stream.ssrc)
    } catch {
      throw .security(error)
    }
  }

  /// `nil` for plain RTP.
  func makeSRTPReceiver() throws(MediaEngineError) -> SRTPReceiver? {
    guard let security else { return nil }
    do throws(SRTPError) {
      guard let remoteSSRC else { return try SRTPReceiver(key: security.receive) }
      return try SRTPReceiver(key: security.receive, sources: [remoteSSRC])
    } catch {
      throw .security(error)
    }
  }
}
