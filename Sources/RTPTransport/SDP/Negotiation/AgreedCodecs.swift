/// The formats that two ends share, for a call with one codec at a time: what answers list, and what offers get back.
struct AgreedCodecs {
  /// The codec, as the remote end describes it.
  let audio: SDPCodec
  /// What this end has of the same.
  let localAudio: SDPCodec
  /// Pairs of what goes beside the codec: the remote end's with ours.
  let companions: [(remote: SDPCodec, local: SDPCodec)]
  /// Whether an end names RED before the codec, which asks for redundant packets: senders use what stands first.
  private let prefersRedundancy: Bool

  /// Takes the first of the remote end's codecs that is also ours, and of RED, keys and comfort noise what runs on its
  /// clock; `nil` when there is none.
  init?(remote: [SDPCodec], local: [SDPCodec]) {
    var found: (remote: SDPCodec, local: SDPCodec)?
    for codec in remote where codec.role == .audio {
      if let own = local.first(where: { $0.role == .audio && $0.map.isSameFormat(as: codec.map) }) {
        found = (codec, own)
        break
      }
    }
    guard let found else { return nil }
    audio = found.remote
    localAudio = found.local

    var companions: [(remote: SDPCodec, local: SDPCodec)] = []
    for role in [SDPCodec.Role.redundantAudio, .telephoneEvent, .comfortNoise] {
      func fits(_ codec: SDPCodec, around audio: SDPCodec) -> Bool {
        guard codec.role == role, codec.map.clockRate == audio.map.clockRate else { return false }
        // RED's parameters list the payload types inside (RFC 2198 §5); some leave them out.
        return role != .redundantAudio || codec.parameters.text.isEmpty
          || codec.parameters.text.split(separator: "/").allSatisfy { UInt8($0) == audio.map.payloadType }
      }
      let theirs = remote.first { fits($0, around: found.remote) }
      let ours = local.first { fits($0, around: found.local) }
      if let theirs, let ours { companions.append((theirs, ours)) }
    }
    self.companions = companions
    func namesRedundancyFirst(_ list: [SDPCodec]) -> Bool {
      list.first { $0.role == .audio || $0.role == .redundantAudio }?.role == .redundantAudio
    }
    prefersRedundancy = namesRedundancyFirst(remote) || namesRedundancyFirst(local)
  }

  /// The numbers of one end.
  func payloadTypes(remote: Bool) -> PayloadTypes {
    func number(_ role: SDPCodec.Role) -> UInt8? {
      companions.first { $0.remote.role == role }.map { (remote ? $0.remote : $0.local).map.payloadType }
    }
    return PayloadTypes(
      audio: (remote ? audio : localAudio).map.payloadType, telephoneEvent: number(.telephoneEvent),
      comfortNoise: number(.comfortNoise), redundantAudio: number(.redundantAudio))
  }

  /// RTCP feedback for the codec that both know.
  var feedback: [String] { audio.feedback.filter { localAudio.feedback.contains($0) } }

  /// What an answer lists: the offer's numbers with our parameters.
  var answer: [SDPCodec] {
    func renumbered(_ local: SDPCodec, as remote: SDPCodec) -> SDPCodec {
      SDPCodec(remote.map, parameters: local.role == .redundantAudio ? remote.parameters : local.parameters)
    }
    var codec = renumbered(localAudio, as: audio)
    codec.feedback = feedback
    var list = [codec] + companions.map { renumbered($0.local, as: $0.remote) }
    if prefersRedundancy, let place = list.firstIndex(where: { $0.role == .redundantAudio }) {
      list.insert(list.remove(at: place), at: 0)
    }
    return list
  }
}
