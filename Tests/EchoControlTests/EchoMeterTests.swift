import Testing

@testable import EchoControl

@Suite struct EchoMeterTests {
  @Test func nothingIsKnownBeforeTheFarEndSpeaks() {
    var meter = EchoMeter()
    meter.add(farEnd: 1e-6, nearEnd: 1, output: 1)
    #expect(meter.echoReturnLoss == 0)
    #expect(meter.echoReturnLossEnhancement == 0)
  }

  @Test func powersBecomeDecibels() {
    var meter = EchoMeter()
    for _ in 0..<7 { meter.add(farEnd: 0.1, nearEnd: 0.01, output: 0.000_1) }
    #expect(abs(meter.echoReturnLoss - 10) < 0.01)
    #expect(abs(meter.echoReturnLossEnhancement - 20) < 0.01)
  }

  /// What a filter left before it had learnt the room must not hide how good it is now.
  @Test func aSecondOfFarEndSpeechIsAllThatCounts() {
    var meter = EchoMeter()
    for _ in 0..<300 { meter.add(farEnd: 0.1, nearEnd: 0.01, output: 0.01) }
    for _ in 0..<110 { meter.add(farEnd: 0.1, nearEnd: 0.01, output: 1e-6) }
    #expect(abs(meter.echoReturnLossEnhancement - 40) < 0.01)
    for _ in 0..<500 { meter.add(farEnd: 0, nearEnd: 1, output: 1) }  // the near end alone changes nothing
    #expect(abs(meter.echoReturnLossEnhancement - 40) < 0.01)
  }
}
