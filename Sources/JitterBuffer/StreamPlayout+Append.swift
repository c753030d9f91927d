import AudioCodecs
public import RealtimeCore

extension StreamPlayout {
  /// Takes audio of an answer, as much as there is room for. Nothing that came is lost unseen: what was not taken is
  /// told and stays with the caller.
  /// - Parameter bytes: see `StreamFormat`. Opus is decoded here, one packet a call (less than 0.1 ms each).
  /// - Parameter item: the answer's number. A new one must be greater than those before; it ends the answer before it.
  /// - Parameter now: when it came.
  @_noLocks
  public mutating func append(
    _ bytes: borrowing ByteView, to item: Int, at now: MediaInstant
  ) -> StreamAppendOutcome {
    guard item > flushedItem else { return late(.flushed, bytes.count) }
    let newest = items.newest
    if newest == nil || item > newest!.id {
      guard items.canOpen(playedTo: readIndex) else {
        statistics.overruns &+= 1
        return StreamAppendOutcome(.full, 0)
      }
      open(item)
    } else if item < newest!.id || newest!.end != .max {
      return late(.ended, bytes.count)
    }
    guard bytes.count > 0 else { return StreamAppendOutcome(.taken, 0) }
    let before = writeIndex
    let outcome: StreamAppendOutcome
    switch format {
    case .pcm16: outcome = appendPCM(bytes)
    case .coded: outcome = takesWholePackets ? appendPacket(bytes) : appendCoded(bytes)
    }
    statistics.samplesReceived &+= Int(writeIndex &- before)
    if case .full = outcome.kind {
      statistics.overruns &+= 1
      isBackedUp = true
    }
    if writeIndex > before {
      if !isBackedUp, let start = items.newest?.start {
        reserve.note(media: sampleRate.nanoseconds(sampleCount: Int(before &- start)), at: now)
      }
      if phase.isStarved && refilledAt == nil { refilledAt = now }
    }
    return outcome
  }

  /// Takes audio of an answer; see `append(_:to:at:)` for views.
  @_noLocks
  public mutating func append(_ bytes: Span<UInt8>, to item: Int, at now: MediaInstant) -> StreamAppendOutcome {
    append(ByteView(bytes), to: item, at: now)
  }

  /// Says that an answer is complete, so that its end is not taken for a slow producer. A new answer says so too.
  @_noLocks
  public mutating func finish(_ item: Int) {
    guard let newest = items.newest, newest.id == item else { return }
    items.end(at: writeIndex)
    oddByte = nil
  }

  @_noLocks
  private mutating func open(_ item: Int) {
    items.open(item, at: writeIndex)
    reserve.beginItem()
    oddByte = nil
    isBackedUp = false
  }

  @_noLocks
  private mutating func late(_ kind: StreamAppendOutcome.Kind, _ byteCount: Int) -> StreamAppendOutcome {
    statistics.lateBytes &+= byteCount
    return StreamAppendOutcome(kind, byteCount)
  }

  private var room: Int { @_noLocks get { store.count &- Int(writeIndex &- readIndex) } }

  @_noLocks
  private mutating func put(_ sample: Int16) {
    store[Int(writeIndex % Int64(store.count))] = sample
    writeIndex &+= 1
  }

  @_noLocks
  private mutating func appendPCM(_ bytes: borrowing ByteView) -> StreamAppendOutcome {
    var room = self.room
    var taken = 0
    if let low = oddByte {
      guard room > 0 else { return StreamAppendOutcome(.full, 0) }
      put(Int16(truncatingIfNeeded: UInt16(bytes[0]) << 8 | UInt16(low)))
      oddByte = nil
      taken = 1
      room &-= 1
    }
    let whole = min(room, (bytes.count &- taken) / 2)
    for index in 0..<whole {
      let at = taken &+ 2 &* index
      put(Int16(truncatingIfNeeded: UInt16(bytes[at &+ 1]) << 8 | UInt16(bytes[at])))
    }
    taken &+= 2 &* whole
    if bytes.count &- taken == 1 {
      oddByte = bytes[taken]
      taken &+= 1
    }
    return StreamAppendOutcome(taken == bytes.count ? .taken : .full, taken)
  }

  /// Decodes a whole packet, or takes nothing of it.
  @_noLocks
  private mutating func appendPacket(_ packet: borrowing ByteView) -> StreamAppendOutcome {
    guard let count = decoder!.sampleCount(of: packet), count <= decoded.count else {
      statistics.malformedPackets &+= 1
      return StreamAppendOutcome(.malformed, packet.count)
    }
    guard count <= room else { return StreamAppendOutcome(.full, 0) }
    guard decode(packet) else {
      statistics.malformedPackets &+= 1
      return StreamAppendOutcome(.malformed, packet.count)
    }
    return StreamAppendOutcome(.taken, packet.count)
  }

  /// Decodes bytes of a codec that has a fixed number of samples for each, piece by piece.
  @_noLocks
  private mutating func appendCoded(_ bytes: borrowing ByteView) -> StreamAppendOutcome {
    guard let count = decoder!.sampleCount(of: bytes), count > 0 else {
      statistics.malformedPackets &+= 1
      return StreamAppendOutcome(.malformed, bytes.count)
    }
    let bytesPerSample = max(1, bytes.count / count)
    var taken = 0
    while taken < bytes.count {
      let piece = min(min(bytes.count &- taken, decoded.count &* bytesPerSample), room &* bytesPerSample)
      guard piece > 0 else { return StreamAppendOutcome(.full, taken) }
      guard decode(bytes.extracting(taken..<taken &+ piece)) else {
        statistics.malformedPackets &+= 1
        return StreamAppendOutcome(.malformed, bytes.count)
      }
      taken &+= piece
    }
    return StreamAppendOutcome(.taken, taken)
  }

  @_noLocks
  private mutating func decode(_ payload: borrowing ByteView) -> Bool {
    guard let count = Self.decode(payload, by: &decoder, into: &decoded) else { return false }
    for index in 0..<count {
      let scaled = decoded[index] * 32_768
      put(Int16(max(-32_768, min(32_767, scaled + (scaled < 0 ? -0.5 : 0.5)))))
    }
    return true
  }

  @_noLocks
  private static func decode(
    _ payload: borrowing ByteView, by decoder: inout AudioDecoder?, into buffer: inout SampleBuffer
  ) -> Int? {
    var span = buffer.mutableSpan
    do throws(CodecError) {
      return try decoder!.decode(payload, into: &span)
    } catch {
      return nil
    }
  }
}
