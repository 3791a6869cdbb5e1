/// Reads the lines of `events --state NAME …`. Pure: lines come in, contents come out.
struct ValueReport {
  struct News: Equatable {
    var name: String
    /// `nil`: the value has no content.
    var text: String?
    /// Whether it is a change; else it is the state.
    var isChange: Bool
  }

  private let names: [String]
  /// The contents so far, until the state is complete.
  private var state: [String: String] = [:]
  private var isComplete = false

  init(_ names: [String]) { self.names = names }

  /// What a line says of the contents.
  mutating func receive(_ line: [UInt8]) -> [News] {
    guard let event = try? JSONObject(line) else { return [] }
    let name = event.text("name") ?? ""
    switch event.text("event") {
    case "value": return receive(News(name: name, text: event.text("value"), isChange: false))
    case "change": return receive(News(name: name, text: event.text("new"), isChange: true))
    case "unset": return receive(News(name: name, text: nil, isChange: true))
    case "ready":
      isComplete = true
      defer { state = [:] }
      return names.map { News(name: $0, text: state[$0], isChange: false) }
    default: return []
    }
  }

  private mutating func receive(_ news: News) -> [News] {
    if isComplete { return [news] }
    state[news.name] = news.text
    return news.isChange ? [news] : []
  }
}
