import Foundation
import Testing

/// "A second producer does not compile": the compiler itself is asked, with the module that this test run was built from.
@Suite struct NoncopyableEndsTests {
  @Test func oneProducerAndOneConsumerCompile() throws {
    let result = try compile(
      """
      let ring = SampleRing(minimumCapacity: 64)
      var writer = ring.writer
      var reader = ring.reader
      _ = writer.push(1)
      _ = reader.pop()
      """)
    #expect(result.succeeded, "\(result.diagnostics)")
  }

  @Test(arguments: ["SampleRing(minimumCapacity: 64)", "PacketRing(packetCapacity: 4)"], ["writer", "reader"])
  func aSecondEndDoesNotCompile(ring: String, end: String) throws {
    let result = try compile(
      """
      let ring = \(ring)
      let first = ring.\(end)
      let second = ring.\(end)
      use(first)
      use(second)
      """)
    #expect(!result.succeeded)
    #expect(result.diagnostics.contains("consumed more than once"), "\(result.diagnostics)")
  }

  @Test(arguments: ["writer", "reader"])
  func aCopyOfAnEndDoesNotCompile(end: String) throws {
    let result = try compile(
      """
      let ring = SampleRing(minimumCapacity: 64)
      let first = ring.\(end)
      let copy = first
      use(first)
      use(copy)
      """)
    #expect(!result.succeeded)
    #expect(result.diagnostics.contains("used after consume"), "\(result.diagnostics)")
  }

  @Test(arguments: ["publisher", "observer"])
  func aSecondPublisherOrObserverDoesNotCompile(end: String) throws {
    let result = try compile(
      """
      let cell = LatestValue(0)
      let first = cell.\(end)
      let second = cell.\(end)
      use(first)
      use(second)
      """)
    #expect(!result.succeeded)
    #expect(result.diagnostics.contains("consumed more than once"), "\(result.diagnostics)")
  }

  /// Compiles `body` as a function's, as far as the checks of ownership, which come after those of types.
  private func compile(_ body: String) throws -> (succeeded: Bool, diagnostics: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("antiphon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = folder.appendingPathComponent("snippet.swift")
    let text = """
      import RealtimeCore
      func use<End: ~Copyable>(_ end: borrowing End) {}
      func body() {
      \(body)
      }
      """
    try Data(text.utf8).write(to: source)

    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "swiftc", "-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-I", try modulesFolder().path, source.path,
    ]
    compiler.standardOutput = FileHandle.nullDevice
    let output = Pipe()
    compiler.standardError = output
    try compiler.run()
    let diagnostics = output.fileHandleForReading.readDataToEndOfFile()
    compiler.waitUntilExit()
    return (compiler.terminationStatus == 0, String(decoding: diagnostics, as: UTF8.self))
  }

  /// Where the build put `RealtimeCore.swiftmodule`: beside this program or in a folder above it.
  private func modulesFolder() throws -> URL {
    let program = try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
    var folder = program.deletingLastPathComponent()
    while folder.path != "/" {
      for candidate in [folder, folder.appendingPathComponent("Modules")] {
        let module = candidate.appendingPathComponent("RealtimeCore.swiftmodule")
        if FileManager.default.fileExists(atPath: module.path) { return candidate }
      }
      folder.deleteLastPathComponent()
    }
    throw MissingModule(program: program.path)
  }

  private struct MissingModule: Error {
    let program: String
  }
}
