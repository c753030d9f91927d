import AudioFiles
import RealtimeCore

/// The input is a capture of any kind.
func fuzzCapture(_ bytes: [UInt8]) {
  let file = MemoryFile(bytes)
  guard var capture = try? CaptureFile(path: file.path) else { return }
  var survey = RTPStreamSurvey()
  while let datagram = try? capture.next() {
    check(datagram.payload.count <= bytes.count, "a datagram of \(datagram.payload.count) bytes")
    check(datagram.originalByteCount >= datagram.payload.count, "more was captured than sent")
    _ = datagram.source.description
    survey.add(datagram)
  }
  check(capture.datagramCount <= capture.packetCount, "more datagrams than packets")
  for stream in survey.streams {
    check(stream.distinctCount >= 3 && stream.lostCount >= 0, "\(stream.distinctCount) packets make a stream")
    check(stream.mainPayload.packetCount > 0, "a stream without payloads")
    check(stream.mainPayload.jitter.largestMilliseconds.isFinite, "a jitter that is no number")
    _ = (stream.mediaSeconds, stream.expectedCount, stream.packetTicks)
  }
  for warning in capture.warnings { _ = warning.description }
}

/// The input is a file of packets; what could be read whole is written as it was.
func fuzzPacketFile(_ bytes: [UInt8]) throws {
  let file = MemoryFile(bytes)
  guard var reader = try? PacketFile(path: file.path) else { return }
  var packets: [PacketFile.Packet] = []
  do throws(AudioFileError) {
    while let packet = try reader.next() { packets.append(packet) }
  } catch {
    check(reader.packetCount == packets.count, "\(reader.packetCount) packets counted, \(packets.count) read")
    _ = error.description
    return
  }
  let copy = MemoryFile([])
  try PacketFile.write(packets, to: copy.path)
  check(copy.contents == bytes, "the packets were not written as they were read")
}

/// The input is the text of a trace; what could be read is read again from what is written of it.
func fuzzNetworkTrace(_ bytes: [UInt8]) {
  let file = MemoryFile(bytes)
  do throws(AudioFileError) {
    let trace = try NetworkTrace(path: file.path)
    let copy = MemoryFile([])
    try trace.write(to: copy.path)
    check(try NetworkTrace(path: copy.path).rows == trace.rows, "the rows were not written as they were read")
  } catch {
    _ = error.description
  }
}
