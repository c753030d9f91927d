internal import Foundation
internal import Networking
internal import RealtimeCore
internal import VoiceSession

/// A call with the assistant: a WebRTC peer, the agent, and the messages that show what is said.
///
/// - Threads: the loop's.
final class TelnyxCall: @unchecked Sendable {
  let id: String
  let number: Int
  let sessionID = UUID().uuidString.lowercased()
  let legID = UUID().uuidString.lowercased()
  private(set) var peer: AgentPeer
  private(set) var conversation: AgentConversation
  var timer: LoopTimer?
  var isHeld = false
  private var trickles: Bool
  private unowned let session: TelnyxSession
  private var watching: Task<Void, Never>?
  private var isAnswered = false
  private var hasMedia = false
  private var hasBegun = false

  private final class Place: @unchecked Sendable { weak var call: TelnyxCall? }

  init(_ id: String, trickles: Bool, _ session: TelnyxSession) throws {
    self.id = id
    self.trickles = trickles
    self.session = session
    let context = session.context
    number = context.log.newCall()
    let place = Place()
    peer = try AgentPeer(trickles: trickles, on: context.loop) { place.call?.conversation.hear($0) }
    conversation = AgentConversation(context.settings.voice, context.settings.mind, context.worker, on: context.loop) {
      place.call?.take($0)
    }
    place.call = self
    watch(peer)
  }

  func accept(offer: String) async throws -> String { try await peer.connection.accept(offer: offer) }

  func add(candidate: String, _ frame: TelnyxFrame) async throws(TelnyxError) {
    guard trickles else { throw TelnyxError(-32_602, "Invalid params: the invite did not trickle", id: frame.id) }
    do {
      if candidate.isEmpty {
        try await peer.connection.endOfCandidates()
      } else {
        try await peer.connection.add(candidate: candidate)
      }
    } catch { throw TelnyxError(-32_602, "Invalid params: candidate: \(error)", id: frame.id) }
  }

  func answered() {
    isAnswered = true
    beginIfReady()
  }

  // MARK: reattaching

  /// Offers a new path to a client that has come again; the talk goes on over it.
  func reattach() {
    let old = peer
    guard
      let new = try? AgentPeer(
        trickles: false, on: session.context.loop, heard: { [weak self] in self?.conversation.hear($0) })
    else { return }
    peer = new
    watch(new)
    let identity: JSON = [
      "callID": .string(id), "telnyx_session_id": .string(sessionID), "telnyx_leg_id": .string(legID),
    ]
    let loop = session.context.loop
    Task { [weak self] in
      await old.connection.close()
      guard let offer = try? await new.connection.makeOffer() else { return }
      loop.perform { [weak self] in
        self?.session.request("telnyx_rtc.attach", identity.with("sdp", .string(offer)))
      }
    }
  }

  func attach(answer: String, _ frame: TelnyxFrame) async throws(TelnyxError) {
    trickles = frame.params["trickle"]?.bool ?? false
    do { try await peer.connection.accept(answer: answer) } catch {
      throw TelnyxError(-32_602, "Invalid params: sdp: \(error)", id: frame.id)
    }
  }

  func release() async {
    timer = nil
    conversation.end()
    watching?.cancel()
    await peer.connection.close()
  }

  private func watch(_ peer: AgentPeer) {
    watching?.cancel()
    let events = peer.connection.events
    let loop = session.context.loop
    watching = Task { [weak self] in
      for await event in events {
        loop.perform { [weak self] in
          guard let self, peer === self.peer else { return }
          take(event)
        }
      }
    }
  }

  private func take(_ event: PeerConnectionEvent) {
    switch event {
    case .localCandidate(let candidate, let mid):
      session.request(
        "telnyx_rtc.candidate",
        [
          "callID": .string(id), "candidate": .string(candidate.description), "sdpMid": .string(mid ?? "0"),
          "sdpMLineIndex": 0,
        ])
    case .endOfLocalCandidates: session.request("telnyx_rtc.endOfCandidates", ["callID": .string(id)])
    case .state(.connected):
      hasMedia = true
      beginIfReady()
    default: break  // a path that is lost may be looked for anew; the client's patience decides
    }
  }

  private func beginIfReady() {
    guard isAnswered, hasMedia, !hasBegun else { return }
    hasBegun = true
    conversation.begin()
  }

  // MARK: what is said

  /// The copy of what the user said or typed.
  func tellUser(id itemID: String, content: JSON) {
    tell(
      "conversation.item.created",
      ["item": ["id": .string(itemID), "role": "user", "status": "completed", "type": "message", "content": content]])
  }

  private func take(_ output: AgentConversation.Output) {
    guard case .mind(let output) = output else { return session.play(output) }
    peer.play(output)
    session.context.log.tell(output, call: number)
    switch output {
    case .heard(let turn, let text):
      tellUser(id: "item_u\(turn)", content: [["type": "input_audio", "transcript": .string(text)]])
    case .reply(let turn, _): tell("response.created", ["response": ["id": .string("resp_\(turn)")]])
    case .speech(let turn, let speech): if !speech.text.isEmpty { tellDeltas(speech.text, turn) }
    case .complete(let turn): finish(turn)
    case .interrupted(let turn, _, _): finish(turn)
    case .toolCall(_, let tool, let name, let parameters):
      let members = parameters.sorted { $0.key < $1.key }.map { JSON.Member(key: $0.key, value: .string($0.value)) }
      tell(
        "conversation.item.created",
        [
          "item": [
            "id": .string("item_" + tool), "type": "function_call", "call_id": .string(tool), "name": .string(name),
            "arguments": .string(JSON.object(members).text),
          ]
        ])
    case .hangUp: Task { [session, id] in await session.fake.end(id, of: session, cause: .normal) }
    case .state, .voiceScore, .recognise, .synthesise: break
    }
  }

  /// A sentence word by word, as the vendor streams it.
  private func tellDeltas(_ sentence: String, _ turn: Int) {
    for word in sentence.split(separator: " ") {
      tell("response.text.delta", place(turn).with("delta", .string(word + " ")))
    }
  }

  private func finish(_ turn: Int) {
    tell("response.text.done", place(turn))
    tell("response.done", ["response": ["id": .string("resp_\(turn)")]])
  }

  private func place(_ turn: Int) -> JSON {
    [
      "item_id": .string("item_a\(turn)"), "response_id": .string("resp_\(turn)"), "content_index": 0,
      "output_index": 0,
    ]
  }

  private func tell(_ type: String, _ body: JSON) {
    session.request(
      "ai_conversation", .object([.init(key: "type", value: .string(type))] + (body.members ?? [])))
  }
}
