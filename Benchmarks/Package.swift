// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that whoever uses the library needs neither boost nor JACK.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "Antiphon", path: "..")],
  targets: [
    // The same work in C and C++, straight on the libraries: what we are measured against.
    .target(
      name: "Rivals",
      linkerSettings: ["jack", "opus", "speexdsp", "fftw3f", "srtp2"].map { .linkedLibrary($0) }),
    .executableTarget(
      name: "Bench",
      dependencies: ["Rivals"]
        + [
          "RealtimeCore", "SignalProcessing", "EchoControl", "AudioCodecs", "RTPTransport", "JitterBuffer",
          "MediaEngine", "AudioFiles",
        ].map {
          .product(name: $0, package: "Antiphon")
        },
      swiftSettings: strict),
  ],
  cLanguageStandard: .gnu11,
  cxxLanguageStandard: .cxx17
)
