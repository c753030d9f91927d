internal import Foundation

/// Where a dialect takes its identifiers from: random ones for calls, counted ones where a run is to be repeated.
package struct SessionIdentifiers: Sendable {
  private var count: Int?

  /// UUIDs at random, in lower case.
  package static var random: SessionIdentifiers { SessionIdentifiers(count: nil) }

  /// "id-1", "id-2" and so on.
  package static var counted: SessionIdentifiers { SessionIdentifiers(count: 0) }

  /// One that was not given before.
  package mutating func next() -> String {
    guard let last = count else { return UUID().uuidString.lowercased() }
    count = last + 1
    return "id-\(last + 1)"
  }
}
