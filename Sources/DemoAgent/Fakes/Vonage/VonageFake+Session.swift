internal import Foundation
internal import Networking

// The stand-in for the client SDK's wire, which is not published: a dialect of our own, in no way Vonage's. One WebSocket of
// JSON text; each message has a `type`, those of a call its `id`.
//
//   client                          server
//   session.create {token, id?}     session.created {id} | session.error {reason}
//   session.refresh {token}         session.refreshed {id}
//   session.delete                  session.deleted
//   call.create {custom}            call.created {id}, call.leg {id, leg, status}
//   call.offer {id, sdp}            call.answer {id, sdp}
//   call.candidate {id, candidate, sdpMid, sdpMLineIndex}, both ways; an empty candidate is the last
//   call.mute {id, on}, call.earmuff {id, on}, call.dtmf {id, digits}     the same back, with the `leg`
//   call.say {id, text}             spoken to the caller's far side: here, to the agent
//   call.reconnect {id}             call.leg, behind a new session of the old id
//   call.reject {id}, call.hangup {id}   call.hangup {id, reason, quality}
//                                   call.invite {id, from, channel}, call.cancel {id, reason}
//   ping                            pong
extension VonageFake {
  func serve(_ link: FakeLink) async {
    var session: VonageClientSession?
    while let message = await link.next() {
      do throws(Refusal) {
        guard case .text(let text) = message, let json = try? JSONReader.read(text), let type = json["type"]?.string
        else {
          throw Refusal(1007, "a JSON object with a type is expected")
        }
        if type == "ping" {
          link.send("pong", ["type": "pong"])
        } else if let session {
          try await session.take(type, json)
          session.noticed(text)
        } else {
          guard type == "session.create" else { throw Refusal(1008, "session.create is expected first") }
          session = try begin(json, link)
          if session == nil { break }
        }
      } catch {
        context.log.tell(.refused, error.reason, call: 0)
        link.close(error.code, error.reason)
        break
      }
    }
    // The media of its calls goes on without it.
    session?.detach(link)
    _ = await link.socket.ended()
  }

  /// A new session, or the old one of that id; `nil` when the token is refused.
  private func begin(_ json: JSON, _ link: FakeLink) throws(Refusal) -> VonageClientSession? {
    guard let text = json["token"]?.string else { throw Refusal(1008, "session.create without a token") }
    let token: VonageToken
    do { token = try VonageToken(text) } catch {
      context.log.tell(.refused, "token: \(error.rawValue)", call: 0)
      link.send("session.error", ["type": "session.error", "reason": .string(error.rawValue)])
      link.close(1000, error.rawValue)
      return nil
    }
    let old = json["id"]?.string.flatMap { sessions[$0] }
    let session = old ?? VonageClientSession("SES-" + UUID().uuidString.lowercased(), settings, context, on: self)
    sessions[session.id] = session
    session.attach(link, token)
    return session
  }
}
