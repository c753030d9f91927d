/// What was agreed on in a call: times, numbers and places that were said, and how often.
struct HablaFacts {
  private struct Fact {
    let type: String
    let value: String
    var occurrences = 1
    var lastRole: String
  }

  private var facts: [Fact] = []

  /// Looks for facts in a text. - Returns: whether there was one.
  mutating func note(_ text: String, by role: String) -> Bool {
    var isFound = false
    for word in text.split(whereSeparator: { " ,?!".contains($0) }) {
      let word = word.hasSuffix(".") ? word.dropLast() : word
      let isTime = word.contains(":") && word.allSatisfy { $0.isNumber || $0 == ":" }
      guard isTime || (!word.isEmpty && word.allSatisfy(\.isNumber)) else { continue }
      add(isTime ? "time" : "amount", String(word), role)
      isFound = true
    }
    if let city = WeatherTable.city(in: Dialogue.words(text)) {
      add("place", city, role)
      isFound = true
    }
    return isFound
  }

  private mutating func add(_ type: String, _ value: String, _ role: String) {
    if let place = facts.firstIndex(where: { $0.type == type && $0.value == value }) {
      facts[place].occurrences += 1
      facts[place].lastRole = role
    } else {
      facts.append(Fact(type: type, value: value, lastRole: role))
    }
  }

  /// As the vendor's list of facts: verified is what was said twice.
  var list: JSON {
    .array(
      facts.map { fact in
        [
          "type": .string(fact.type), "value": .string(fact.value), "confidence": fact.occurrences > 1 ? 0.95 : 0.7,
          "verified": .bool(fact.occurrences > 1), "occurrences": .integer(fact.occurrences),
          "last_role": .string(fact.lastRole),
        ]
      })
  }

  var isEmpty: Bool { facts.isEmpty }

  var summary: JSON { ["type": "verified_facts_summary", "facts": list] }
}
