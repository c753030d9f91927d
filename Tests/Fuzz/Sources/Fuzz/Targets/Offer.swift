import RTPTransport

/// The input is a session description: what could be read is written and read again, then taken as an offer and, with
/// the same audio behind it, as an answer.
func fuzzOffer(_ bytes: [UInt8]) throws {
  let session: SDPSession
  do throws(SDPError) {
    session = try SDPSession(bytes: bytes)
  } catch {
    check(!error.description.isEmpty, "an error without words")
    return
  }
  let text = session.text
  // A fingerprint or a time may be written longer than it was read, never by much; a description at the bound is left.
  if bytes.count < 30_000 {
    guard let again = try? SDPSession(text) else { fatalError("what was written cannot be read:\n\(text)") }
    check(again == session, "what was written is read as something else")
  }
  for media in session.media { _ = (media.codecs, media.candidates, media.sources) }

  let local = LocalAudio(
    ssrc: 1, canonicalName: "a",
    ice: ICECredentials(usernameFragment: "abcd", password: "0123456789abcdefghijkl"),
    fingerprint: CertificateFingerprint(.sha256, digest: [UInt8](repeating: 1, count: 32)))
  var end = AudioNegotiation(sessionID: 1, local: local)
  if let answer = try? end.accept(offer: session) {
    check(answer.media.count == session.media.count, "an answer with other media")
    check((try? SDPSession(answer.text)) != nil, "an answer that cannot be read:\n\(answer.text)")
    check((try? SDPSession(end.makeOffer().text)) != nil, "an offer that cannot be read")
    end.rollBack()
  }
  _ = try end.makeOffer()
  try? end.accept(answer: session)
}
