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
    guard let head = try? EventHead(line) else { return [] }
    switch head.event.kind {
    case .value:
      guard let value = try? ValueMessage(line) else { return [] }
      return receive(News(name: value.name, text: value.value?.text, isChange: false))
    case .change:
      guard let change = try? ChangeMessage(line) else { return [] }
      return receive(News(name: change.name, text: change.new?.text, isChange: true))
    case .unset:
      guard let unset = try? UnsetMessage(line) else { return [] }
      return receive(News(name: unset.name, text: nil, isChange: true))
    case .ready:
      isComplete = true
      defer { state = [:] }
      return names.map { News(name: $0, text: state[$0], isChange: false) }
    case .trigger, .alarm, .play, .stop, .settings, .verdict, nil: return []
    }
  }

  private mutating func receive(_ news: News) -> [News] {
    if isComplete { return [news] }
    state[news.name] = news.text
    return news.isChange ? [news] : []
  }
}
