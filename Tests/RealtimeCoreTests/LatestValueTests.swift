import RealtimeCore
import Testing

@Suite struct LatestValueTests {
  @Test func theInitialValueIsSeenUntilAnotherIsPublished() {
    let cell = LatestValue(5)
    var observer = cell.observer
    var publisher = cell.publisher
    #expect(observer.latest() == 5)
    #expect(observer.latest() == 5)
    publisher.publish(6)
    #expect(observer.latest() == 6)
    #expect(observer.latest() == 6)
  }

  @Test func theNewestOfSeveralWins() {
    let cell = LatestValue(0)
    var observer = cell.observer
    var publisher = cell.publisher
    for count in 1...9 {
      for value in 1...count { publisher.publish(10 * count + value) }
      #expect(observer.latest() == 11 * count)
    }
  }

  @Test func aChangeIsReportedOnce() {
    let cell = LatestValue(0)
    var observer = cell.observer
    var publisher = cell.publisher
    #expect(observer.latestIfChanged() == nil)
    publisher.publish(1)
    publisher.publish(1)
    #expect(observer.latestIfChanged() == 1)
    #expect(observer.latestIfChanged() == nil)
    publisher.publish(2)
    #expect(observer.latest() == 2)
    #expect(observer.latestIfChanged() == nil)
  }

  @Test func valuesLargerThanALineKeepApart() {
    let cell = LatestValue(SIMD64<Double>(repeating: 0))
    var observer = cell.observer
    var publisher = cell.publisher
    for step in 1...7 {
      publisher.publish(SIMD64(repeating: Double(step)))
      publisher.publish(SIMD64(repeating: Double(-step)))
      #expect(observer.latest() == SIMD64(repeating: Double(-step)))
    }
  }

  @Test func oneEndMayOutliveTheOther() {
    var observer = observerOfAbandonedCell()
    #expect(observer.latest() == 3)
  }

  private func observerOfAbandonedCell() -> LatestValue<Int>.Observer {
    let cell = LatestValue(1)
    var publisher = cell.publisher
    publisher.publish(3)
    return cell.observer
  }
}
