import Antiphon
import DemoAgent
import Foundation

/// A voice agent on this machine, behind a vendor's protocol.
struct AgentCommand: Command {
  static let name = "agent"
  static let summary = "be a voice agent, offline, that speaks a vendor's protocol"
  static let syntax = ArgumentSyntax(options: [
    ArgumentSyntax.required("--as", "VENDOR", "telnyx, elevenlabs, polyai, habla or vonage"),
    ArgumentSyntax.value("--listen", "HOST:PORT", "where (default: 127.0.0.1:8090; port 0: any free one)"),
    ArgumentSyntax.value("--voice", "NAME", "who answers: slt, kal16, rms, tone:HERTZ or echo (default: slt)"),
    ArgumentSyntax.value("--greeting", "TEXT", "what it says first; - for nothing"),
    ArgumentSyntax.flag("--json", "print what happens as JSON, an object a line"),
  ])
  static let example = "antiphon agent --listen 127.0.0.1:8090 --as elevenlabs"
  static let notes = """
    Understands questions for the time, the weather in a city, its name, a story; 'repeat that', 'stop' and 'goodbye'.
    Hears by pocketsphinx and speaks by flite, nothing leaves the machine. tone and echo are for measurements.
    Prints its address, then what happens, until Ctrl-C. As vonage the address is that of a stand-in for the client SDK's
    wire, which is not published; a Voice WebSocket platform dials /socket there, and the webhooks are /answer and /event.
    """

  private let vendor: Vendor
  private let host: String
  private let port: UInt16
  private let settings: DemoAgentSettings
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    _ = try arguments.required("--as", "VENDOR")
    guard let vendor = try arguments.choice("--as", Vendor.allCases.map { ($0.rawValue, $0) }) else {
      throw UsageError("--as VENDOR is missing")
    }
    self.vendor = vendor
    let listen = arguments.text("--listen") ?? "127.0.0.1:8090"
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
      throw UsageError("--listen: '\(listen)' is no HOST:PORT, such as 127.0.0.1:8090")
    }
    host = String(listen[..<colon]).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    self.port = port
    var settings = DemoAgentSettings()
    let voice = arguments.text("--voice") ?? "slt"
    if voice == "echo" {
      settings.voice = .echo
    } else if voice.hasPrefix("tone:"), let hertz = Double(voice.dropFirst(5)), (20...20_000).contains(hertz) {
      settings.voice = .tone(hertz)
    } else if let speaker = SpeechSynthesizer.Voice(rawValue: voice) {
      settings.mind.voice = speaker
    } else {
      throw UsageError("--voice takes slt, kal16, rms, echo or tone:HERTZ (20 to 20000), not '\(voice)'")
    }
    if let greeting = arguments.text("--greeting") { settings.mind.greeting = greeting == "-" ? "" : greeting }
    self.settings = settings
    printsJSON = arguments.has("--json")
  }

  func run() throws {
    let stop = StopSignal()
    let command = self
    try AsyncWork.wait { try await command.serve(stop: stop) }
  }

  private func serve(stop: StopSignal) async throws {
    let address: HTTPServer.Address =
      switch host {
      case "0.0.0.0", "::": .any
      case "localhost": .loopback
      default: .numeric(host)
      }
    let agent = try await DemoAgentServer.start(
      as: vendor, at: address, port: port, settings: settings, on: EventLoop())
    let events = agent.events
    if printsJSON {
      try Terminal.line(
        JSONText.encode(Listening(vendor: vendor.rawValue, port: Int(agent.port), url: agent.url)))
    } else {
      try Terminal.line("listening at \(agent.url)")
    }
    let ending = Task {
      await stop.wait()
      await agent.stop()
    }
    defer { ending.cancel() }
    do {
      for await event in events {
        try Terminal.line(printsJSON ? event.json : "\(event.call)  \(event.kind.rawValue): \(event.text)")
      }
    } catch {
      await agent.stop()
      throw error
    }
    await ending.value
  }

  private struct Listening: Encodable {
    var event = "listening"
    let vendor: String
    let port: Int
    let url: String
  }
}
