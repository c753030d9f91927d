// swift-tools-version: 6.2
import PackageDescription

// A package of its own: its program has libFuzzer's main, and everything in it is compiled with coverage counters.
// Build it with Scripts/fuzz.
let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "Antiphon", path: "../..")],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "RealtimeCore", "AudioCodecs", "RTPTransport", "JitterBuffer", "MediaEngine", "AudioFiles", "CallSimulation",
        "Networking",
      ].map { .product(name: $0, package: "Antiphon") },
      swiftSettings: [
        .swiftLanguageMode(.v6), .strictMemorySafety(), .treatAllWarnings(as: .error),
        .enableExperimentalFeature("Lifetimes"),
      ])
  ]
)
