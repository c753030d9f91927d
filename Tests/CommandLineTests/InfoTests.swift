import Foundation
import TestSupport
import Testing

struct InfoTests {
  /// File, frames, channels, rate, and what the warning says; nil frames: a clear error.
  private static let recordings: [(String, Int, Int, Int, String?)] = [
    ("scipy-8000Hz-be-3ch-5S-24bit.wav", 5, 3, 8_000, nil),
    ("scipy-44100Hz-2ch-32bit-float-be.wav", 441, 2, 44_100, nil),
    ("scipy-44100Hz-le-1ch-4bytes-rf64.wav", 4_410, 1, 44_100, nil),
    ("scipy-44100Hz-le-1ch-4bytes-early-eof.wav", 236, 1, 44_100, "17640"),
    ("scipy-48000Hz-2ch-64bit-float-le-wavex.wav", 480, 2, 48_000, nil),
    ("scipy-8000Hz-le-4ch-9S-12bit.wav", 9, 4, 8_000, nil),
    ("hound-nonstandard-01.wav", 1, 2, 48_000, nil),
    ("wavefile-no_samples.wav", 0, 1, 44_100, nil),
    ("wavefile-mono_pcm_8_44100_with_padding_byte.wav", 2_241, 1, 44_100, nil),
    ("wavefile-data_chunk_truncated.wav", 2_240, 1, 44_100, "100000"),
    ("wavefile-extensible_24_in_32.wav", 2_240, 1, 44_100, nil),
    ("rochars-8bit-mulaw-8kHz.wav", 48_000, 1, 8_000, nil),
    ("rochars-4bit-imaadpcm-8kHz.wav", 53_025, 1, 8_000, "53499"),
    ("goaudio-bwf.wav", 7_287, 1, 44_100, nil),
    ("goaudio-listChunkInHeader.wav", 15_318, 2, 44_100, nil),
    ("flac-subset-60-mono.flac", 227_247, 1, 44_100, nil),
    ("flac-faulty-05-wrong-total.flac", 109_487, 1, 24_000, "39842"),
    ("cpython-pluck-pcm16.au", 3_307, 2, 11_025, nil),
  ]

  @Test func realRecordingsAreToldRight() throws {
    let paths = Self.recordings.map { data("audio/" + $0.0) }.joined(separator: " ")
    let result = try Program.shell("antiphon info --json \(paths)", in: Folder())
    #expect(result.code == 0)
    #expect(result.lines.count == Self.recordings.count)
    for ((name, frames, channels, rate, warning), line) in zip(Self.recordings, result.lines) {
      let told = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect(told["frames"] as? Int == frames, "\(name)")
      #expect(told["channels"] as? Int == channels, "\(name)")
      #expect(told["rate"] as? Int == rate, "\(name)")
      let warnings = try #require(told["warnings"] as? [String])
      if let warning { #expect(warnings.contains { $0.contains(warning) }, "\(name): \(warnings)") }
    }
  }

  @Test(arguments: ["scipy-44100Hz-le-1ch-4bytes-incomplete-chunk.wav", "wavefile-format_chunk_after_data_chunk.wav"])
  func recordingsThatNobodyCanReadAreClearErrors(name: String) throws {
    let result = try Program.run("info", data("audio/" + name), in: Folder())
    #expect(result.code == 1)
    #expect(result.output.isEmpty)
    #expect(result.error.contains(name))
  }

  @Test func everyRecordingCanBeWorkedOn() throws {
    let folder = try Folder()
    let names = Self.recordings.map(\.0)
    let work = "antiphon resample --rate 16000 $f r-$n.wav && antiphon encode --complexity 0 $f e-$n.opus"
    let paths = names.map { data("audio/" + $0) }.joined(separator: " ")
    let result = try Program.shell("set -e; n=0; for f in \(paths); do \(work); n=$((n+1)); done", in: folder)
    #expect(result.code == 0, "\(result.error)")
    for (index, (name, _, channels, _, _)) in Self.recordings.enumerated() {
      #expect(try folder.read("r-\(index).wav").format.channelCount == channels, "\(name)")
    }
  }

  @Test func streamsOfACaptureAreTold() throws {
    let result = try Program.run("info", "--json", data("captures/gpl-2.0/sipnab-codec-negotiation.pcap"), in: Folder())
    #expect(result.code == 0)
    let streams = try #require(try result.json()["streams"] as? [[String: Any]])
    #expect(streams.count == 4)
    #expect(streams.allSatisfy { $0["packets"] as? Int == 151 && $0["lost"] as? Int == 0 })
    #expect(streams[0]["ssrc"] as? String == "0x0E330AF3")
    #expect(streams[0]["seconds"] as? Double == 3.02)
    let payloads = try #require(streams[2]["payloads"] as? [[String: Any]])
    #expect(payloads.first?["codec"] as? String == "G722/8000")
    #expect(payloads.first?["isDecodable"] as? Bool == true)
    #expect(result.error.contains("payload type 0 is PCMU/8000 by its label and sounds like PCMA"))
  }

  @Test func lossOfACaptureIsTold() throws {
    let result = try Program.run("info", "--json", data("captures/gpl-2.0/asterisk-CARRIER_G711U.pcap"), in: Folder())
    let stream = try #require((try result.json()["streams"] as? [[String: Any]])?.first)
    #expect(stream["lost"] as? Int == 14)
    #expect(stream["seconds"] as? Double == 16.28)
    let jitter = try #require(stream["largestJitterMilliseconds"] as? Double)
    #expect(abs(jitter - 0.067) < 0.001)
  }

  @Test(arguments: [
    "lgpl-3.0/ndpi-rtcp_multiple_pkts_in_the_same_datagram.pcap", "tcpdump-rtp-seg-fault-1.pcapng",
    "gpl-2.0/sipp-dtmf_2833_pound.pcap",
  ])
  func aCaptureWithoutAudioIsAnError(name: String) throws {
    let result = try Program.run("info", data("captures/" + name), in: Folder())
    #expect(result.code == 1)
    #expect(result.error.contains("there is no audio stream in it"))
  }

  @Test func oneBadFileDoesNotHideTheOthers() throws {
    let result = try Program.run(
      "info", "--json", "missing.wav", data("speech/mic.wav"), data("captures/rtptools-bark.rtp"), in: Folder())
    #expect(result.code == 1)
    #expect(result.lines.count == 2)
    #expect(result.error.contains("missing.wav: no such file"))
    #expect(result.error.contains("1 of 3 files"))
  }

  @Test func standardInputIsToldToo() throws {
    let recording = try Data(contentsOf: testdata.appendingPathComponent("speech/mic.wav"))
    let result = try Program.run("info", "-", in: Folder(), input: recording)
    #expect(result.code == 0)
    #expect(result.text.contains("12.045 s (192720 frames)"))
    let capture = try Data(contentsOf: testdata.appendingPathComponent("captures/rtptools-bark.rtp"))
    #expect(try Program.run("info", "-", in: Folder(), input: capture).text.contains("SSRC 0x00059C72"))
  }
}
