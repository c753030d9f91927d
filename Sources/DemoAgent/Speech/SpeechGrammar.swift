/// What the agent understands when it is said, in JSGF (the Java Speech Grammar Format, 1.0).
///
/// All words are in pocketsphinx' English dictionary. What is typed is not bound to it: see `Dialogue`.
public enum SpeechGrammar {
  /// Cities whose weather the agent knows, as they are said.
  public static let cities = WeatherTable.cities.map { $0.lowercased() }
  /// Names that it understands.
  static let people = ["anna", "maria", "peter", "john", "david", "sarah", "tom", "alice", "bob", "lisa"]

  /// The phrases.
  public static let text = """
    #JSGF V1.0;
    grammar agent;
    <city> = \(cities.joined(separator: " | "));
    <day> = today | now | tomorrow;
    <place> = in <city> [<day>] | <day> [in <city>];
    <person> = \(people.joined(separator: " | "));
    <hello> = (hello | hi | hey) [there] | good (morning | afternoon | evening);
    <time> = what time is it [now] | what is the time | what's the time | [can you | could you] tell me the time;
    <weather> = (what is | what's | how is | how's | tell me) the (weather | temperature) [like] [<place>]
      | is it (raining | sunny | cold | warm) <place> | in <city> | <city>;
    <name> = what is your name | what's your name | who are you | my name is <person>;
    <repeat> = [can you | could you] (repeat that | say that again | repeat) | pardon | what did you say;
    <help> = what can you do | help [me];
    <story> = (tell | read) me a story;
    <stop> = stop [it | please | now] | please stop | wait [a moment | a minute | please] | that's enough;
    <thanks> = thank you [very much] | thanks;
    <bye> = goodbye | good bye | bye [bye] | see you [later] | that's all | hang up;
    <command> = <hello> | <time> | <weather> | <name> | <repeat> | <help> | <story> | <stop> | <thanks> | <bye>;
    public <utterance> = [please] [<hello>] <command> [please | thank you];

    """
}
