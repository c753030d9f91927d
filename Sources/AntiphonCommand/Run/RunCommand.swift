import Antiphon
import Foundation

/// The main job: a whole call between two recordings, on virtual time.
struct RunCommand: Command {
  static let name = "run"
  static let summary = "run a whole call between two recordings over a simulated network, and report"
  static let syntax = RunOptions.syntax
  static let example = "antiphon run --network lte --codec opus --report out/lte"
  static let notes = """
    The agent's recording is encoded, protected and sent as a peer would send it; it crosses the network, the jitter
    buffer and playout. What was played leaks through the room into the microphone, which goes the whole way back:
    resampler, echo canceller, noise suppressor, gain, encoder, SRTP, network, far end.

    DIR then holds played.wav (what the user heard), microphone.wav (what the microphone took), heard.wav (what the
    agent heard), result.json and report.html.
    """

  private let options: RunOptions

  init(_ arguments: Arguments) throws { options = try RunOptions(arguments) }

  func run() throws {
    let outputs = OutputFiles(
      inputs: [options.microphonePath, options.agentPath, options.network] + (options.roomPath.map { [$0] } ?? []))
    let text = try outputs.removingOnFailure { try call(outputs) }
    try Terminal.line(text)
  }

  /// Makes the call and writes all of it; returns what there is to tell.
  private func call(_ outputs: OutputFiles) throws -> String {
    var agent = try AudioSource(path: options.agentPath, sampleRate: .hz48000)
    var user = try AudioSource(path: options.microphonePath, sampleRate: .hz48000)
    var call = try VirtualCall(try CallSetup(options).settings())
    try outputs.makeFolder(options.directory)
    var files = try CallFiles(
      outputs, directory: options.directory.path, nearRate: .hz48000, farRate: .hz48000)
    var recording = CallRecording(nearRate: .hz48000, farRate: .hz48000, bandCount: CallSetup.bandCount)

    let listeningTicks = Int(options.userBegins * 100)
    let total = max(agent.seconds ?? 0, options.userBegins + (user.seconds ?? 0))
    var progress = Progress("call")
    let began = ContinuousClock.now
    var userBlock = SampleBuffer(repeating: 0, count: call.nearBlockSampleCount)
    var agentBlock = SampleBuffer(repeating: 0, count: call.farBlockSampleCount)
    // Half a second longer than the recordings, for what is still on the way.
    var silentTicks = 0
    while silentTicks < 50 {
      let userListens = recording.tickCount < listeningTicks
      let userSpeaks = try userListens || user.fill(&userBlock)
      let agentSpeaks = try agent.fill(&agentBlock)
      silentTicks = userSpeaks || agentSpeaks ? 0 : silentTicks + 1
      call.tick(user: userBlock.span, agent: agentBlock.span)
      try files.write(call)
      recording.note(call, user: userBlock, agent: agentBlock)
      progress.update(done: Double(recording.tickCount) / 100, total: total)
    }
    try files.finish()
    progress.finish()
    let elapsed = (ContinuousClock.now - began) / .seconds(1)

    let result = try CallResult(
      call, recording, options, elapsedSeconds: elapsed, warnings: agent.warnings + user.warnings)
    for warning in result.warnings { Terminal.error("antiphon run: \(warning)") }
    let report = try result.report(recording, options)
    let folder = options.directory.path
    try outputs.write(report.html(), to: folder + "/report.html")
    let json = try JSONText.encode(result, pretty: true)
    try outputs.write(Data((json + "\n").utf8), to: folder + "/result.json")
    return options.printsJSON ? json : result.summary(directory: options.directory.relativePath)
  }
}
