public import Foundation

/// An archive of JSON files in a folder. A file is replaced as a whole, so that a crash leaves the old one or the new one.
///
/// A file that cannot be read is put aside under another name, and the archive goes on without it.
public actor HablaFileArchive: HablaArchive {
  private let folder: URL
  private var cachedRecords: [HablaCallRecord]?
  private var cachedMemories: [HablaCallerMemory]?

  /// An archive in this folder, which is made when something is kept.
  public init(in folder: URL) { self.folder = folder }

  /// This device's id, made once and kept: what the back end tells its caller ids by.
  public static func deviceID(in folder: URL) throws -> UUID {
    let file = folder.appendingPathComponent("device.json")
    if let id: UUID = try read(file) { return id }
    let id = UUID()
    try write(id, to: file)
    return id
  }

  /// All calls, the newest first.
  public func records() throws -> [HablaCallRecord] {
    if let cachedRecords { return cachedRecords }
    let records: [HablaCallRecord] = try Self.read(history) ?? []
    cachedRecords = records
    return records
  }

  /// In front of the others.
  public func add(_ record: HablaCallRecord) throws { try keep([record] + records()) }

  /// Does nothing for one that is not there.
  public func deleteRecord(_ id: UUID) throws { try keep(records().filter { $0.id != id }) }

  /// All callees, the newest last.
  public func memories() throws -> [HablaCallerMemory] {
    if let cachedMemories { return cachedMemories }
    let memories: [HablaCallerMemory] = try Self.read(callees) ?? []
    cachedMemories = memories
    return memories
  }

  /// In place of what is known of the same number.
  public func remember(_ memory: HablaCallerMemory) throws {
    try keep(memories().filter { $0.phoneNumber != memory.phoneNumber } + [memory])
  }

  /// Does nothing for a number that is not known.
  public func forget(_ phoneNumber: String) throws {
    try keep(memories().filter { $0.phoneNumber != phoneNumber })
  }

  private var history: URL { folder.appendingPathComponent("history.json") }
  private var callees: URL { folder.appendingPathComponent("callees.json") }

  private func keep(_ records: [HablaCallRecord]) throws {
    try Self.write(records, to: history)
    cachedRecords = records
  }

  private func keep(_ memories: [HablaCallerMemory]) throws {
    try Self.write(memories, to: callees)
    cachedMemories = memories
  }

  /// `nil`: there is none, or it made no sense and was put aside.
  private static func read<Value: Decodable>(_ file: URL) throws -> Value? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    let data = try Data(contentsOf: file)
    if let value = try? JSONDecoder().decode(Value.self, from: data) { return value }
    let aside = file.appendingPathExtension("damaged")
    try? FileManager.default.removeItem(at: aside)
    try FileManager.default.moveItem(at: file, to: aside)
    return nil
  }

  private static func write(_ value: some Encodable, to file: URL) throws {
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    // To a file beside it, which then takes its place.
    try JSONEncoder().encode(value).write(to: file, options: .atomic)
  }
}
