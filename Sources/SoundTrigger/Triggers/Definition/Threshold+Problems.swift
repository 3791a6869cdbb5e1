extension Threshold {
  /// Whether there is a line at all.
  var hasLine: Bool { above != nil || below != nil }

  /// The problems of the lines on these values.
  func problems(_ watched: [WatchedValue]) -> [TriggerProblem] {
    let lines = [("above", above), ("below", below)].compactMap { key, line in line.map { (key, $0) } }
    let keys = lines.map(\.0) + (hysteresis == 0 ? [] : ["hysteresis"])
    if let other = watched.first(where: { $0.kind != .number }), let key = keys.first {
      let value = watched.count == 1 ? "the value" : "\(other.name)"
      let message = "is a condition on numbers; \(value) is of type \"\(other.kind.rawValue)\" (type = \"number\"?)"
      return [TriggerProblem(key: key, message: message)]
    }
    var problems: [TriggerProblem] = []
    for (key, line) in lines where !line.isFinite {
      problems.append(TriggerProblem(key: key, message: "must be a finite number"))
    }
    if lines.isEmpty {
      problems.append(TriggerProblem(key: "hysteresis", message: "needs above or below: the line to go back past"))
    } else if !hysteresis.isFinite || hysteresis < 0 {
      problems.append(TriggerProblem(key: "hysteresis", message: "must be a finite number, 0 or more"))
    }
    if let above, let below, below >= above {
      let message =
        "\(below.shortestText) must be less than above (\(above.shortestText)): the numbers between them are left alone"
      problems.append(TriggerProblem(key: "below", message: message))
    }
    return problems
  }

  /// Whether a number is beyond either line.
  func contains(_ number: Double) -> Bool {
    number > above ?? .infinity || number < below ?? -.infinity
  }

  /// The place beyond the lines, in words.
  var place: String {
    [above.map { "above \($0.shortestText)" }, below.map { "below \($0.shortestText)" }]
      .compactMap(\.self).joined(separator: " or ")
  }
}
