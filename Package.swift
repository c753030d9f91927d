// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  // Spans and views that a type lends need lifetime annotations.
  .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "Antiphon",
  products: [
    .library(name: "Antiphon", targets: ["Antiphon"]),
    .library(name: "RealtimeCore", targets: ["RealtimeCore"]),
    .library(name: "SignalProcessing", targets: ["SignalProcessing"]),
    .library(name: "EchoControl", targets: ["EchoControl"]),
    .library(name: "AudioCodecs", targets: ["AudioCodecs"]),
    .library(name: "RTPTransport", targets: ["RTPTransport"]),
    .library(name: "Networking", targets: ["Networking"]),
    .library(name: "JitterBuffer", targets: ["JitterBuffer"]),
    .library(name: "MediaEngine", targets: ["MediaEngine"]),
    .library(name: "AudioFiles", targets: ["AudioFiles"]),
    .library(name: "AudioDevices", targets: ["AudioDevices"]),
    .library(name: "CallSimulation", targets: ["CallSimulation"]),
    .library(name: "VoiceSession", targets: ["VoiceSession"]),
    .library(name: "DemoAgent", targets: ["DemoAgent"]),
    .executable(name: "antiphon", targets: ["AntiphonCommand"]),
  ],
  traits: [
    .default(enabledTraits: ["FFTW"]),
    .trait(
      name: "FFTW",
      description:
        "Transform with FFTW 3 (GPL: a binary that links it falls under the GPL). Without it the built-in FFT serves."),
  ],
  targets: [
    // The C libraries of Debian, one module each.
    .systemLibrary(
      name: "CFFTW", pkgConfig: "fftw3f", providers: [.apt(["libfftw3-dev"]), .brew(["fftw"])]),
    .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"]), .brew(["opus"])]),
    .systemLibrary(
      name: "CSpeexDSP", pkgConfig: "speexdsp", providers: [.apt(["libspeexdsp-dev"]), .brew(["speexdsp"])]),
    .systemLibrary(
      name: "CSpanDSP", pkgConfig: "spandsp", providers: [.apt(["libspandsp-dev"]), .brew(["spandsp"])]),
    .systemLibrary(name: "CSRTP", pkgConfig: "libsrtp2", providers: [.apt(["libsrtp2-dev"]), .brew(["srtp"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(name: "CDTLS", pkgConfig: "libssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CSndfile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"]), .brew(["libsndfile"])]),
    .systemLibrary(
      name: "COpusFile", pkgConfig: "opusfile", providers: [.apt(["libopusfile-dev"]), .brew(["opusfile"])]),
    .systemLibrary(
      name: "COpusEnc", pkgConfig: "libopusenc", providers: [.apt(["libopusenc-dev"]), .brew(["libopusenc"])]),

    .systemLibrary(name: "CGLib", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"]), .brew(["glib"])]),
    .systemLibrary(name: "CNice", pkgConfig: "nice", providers: [.apt(["libnice-dev"]), .brew(["libnice"])]),
    .systemLibrary(
      name: "CSoup", pkgConfig: "libsoup-3.0", providers: [.apt(["libsoup-3.0-dev"]), .brew(["libsoup"])]),

    // Without pkg-config: SwiftPM prints a note on two of libpulse's flags, and they are not needed.
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"]), .brew(["pulseaudio"])]),
    .systemLibrary(name: "CRealtimeKit", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"]), .brew(["dbus"])]),

    // The demo agent's ears and voice. Debian's flite has no .pc file.
    .systemLibrary(
      name: "CPocketSphinx", pkgConfig: "pocketsphinx",
      providers: [.apt(["libpocketsphinx-dev"]), .brew(["cmu-pocketsphinx"])]),
    .systemLibrary(name: "CFlite", providers: [.apt(["flite1-dev"]), .brew(["flite"])]),

    // The rooms, base first; each imports only those above it.
    .target(name: "CKernels"),
    .target(name: "RealtimeCore", swiftSettings: strict),
    .target(
      name: "SignalProcessing",
      dependencies: [
        "CKernels", "CSpeexDSP", "RealtimeCore", .target(name: "CFFTW", condition: .when(traits: ["FFTW"])),
      ],
      swiftSettings: strict),
    .target(
      name: "EchoControl", dependencies: ["CKernels", "CSpeexDSP", "RealtimeCore", "SignalProcessing"],
      swiftSettings: strict),
    .target(
      name: "AudioCodecs", dependencies: ["CKernels", "COpus", "CSpanDSP", "RealtimeCore", "SignalProcessing"],
      swiftSettings: strict),
    .target(
      name: "CSRTPCiphers", dependencies: ["CSRTP", "COpenSSL"]),
    .target(
      name: "RTPTransport", dependencies: ["CSRTP", "CSRTPCiphers", "RealtimeCore", "AudioCodecs"],
      swiftSettings: strict),
    .target(
      name: "CGateStream", dependencies: ["CGLib"]),
    .target(
      name: "Networking",
      dependencies: [
        "CDTLS", "CGLib", "CNice", "CSoup", "CGateStream", "RealtimeCore", "AudioCodecs", "RTPTransport",
      ],
      swiftSettings: strict),
    .target(
      name: "JitterBuffer",
      dependencies: ["CKernels", "RealtimeCore", "SignalProcessing", "AudioCodecs", "RTPTransport"],
      swiftSettings: strict),
    .target(
      name: "MediaEngine",
      dependencies: [
        "CKernels", "RealtimeCore", "SignalProcessing", "EchoControl", "AudioCodecs", "RTPTransport", "JitterBuffer",
      ],
      swiftSettings: strict),
    .target(
      name: "AudioFiles",
      dependencies: ["CSndfile", "COpusFile", "COpusEnc", "RealtimeCore", "SignalProcessing", "AudioCodecs"],
      swiftSettings: strict),
    .target(name: "AudioDevices", dependencies: ["CPulse", "CRealtimeKit", "RealtimeCore"], swiftSettings: strict),
    .target(
      name: "CallSimulation",
      dependencies: [
        "SignalProcessing", "RealtimeCore", "AudioCodecs", "RTPTransport", "JitterBuffer", "MediaEngine", "AudioFiles",
      ],
      swiftSettings: strict),
    .target(
      name: "VoiceSession",
      dependencies: [
        "RealtimeCore", "SignalProcessing", "EchoControl", "AudioCodecs", "RTPTransport", "JitterBuffer", "MediaEngine",
        "AudioDevices", "Networking",
      ],
      swiftSettings: strict),
    .target(
      name: "Antiphon",
      dependencies: ["MediaEngine", "AudioFiles", "AudioDevices", "CallSimulation", "Networking", "VoiceSession"],
      swiftSettings: strict),
    .target(
      name: "CallReport", dependencies: ["RealtimeCore", "AudioFiles"],
      resources: [.embedInCode("Page")], swiftSettings: strict),
    .target(
      name: "DemoAgent",
      dependencies: [
        "CPocketSphinx", "CFlite", "CGLib", "RealtimeCore", "SignalProcessing", "AudioCodecs", "RTPTransport",
        "MediaEngine", "AudioDevices", "Networking", "VoiceSession",
      ],
      // What belongs to the event loop stays there across an await.
      swiftSettings: strict + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    .executableTarget(
      name: "AntiphonCommand", dependencies: ["Antiphon", "CallReport", "DemoAgent"], swiftSettings: strict),

    // Tests, and what they share.
    .target(name: "CProbes", path: "Tests/CProbes"),
    .target(
      name: "TestSupport", dependencies: ["CProbes", "RealtimeCore"], path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(name: "RealtimeCoreTests", dependencies: ["RealtimeCore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SignalProcessingTests", dependencies: ["SignalProcessing", "CKernels", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "EchoControlTests", dependencies: ["EchoControl", "AudioFiles", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AudioCodecsTests", dependencies: ["AudioCodecs", "AudioFiles", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "RTPTransportTests", dependencies: ["RTPTransport", "CSRTPCiphers", "AudioFiles", "TestSupport"],
      swiftSettings: strict),
    .target(
      name: "TestPeers", dependencies: ["Networking", "TestSupport"], path: "Tests/TestPeers", swiftSettings: strict),
    .testTarget(
      name: "NetworkingTests", dependencies: ["Networking", "RTPTransport", "TestSupport", "TestPeers"],
      exclude: ["Peers"],
      swiftSettings: strict),
    .testTarget(
      name: "JitterBufferTests", dependencies: ["JitterBuffer", "AudioFiles", "TestSupport"], swiftSettings: strict),
    .executableTarget(
      name: "RealtimeControl", dependencies: ["AudioCodecs", "TestSupport"], path: "Tests/RealtimeControl",
      swiftSettings: strict),
    .testTarget(
      name: "MediaEngineTests",
      dependencies: ["MediaEngine", "AudioFiles", "CallSimulation", "TestSupport", "RealtimeControl"],
      swiftSettings: strict),
    .testTarget(name: "AudioFilesTests", dependencies: ["AudioFiles", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AudioDevicesTests", dependencies: ["AudioDevices", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "VoiceSessionTests",
      dependencies: ["VoiceSession", "DemoAgent", "AudioFiles", "CallSimulation", "TestSupport", "TestPeers"],
      exclude: ["Peers"],
      swiftSettings: strict),
    .testTarget(
      name: "DemoAgentTests", dependencies: ["DemoAgent", "Antiphon", "TestSupport", "TestPeers"], exclude: ["Peers"],
      swiftSettings: strict),
    .testTarget(
      name: "CallSimulationTests", dependencies: ["Antiphon", "TestSupport"], swiftSettings: strict),
    .target(
      name: "ReportProbe", dependencies: ["CallReport", "TestSupport"], path: "Tests/ReportProbe", swiftSettings: strict
    ),
    .testTarget(
      name: "CallReportTests", dependencies: ["CallReport", "ReportProbe", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["AntiphonCommand", "CallReport", "ReportProbe", "TestSupport", "AudioFiles", "RTPTransport"],
      swiftSettings: strict
    ),
  ],
  cLanguageStandard: .gnu11
)
