import AudioFiles
import Foundation
import Testing

/// A file that is refused must be closed once: a second close hits whoever got the number meanwhile.
@Suite struct DescriptorTests {
  @Test func refusedFilesAreClosedOnce() throws {
    let folder = try TemporaryFolder()
    let empty = try folder.file("empty.wav", [])
    let hit = Flag()
    // Another thread opens and closes files all the while; a double close takes its descriptors away.
    let bystander = Thread {
      while !hit.isFinished {
        let descriptor = unsafe open("/dev/null", O_RDONLY)
        if descriptor >= 0, close(descriptor) != 0 { hit.isHit = true }
      }
      hit.gone.signal()
    }
    bystander.start()
    for _ in 0..<5_000 {
      #expect(throws: AudioFileError.empty(path: empty)) { _ = try AudioFileReader(path: empty).format }
      #expect(throws: AudioFileError.isDirectory(path: folder.url.path)) {
        _ = try AudioFileReader(path: folder.url.path).format
      }
    }
    hit.isFinished = true
    hit.gone.wait()
    #expect(!hit.isHit)
  }

  private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var values = (finished: false, hit: false)
    var isFinished: Bool {
      get { lock.withLock { values.finished } }
      set { lock.withLock { values.finished = newValue } }
    }
    var isHit: Bool {
      get { lock.withLock { values.hit } }
      set { lock.withLock { values.hit = newValue } }
    }
    let gone = DispatchSemaphore(value: 0)
  }
}
