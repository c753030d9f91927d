import Antiphon
import Foundation

extension CapturedStream {
  /// What cannot be played, and what may not be as it seems, one sentence each.
  var warnings: [String] {
    let prefix = "SSRC \(hexadecimal(stream.identity.ssrc)): "
    if let closed = closedReason { return [prefix + closed] }
    var sentences: [String] = []
    for payload in payloads {
      let type = payload.use.payloadType
      if payload.use.isSound, payload.format == nil, !(payload.name?.isRedundant == true && isPlayable) {
        if let name = payload.name {
          sentences.append("payload type \(type) is \(name); it cannot be decoded here")
        } else {
          sentences.append(
            "payload type \(type) is not named (no SDP in the capture); it cannot be decoded here unless --payload-type \(type)=CODEC/RATE says what it is"
          )
        }
      }
      if payload.nameSource == .shape, payload.format != nil, let name = payload.name {
        sentences.append(
          "payload type \(type) is not named (no SDP in the capture); its \(counted(payload.use.packetCount, "packet")) have the shape of \(name), so they are taken for that; --payload-type \(type)=CODEC/RATE decides"
        )
      }
      if payload.nameSource == .shape, payload.use.isTelephoneEvent {
        sentences.append(
          "payload type \(type) is not named (no SDP in the capture); its \(counted(payload.use.packetCount, "packet")) have the shape of telephone events, so they are taken for that"
        )
      }
      if let misfit = misfit(payload) { sentences.append(misfit) }
      if let law = payload.likelierLaw, let name = payload.name {
        let other = law == .a ? "PCMA" : "PCMU"
        sentences.append(
          "payload type \(type) is \(name) by its label and sounds like \(other); it is decoded by the label, --payload-type \(type)=\(other) overrides it"
        )
      }
    }
    if closedCount > 0 { sentences.append("\(counted(closedCount, "packet")) failed SRTP authentication") }
    return sentences.map { prefix + $0 }
  }

  /// Where packets play far shorter or longer than they are apart, the codec is hardly the right one.
  private func misfit(_ payload: CapturedStream.Payload) -> String? {
    guard let format = payload.format, format.codec != .opus, let name = payload.name,
      let seconds = payload.soundSeconds, payload.use.packetCount >= 10, stream.packetTicks > 0
    else { return nil }
    let plays = 1_000 * seconds / Double(payload.use.packetCount)
    let apart = 1_000 * Double(stream.packetTicks) / Double(format.clockRate)
    guard plays < 0.7 * apart || plays > 1.5 * apart else { return nil }
    return String(
      format: "payload type %d as %@ has packets that play %.1f ms and are %.1f ms apart; %@", payload.use.payloadType,
      "\(name)", plays, apart, "it may be another codec: --payload-type \(payload.use.payloadType)=CODEC/RATE")
  }

  /// Why nothing of the stream can be played.
  var silenceReason: String {
    if let closedReason { return closedReason }
    let sound = payloads.filter(\.use.isSound)
    if sound.isEmpty {
      let keys = stream.telephoneEvents.map(\.key).joined(separator: " ")
      return keys.isEmpty
        ? "it has no sound, only comfort noise" : "it has no sound, only telephone events: keys \(keys)"
    }
    let types = sound.map { "\($0.use.payloadType) (\($0.name?.description ?? "not named"))" }.joined(separator: ", ")
    return "payload type \(types) cannot be decoded here"
  }

  private var closedReason: String? {
    guard isClosed else { return nil }
    return closedCount > 0
      ? "none of the SRTP keys opens it (a capture that begins in the middle of a long call cannot be opened either)"
      : "SDP in the capture asks for SRTP; give its key with --srtp-key"
  }
}

extension CaptureSurvey {
  /// Why there is nothing to tell of, where that is so.
  var fault: String? {
    guard streams.isEmpty else { return nil }
    if control.datagramCount > 0 {
      let list = control.sources.prefix(8).map { hexadecimal($0.ssrc) }.joined(separator: ", ")
      return
        "no RTP in this file, so there is no audio stream in it: only RTCP of SSRC \(list) (\(counted(control.datagramCount, "datagram")))"
    }
    return
      "no RTP in this file, so there is no audio stream in it: \(counted(packetCount, "packet")), \(counted(datagramCount, "UDP datagram"))"
  }

  /// What was odd about the file, as it may be why nothing was found in it: one more line each.
  var causes: String { warnings.map { "\n  \($0)" }.joined() }

  /// One line for each sender whose packets came over several paths.
  var pathLines: [String] {
    joinedPaths.map { joined in
      "SSRC \(hexadecimal(joined.ssrc)) came over \(joined.paths.count) paths: together \(joined.distinctCount) of \(counted(joined.expectedCount, "packet")), \(joined.lostCount) lost on all of them"
    }
  }
}

/// An SSRC as in Wireshark.
func hexadecimal(_ ssrc: UInt32) -> String { String(format: "0x%08X", ssrc) }
