import TestSupport
import Testing

@testable import DemoAgent

@Suite("JSON of strangers") struct JSONTests {
  @Test(
    "what is written is read again",
    arguments: [
      #"{"a":[1,-2.5,true,false,null,"x"],"b":{}}"#, #""\"\\\n\u0001é😀""#, "[]", "0", "[[[]]]",
    ])
  func roundTrip(text: String) throws { #expect(try JSONReader.read(text).text == text) }

  @Test("numbers, escapes and doubles") func values() throws {
    #expect(try JSONReader.read(#" { "a" : 1e2 , "a":2 } "#)["a"] == 2)
    #expect(try JSONReader.read(#""\ud83d\ude00\u00e9\/""#) == .string("😀é/"))
    #expect(try JSONReader.read(#""\ud83d""#) == .string("\u{FFFD}"))
    #expect(try JSONReader.read("1e400") == .number(.infinity) && JSON.number(.infinity).text == "null")
    #expect(JSON.number(1e300).integer == nil && JSON.number(3).text == "3")
  }

  @Test(
    "what is no JSON is refused",
    arguments: [
      "", "{", "}", "[1,]", "{\"a\"}", "{\"a\":}", "01", "1.", ".5", "+1", "-", "1e", "tru", "\"", "\"\\", "\"\\x\"",
      "\"\\u12\"", "\"\n\"", "[1] 2", "{a:1}", "'a'", "NaN", "\u{FEFF}1",
    ])
  func refused(text: String) { #expect(throws: JSONReader.Failure.self) { try JSONReader.read(text) } }

  @Test("depth, length and bytes that are not UTF-8 do no harm") func hostile() throws {
    #expect(throws: JSONReader.Failure.tooDeep) { try JSONReader.read(String(repeating: "[", count: 1 << 20)) }
    #expect(throws: JSONReader.Failure.tooDeep) { try JSONReader.read(String(repeating: "{\"a\":", count: 1 << 16)) }
    let long = String(repeating: "x", count: 10 << 20)
    #expect(try JSONReader.read("\"\(long)\"").string?.utf8.count == 10 << 20)
    #expect(throws: JSONReader.Failure.notUTF8) { try JSONReader.read([0x22, 0xC3, 0x28, 0x22]) }
    var random = SeededRandom(seed: 11)
    let alphabet = Array(#"{}[]",:\u0123e+-.truefalsn "#.utf8)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      if let value = try? JSONReader.read(bytes) { #expect(try JSONReader.read(value.text).text == value.text) }
    }
  }
}
