@testable import DemoAgent

/// The agent's own, not the client's: what one side writes, the other's reader reads.
typealias JSON = DemoAgent.JSON
