import RealtimeCore
import Testing

@Suite struct MediaInstantTests {
  @Test func millisecondsRoundToTheNearestNanosecond() {
    #expect(MediaInstant(milliseconds: 2.5).nanoseconds == 2_500_000)
    #expect(MediaInstant(milliseconds: 0.000_000_6).nanoseconds == 1)
    #expect(MediaInstant(milliseconds: -0.000_000_6).nanoseconds == -1)
    #expect(MediaInstant(nanoseconds: 1_500_000).milliseconds == 1.5)
  }

  @Test func timesBeyondTheAxisStopAtItsEnds() {
    let latest = MediaInstant(milliseconds: .infinity)
    let earliest = MediaInstant(milliseconds: -.infinity)
    #expect(latest.milliseconds > 9e12 && earliest.milliseconds < -9e12)
    #expect(MediaInstant(milliseconds: .greatestFiniteMagnitude) == latest)
    #expect(MediaInstant(milliseconds: .nan) == .zero)
  }

  @Test func differencesAndStepsAgree() {
    let start = MediaInstant(nanoseconds: -5)
    let later = start.advanced(byMilliseconds: 20).advanced(byNanoseconds: 7)
    #expect(later.nanoseconds(since: start) == 20_000_007)
    #expect(start.nanoseconds(since: later) == -20_000_007)
    #expect(later.milliseconds(since: start) == 20.000007)
    #expect(start < later && !(later < start))
  }

  @Test func steppingOverTheEndWrapsInsteadOfTrapping() {
    let last = MediaInstant(nanoseconds: .max)
    #expect(last.advanced(byNanoseconds: 1).nanoseconds == .min)
    #expect(last.advanced(byNanoseconds: 1).nanoseconds(since: last) == 1)
  }
}

@Suite struct SampleRateTests {
  @Test(arguments: [0, 1, 999, 768_001, -48_000, .max, .min])
  func absurdRatesThrow(_ hertz: Int) {
    #expect(throws: AudioFormatError.unsupportedSampleRate(hertz: hertz)) { try SampleRate(hertz: hertz) }
    #expect(AudioFormatError.unsupportedSampleRate(hertz: hertz).description.contains("\(hertz) Hz"))
  }

  @Test(arguments: [1_000, 8_000, 11_025, 44_100, 48_000, 768_000])
  func usualRatesAreAccepted(_ hertz: Int) throws {
    let rate = try SampleRate(hertz: hertz)
    #expect(rate.hertz == hertz)
    #expect(rate.description == "\(hertz) Hz")
  }

  @Test func namedRatesAreWhatTheySay() throws {
    let named: [(SampleRate, Int)] = [
      (.hz8000, 8_000), (.hz11025, 11_025), (.hz12000, 12_000), (.hz16000, 16_000), (.hz22050, 22_050),
      (.hz24000, 24_000), (.hz32000, 32_000), (.hz44100, 44_100), (.hz48000, 48_000), (.hz96000, 96_000),
    ]
    for (rate, hertz) in named { #expect(try rate == SampleRate(hertz: hertz)) }
    #expect(SampleRate.hz16000 < .hz44100 && !(SampleRate.hz48000 < .hz48000))
  }

  @Test func sampleCountsRoundDown() {
    #expect(SampleRate.hz48000.sampleCount(milliseconds: 20) == 960)
    #expect(SampleRate.hz11025.sampleCount(milliseconds: 20) == 220)
    #expect(SampleRate.hz11025.sampleCount(milliseconds: 0) == 0)
  }

  /// Against arithmetic in 128 bits, where nothing is lost.
  @Test(arguments: [1_000, 11_025, 44_100, 48_000, 767_999])
  func durationsAreExactForCenturies(_ hertz: Int) throws {
    let rate = try SampleRate(hertz: hertz)
    let century = 100 * 366 * 86_400 * hertz
    for count in [0, 1, 2, hertz - 1, hertz, hertz + 1, 123_456_789, century - 1, century] {
      let exact = Int128(count) * 1_000_000_000 / Int128(hertz)
      #expect(Int128(rate.nanoseconds(sampleCount: count)) == exact)
    }
  }
}

@Suite struct AudioFormatTests {
  @Test(arguments: [0, -1, 9, .max])
  func absurdChannelCountsThrow(_ count: Int) {
    #expect(throws: AudioFormatError.unsupportedChannelCount(count)) {
      try AudioFormat(sampleRate: .hz48000, channelCount: count)
    }
    #expect(AudioFormatError.unsupportedChannelCount(count).description.contains("\(count) channels"))
  }

  @Test func oneToEightChannelsAreAccepted() throws {
    for count in 1...8 { #expect(try AudioFormat(sampleRate: .hz16000, channelCount: count).channelCount == count) }
    #expect(try AudioFormat.mono(.hz16000) == AudioFormat(sampleRate: .hz16000))
    #expect(try AudioFormat.mono(.hz16000) != AudioFormat(sampleRate: .hz16000, channelCount: 2))
  }
}
