import Antiphon
import DemoAgent
import Foundation

/// Talks with an agent: the one of this machine, or a real one.
struct TalkCommand: Command {
  static let name = "talk"
  static let summary = "talk with a voice agent: one of this machine's own, or a real one"
  static let syntax = ArgumentSyntax(
    options: [
      ArgumentSyntax.value("--as", "SYSTEM", "\(TalkSystem.names) (default: elevenlabs)"),
      ArgumentSyntax.value("--url", "URL", "a real endpoint instead of this machine's agent"),
      ArgumentSyntax.value("--agent", "ID", "the agent's or assistant's number at the endpoint"),
      ArgumentSyntax.value("--ask", "FILE,...", "recorded questions instead of the microphone"),
      ArgumentSyntax.value("--out", "FILE", "a WAV or FLAC file instead of the loudspeaker"),
      ArgumentSyntax.captureDevice,
      ArgumentSyntax.playbackDevice,
      ArgumentSyntax.value("--seconds", "N", "how long at most (default: until it is ended)"),
      ArgumentSyntax.flag("--json", "print the result as JSON"),
    ])
  static let example = "antiphon talk --ask testdata/questions/weather.wav --out answer.wav"
  static let notes = """
    Without --url the agent runs in this program, offline: it hears by pocketsphinx and speaks by flite. Without --ask and
    --out the sound devices are used; where there are none, the questions of testdata are asked and the answer goes to
    out/talk/heard.wav. On a terminal: levels, states and transcript; Tab mutes, a typed line is sent, Ctrl-C ends.
    For --url credentials come from the environment: \(TalkSystem.credentials).
    """

  private let system: TalkSystem
  private let url: String?
  private let agent: String?
  private let questions: [String]
  private let output: String?
  private let devices: DeviceSettings
  private let seconds: Double?
  private let printsJSON: Bool

  init(_ arguments: Arguments) throws {
    system = try arguments.choice("--as", TalkSystem.allCases.map { ($0.rawValue, $0) }) ?? .elevenLabs
    url = arguments.text("--url")
    agent = arguments.text("--agent")
    questions = (arguments.text("--ask") ?? "").split(separator: ",").map(String.init)
    output = arguments.text("--out")
    var devices = DeviceSettings()
    devices.capture = arguments.text("--capture")
    devices.playback = arguments.text("--playback")
    self.devices = devices
    seconds = try arguments.decimal("--seconds", in: 0.1...86_400)
    printsJSON = arguments.has("--json")
    if !questions.isEmpty || output != nil, devices.capture != nil || devices.playback != nil {
      throw UsageError("give files (--ask, --out) or devices (--capture, --playback), not both")
    }
  }

  func run() throws {
    let (questions, output) = filesWithoutDevices()
    let files = OutputFiles(inputs: questions)
    let figures = try files.removingOnFailure {
      let sound =
        questions.isEmpty && output == nil
        ? nil : try QuestionSound(questions: questions, output: output, files: files)
      Interruption.forget()
      let stop = StopSignal()
      let keyboard = printsJSON ? nil : Keyboard()
      defer { keyboard?.end() }
      var figures = try AsyncWork.wait { [self] in try await talk(sound, keyboard, stop) }
      try sound?.finish()
      figures.audio = output
      return figures
    }
    try figures.tell(as: Self.self, json: printsJSON)
    if figures.startToVoiceMilliseconds == nil { throw AlreadyTold() }
  }

  /// Where nothing was said about the sound and there are no devices, the recordings speak.
  private func filesWithoutDevices() -> (questions: [String], output: String?) {
    guard questions.isEmpty, output == nil, devices.capture == nil, devices.playback == nil, !Self.hasDevices else {
      return (questions, output)
    }
    let folder = "testdata/questions/"
    let known = ["weather.wav", "time.wav", "goodbye.wav"].map { folder + $0 }
    let there = known.filter { FileManager.default.fileExists(atPath: $0) }
    try? FileManager.default.createDirectory(atPath: "out/talk", withIntermediateDirectories: true)
    if !printsJSON {
      Terminal.error("antiphon talk: there is no sound device; recorded questions are asked, and the answer is written")
    }
    return (there, "out/talk/heard.wav")
  }

  private static var hasDevices: Bool {
    guard let devices = try? AudioSystem().devices() else { return false }
    return devices.contains { $0.direction == .playback }
      && devices.contains { $0.direction == .capture && !$0.isMonitor }
  }

  private func talk(
    _ sound: QuestionSound?, _ keyboard: Keyboard?, _ stop: StopSignal
  ) async throws -> TalkFigures {
    let loop = EventLoop()
    var environment = SessionEnvironment(sound: sound?.callSound ?? .devices(devices), on: loop)
    environment.peer.transport.ice.allowsLoopback = url == nil
    // What the recordings say is clean, and no loudspeaker is near.
    if sound != nil { environment.engine.echoCanceller = nil }
    let server = try await localAgent(on: loop)
    let target = try url.map { try system.agent(at: $0, id: agent) } ?? system.localAgent(at: server?.url ?? "")
    let call = Call.prepare(target, environment: environment)
    let isLive = Terminal.outputIsTerminal && !printsJSON
    let runner = TalkRunner(
      call, system: system.rawValue, questions: sound, seconds: seconds, isLive: isLive, isQuiet: printsJSON)
    let figures = try await runner.run(keyboard: keyboard, stop: stop)
    await server?.stop()
    return figures
  }

  private func localAgent(on loop: EventLoop) async throws -> DemoAgentServer? {
    guard url == nil else { return nil }
    return try await DemoAgentServer.start(as: system.vendor, on: loop)
  }
}
