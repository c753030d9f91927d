import Foundation
import MediaEngine
import Testing

@testable import VoiceSession

@Suite("Telnyx: levels, quality, colours")
struct WidgetValueTests {
  @Test func levelsRiseAndFallByTheFormula() {
    var levels = VisualizerLevels()
    #expect(levels.values.isEmpty)
    levels.take([1, 0.5], seconds: 0.2)
    #expect(levels.values == [0.9, 0.45])
    levels.take([1, 0], seconds: 0.2)
    #expect(abs(levels.values[0] - 0.99) < 1e-6)
    #expect(abs(levels.values[1] - 0.18) < 1e-6)
  }

  @Test func fourShortStepsAreOneLongOne() {
    var (short, long) = (VisualizerLevels(), VisualizerLevels())
    for level in [Float(1), 0.2] {
      for _ in 0..<4 { short.take([level], seconds: 0.05) }
      long.take([level], seconds: 0.2)
      #expect(abs(short.values[0] - long.values[0]) < 1e-5)
    }
  }

  @Test func whatIsNoLevelIsSilence() {
    var levels = VisualizerLevels()
    levels.take([.nan, -1, 7, .infinity], seconds: 10)
    #expect(levels.values.map { $0.rounded() } == [0, 0, 1, 0])
    #expect(VisualizerLevels.barHeight(nil) == 0.3)
    #expect(VisualizerLevels.barHeight(0) == 0.2)
    #expect(abs(VisualizerLevels.barHeight(2) - 0.8) < 1e-6)
  }

  /// Scores worked out by hand from the published formula.
  /// Scores worked out apart from this code.
  @Test(arguments: [
    (0.0, 0.0, 0.0, 4.40929, CallQuality.Rating.excellent), (20, 100, 0, 4.37444, .excellent),
    (10, 60, 0.5, 4.17009, .good), (60, 300, 0.2, 4.05817, .fair), (100, 400, 0, 3.71209, .fair),
    (30, 200, 1, 3.87337, .fair), (10, 60, 3, 3.33033, .poor), (10, 60, 10, 2.27841, .bad), (500, 2_000, 30, 1, .bad),
  ]) func quality(jitter: Double, roundTrip: Double, loss: Double, score: Double, rating: CallQuality.Rating) {
    let quality = CallQuality(jitterMilliseconds: jitter, roundTripMilliseconds: roundTrip, lossPercent: loss)
    #expect(abs(quality.meanOpinionScore - score) < 0.00001)
    #expect(quality.rating == rating)
  }

  @Test(arguments: [Double.nan, .infinity, -2])
  func whatWasNotMeasuredIsUnknown(loss: Double) {
    let quality = CallQuality(jitterMilliseconds: 1, roundTripMilliseconds: 1, lossPercent: loss)
    #expect(quality.rating == .unknown)
  }

  @Test func sixGradients() {
    #expect(
      GradientPreset.allCases.map(\.rawValue) == ["verdant", "twilight", "bloom", "mystic", "flare", "glacier"])
    #expect(GradientPreset.allCases.allSatisfy { $0.colors.count >= 2 })
    #expect(Set(GradientPreset.allCases.map(\.colors)).count == 6)
    #expect(GradientPreset(named: "Twilight") == .twilight)
    #expect(GradientPreset(named: "unheard of") == .verdant)
    #expect(GradientPreset(named: nil) == .verdant)
    #expect(WidgetColor(0xFF8000) == WidgetColor(red: 1, green: 128.0 / 255, blue: 0))
  }

  @Test func errorsAndTheSharedShapeMakeEachOther() {
    let errors: [(TelnyxError, Bool)] = [
      (.socketConnectionFailed(.socketNotConnected), true), (.socketConnectionFailed(.socketCancelled), true),
      (.clientConfigurationFailed("no assistant"), false), (.callFailed(.destinationNumberIsRequired), false),
      (.callFailed(.sessionIdIsRequired), false), (.callFailed(.reconnectFailed), true),
      (.callFailed(.callNotFound), false), (.callFailed(.noMetricsCollected), false),
      (.serverError(.gatewayNotRegistered), true),
      (.serverError(.signalingServerError(message: "x", code: -32_000)), false),
      (.serverError(.signalingServerError(message: "x", code: -32_001)), false),
      (.serverError(.signalingServerError(message: "x", code: -32_002)), false),
      (.serverError(.signalingServerError(message: "x", code: -32_003)), true),
      (.serverError(.signalingServerError(message: "x", code: -32_004)), true),
      (.other(SessionError(.media, "no sound", isRetryable: false)), false),
    ]
    for (error, isRetryable) in errors {
      #expect(TelnyxError(SessionError(error)) == error)
      #expect(error.isRetryable == isRetryable, "\(error)")
    }
  }
}
