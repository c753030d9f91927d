// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  // Spans and views in stored properties' accessors need lifetime annotations (SE-0446 and its successor).
  .enableExperimentalFeature("Lifetimes"),
]

let package = Package(
  name: "Antiphon",
  products: [.library(name: "RealtimeCore", targets: ["RealtimeCore"])],
  targets: [
    .target(name: "RealtimeCore", swiftSettings: strict),
    .testTarget(name: "RealtimeCoreTests", dependencies: ["RealtimeCore"], swiftSettings: strict)
  ]
)
