import Foundation
import RTPTransport
import RealtimeCore
import TestSupport
import Testing

/// Packets exchanged with FFmpeg, whose SRTP is its own and knows the two counter-mode profiles of 128 bits. A machine
/// without `ffmpeg` fails these tests (Debian: `apt-get install ffmpeg`).
@Suite(.serialized) struct SRTPPeerTests {
  private static let profiles: [SRTPProfile] = [.aes128CounterModeSHA1x80, .aes128CounterModeSHA1x32]

  private func ffmpeg(_ arguments: [String], output: FileHandle? = nil) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments
    process.standardOutput = output ?? FileHandle.nullDevice
    try process.run()
    return process
  }

  // Under its SDP name FFmpeg gives the second profile 32-bit tags on RTCP too; RFC 4568 §6.2 wants 80, as RFC 5764 does,
  // under whose name FFmpeg has it right.
  private func ffmpegName(_ profile: SRTPProfile) -> String {
    profile == .aes128CounterModeSHA1x32 ? "SRTP_AES128_CM_HMAC_SHA1_32" : profile.sdpName
  }

  private static let tone = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=8000:duration=2"]

  @Test(arguments: profiles)
  func whatFFmpegProtectsIsOpened(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let reference = folder.appendingPathComponent("reference.ul")
    let making = try ffmpeg(Self.tone + ["-c:a", "pcm_mulaw", "-f", "mulaw", reference.path])
    making.waitUntilExit()

    let (media, control) = try boundPair()
    let sending = try ffmpeg(
      Self.tone + [
        "-c:a", "pcm_mulaw", "-f", "rtp", "-srtp_out_suite", ffmpegName(profile),
        "-srtp_out_params", String(key.inline.dropFirst("inline:".count)),
        "srtp://127.0.0.1:\(media.port)?pkt_size=256",
      ])
    defer { sending.terminate() }

    var receiver = try SRTPReceiver(key: key)
    var received: [UInt8] = []
    var statistics = ReceptionStatistics(clockRate: 8_000, probation: 0)
    var silentRounds = 0
    while silentRounds < 50, received.count < 16_000 {
      guard let datagram = media.receive() else {
        silentRounds += 1
        continue
      }
      #expect(DatagramKind(datagram.span) == .rtp)
      let plain = try receiver.unprotecting(datagram)
      let packet = try RTPPacket(plain.span)
      received += plain[packet.payloadRange]
      statistics.register(packet.header, payloadByteCount: packet.payloadRange.count, at: .zero)
    }
    let expected = try Array(Data(contentsOf: reference))
    #expect(received == expected)
    #expect(statistics.packetsLost == 0 && statistics.packetsReceived > 50)

    let report = try #require(control.receive(), "FFmpeg sends a sender report beside the media")
    #expect(DatagramKind(report.span) == .rtcp)
    let plain = try receiver.unprotecting(report, control: true)
    #expect(plain[1] == 200 && plain.count == report.count - profile.controlTrailerByteCount)
  }

  @Test(arguments: profiles)
  func whatIsProtectedHereFFmpegOpens(_ profile: SRTPProfile) throws {
    let key = try SRTPKey.test(profile)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let description = folder.appendingPathComponent("session.sdp")
    let output = folder.appendingPathComponent("received.ul")
    let port = try freePort()
    try """
    v=0
    o=- 0 0 IN IP4 127.0.0.1
    s=-
    c=IN IP4 127.0.0.1
    t=0 0
    m=audio \(port) RTP/SAVP 0
    a=rtpmap:0 PCMU/8000
    a=crypto:1 \(profile.sdpName) \(key.inline)

    """.write(to: description, atomically: true, encoding: .utf8)
    let receiving = try ffmpeg([
      "-protocol_whitelist", "file,udp,rtp,srtp", "-analyzeduration", "0", "-probesize", "32", "-i", description.path,
      "-t", "1", "-c:a", "copy", "-f", "mulaw", output.path,
    ])
    defer { receiving.terminate() }

    let socket = try LoopbackSocket()
    var sender = try SRTPSender(key: key, ssrc: 7)
    var packetizer = RTPPacketizer(
      ssrc: 7, payloadType: 0, ticksPerFrame: 160, firstSequenceNumber: SequenceNumber(100),
      firstTimestamp: RTPTimestamp(0))
    var random = SeededRandom(seed: 5)
    var sent: [UInt8] = []
    for _ in 0..<750 where receiving.isRunning {  // 15 s at most
      let frame = (0..<160).map { _ in UInt8.random(in: 0...255, using: &random) }
      var bytes = [UInt8](repeating: 0, count: 200)
      var span = bytes.mutableSpan
      let size = try packetizer.write(frame.span, into: &span)
      let count = try sender.protect(&span, byteCount: size)
      socket.send(Array(bytes[..<count]), to: port)
      sent += frame
      usleep(20_000)
    }
    #expect(!receiving.isRunning, "FFmpeg has had its second of audio")
    let received = try Array(Data(contentsOf: output))
    #expect(received.count == 8_000)
    // FFmpeg starts when it is ready: what it got must be one unbroken part of what was sent.
    let isPart = stride(from: 0, through: max(0, sent.count - received.count), by: 160).contains { start in
      sent[start...].starts(with: received)
    }
    #expect(isPart)
  }

  /// Sockets on an even port and the odd one above it, as RTP and RTCP want them.
  private func boundPair() throws -> (media: LoopbackSocket, control: LoopbackSocket) {
    while true {
      let media = try LoopbackSocket()
      if media.port % 2 == 0, let control = try? LoopbackSocket(port: media.port + 1) { return (media, control) }
    }
  }

  private func freePort() throws -> UInt16 {
    let pair = try boundPair()
    return pair.media.port
  }
}
