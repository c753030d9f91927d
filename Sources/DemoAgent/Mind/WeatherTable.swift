/// The agent's own weather, for when nobody else knows: always the same.
enum WeatherTable {
  /// One city's weather.
  struct Entry: Equatable {
    let city: String
    let condition: String
    /// In degrees Celsius.
    let temperature: Int
  }

  static let entries = [
    Entry(city: "London", condition: "rainy", temperature: 14),
    Entry(city: "Paris", condition: "cloudy", temperature: 17),
    Entry(city: "Berlin", condition: "windy", temperature: 12),
    Entry(city: "Madrid", condition: "sunny", temperature: 26),
    Entry(city: "Rome", condition: "sunny", temperature: 24), Entry(city: "Vienna", condition: "foggy", temperature: 9),
    Entry(city: "Tokyo", condition: "clear", temperature: 21),
    Entry(city: "Boston", condition: "snowy", temperature: 1),
    Entry(city: "Chicago", condition: "windy", temperature: 6),
    Entry(city: "Sydney", condition: "warm", temperature: 28),
    Entry(city: "New York", condition: "cloudy", temperature: 15),
  ]

  static let cities = entries.map(\.city)

  /// The city that is named in `words`, which are lower case and apart by single spaces.
  static func city(in words: String) -> String? {
    cities.first { (" " + words + " ").contains(" " + $0.lowercased() + " ") }
  }

  static func entry(_ city: String) -> Entry? { entries.first { $0.city.lowercased() == city.lowercased() } }
}
