internal import AudioCodecs
internal import JitterBuffer
internal import RealtimeCore

// Settings come from negotiations and configuration files, so what no engine can be made with is thrown, with the name of
// the setting and its value: the stages behind would trap. What a stage itself throws for is left to it.
extension MediaEngineSettings {
  func check() throws(MediaEngineError) {
    guard [.hz16000, .hz24000, .hz48000].contains(engineRate) else { throw .unsupportedEngineRate(engineRate) }
    try Self.check("bandCount", bandCount, in: 0...4_096)
    try checkPayloadTypes()
    try checkWaiting()
    try checkHeaderExtension()
    try control?.check()
  }

  private func checkPayloadTypes() throws(MediaEngineError) {
    try Self.check("otherReceiveFormats.count", otherReceiveFormats.count, in: 0...7)
    var names: [UInt8: String] = [:]
    func take(_ name: String, _ type: UInt8?) throws(MediaEngineError) {
      guard let type else { return }
      try Self.check(name, Int(type), in: 0...127)
      if let other = names[type] {
        throw .unusableSetting(name, value: "\(type), as \(other) is", allowed: "each its own payload type")
      }
      names[type] = name
    }
    try Self.check("sendFormat.payloadType", Int(sendFormat.payloadType), in: 0...127)
    try take("receiveFormat.payloadType", receiveFormat.payloadType)
    for (index, format) in otherReceiveFormats.enumerated() {
      try take("otherReceiveFormats[\(index)].payloadType", format.payloadType)
    }
    try take("telephoneEventType", telephoneEventType)
    try take("redundancy.payloadType", redundancy?.payloadType)
    if let redundancy { try Self.check("redundancy.sendLevels", redundancy.sendLevels, in: 0...8) }
  }

  private func checkWaiting() throws(MediaEngineError) {
    var room = "jitterBuffer"
    do throws(SettingOutOfRange) {
      try jitterBuffer.validate()
      room = "streamPlayout"
      try streamPlayout.validate()
    } catch {
      throw .unusableSetting("\(room).\(error.name)", value: error.value, allowed: error.allowed)
    }
  }

  private func checkHeaderExtension() throws(MediaEngineError) {
    var names: [UInt8: String] = [:]
    for (name, id) in [
      ("audioLevel", headerExtension.audioLevel), ("transportSequence", headerExtension.transportSequence),
      ("mid", headerExtension.mid),
    ] {
      guard let id else { continue }
      try Self.check("headerExtension.\(name)", Int(id), in: 1...14)
      if let other = names[id] {
        throw .unusableSetting(
          "headerExtension.\(name)", value: "\(id), as \(other) is", allowed: "each element its own ID")
      }
      names[id] = name
    }
    guard headerExtension.mid != nil else { return }
    try Self.check("headerExtension.midValue.utf8.count", (headerExtension.midValue ?? "").utf8.count, in: 1...16)
  }

  fileprivate static func check(
    _ name: String, _ value: Int, in limits: ClosedRange<Int>
  ) throws(MediaEngineError) {
    guard limits.contains(value) else {
      throw .unusableSetting(name, value: "\(value)", allowed: "\(limits.lowerBound) to \(limits.upperBound)")
    }
  }
}

extension ControlSettings {
  fileprivate func check() throws(MediaEngineError) {
    guard (0.1...60).contains(interval) else {
      throw .unusableSetting("control.interval", value: "\(interval) s", allowed: "0.1 to 60 s")
    }
    guard let bitrateRange else { return }
    guard bitrateRange.lowerBound >= 500, bitrateRange.upperBound <= 512_000 else {
      throw .unusableSetting("control.bitrateRange", value: "\(bitrateRange)", allowed: "a range within 500...512000")
    }
  }
}
