import Foundation
import Networking
import Testing
import VoiceSession

// The vendor's tutorial, its first part: the server that tells the platform what to do with a call from the app. Beside
// it, the same for a call that a Voice WebSocket answers. It is compiled and run, so that the page stays true.

struct TutorialServer {
  /// The number that callees see.
  static let number = "15550111"

  let server: HTTPServer

  init(on loop: EventLoop, publicHost: String) async throws {
    var hooks = VoiceWebhooks(
      serve: { call in
        for await event in call.events {
          switch event {
          case .audio(let packet): try? await call.send(packet)  // an echo
          case .digit: try? await call.clear()
          default: break
          }
        }
      },
      event: { told in
        // The socket could not be reached: another list takes the place of the first.
        guard told.status == .failed else { return nil }
        return NCCO([.talk("Nobody can be reached.")])
      },
      answer: { call in
        guard let to = call.to else {
          var connect = NCCO.Connect(
            .webSocket(uri: "wss://\(publicHost)/socket", headers: ["caller": call.from ?? ""]),
            eventURL: "https://\(publicHost)/webhooks/event", isSynchronous: true)
          connect.timeout = 20
          return NCCO([.connect(connect)])
        }
        return NCCO([.connect(.phone(to), from: Self.number)])
      })
    hooks.answerPath = "/webhooks/answer"
    let answers = hooks
    server = try await HTTPServer.start(on: loop, port: 0) { await answers.respond(to: $0) }
  }
}
