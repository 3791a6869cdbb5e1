extension QuietHours {
  /// One evening's quiet hours, in seconds of UTC since 1970.
  struct Period: Equatable, Sendable {
    var start: Int64
    /// The first second after them.
    var end: Int64
  }

  /// Where a moment lies.
  enum Place: Equatable, Sendable {
    /// In quiet hours.
    case within(Period)
    /// The next ones begin at `next`.
    case outside(next: Int64)

    /// When this ends, unless the clock or the time zone is changed before.
    var end: Int64 {
      switch self {
      case .within(let period): period.end
      case .outside(let next): next
      }
    }
  }

  /// A second of UTC at which quiet hours begin or end.
  private struct Boundary {
    var time: Int64
    var begins: Bool
  }

  /// Finds out where a moment lies.
  ///
  /// They begin and end when the wall clock first reaches the hour, or first passes it, where the hour is left out in
  /// spring; what it shows a second time in autumn counts for nothing. So it is whatever the zone does, but for changes
  /// of its offset that lie less than an hour apart.
  ///
  /// - Parameters:
  ///   - now: Seconds of UTC since 1970.
  ///   - offset: Local time minus UTC at a second of UTC, in seconds; within a day.
  /// - Returns: the quiet hours that it lies in, or when the next ones begin.
  func place(of now: Int64, offset: (Int64) -> Int) -> Place {
    let boundaries = boundaries(around: now, offset)
    // Those of the same second come in the order of the wall clock: of hours that are left out, nothing is left.
    let next = boundaries.firstIndex { $0.time > now } ?? boundaries.endIndex
    // Neither end of the list is ever near.
    guard next > boundaries.startIndex, next < boundaries.endIndex else { return .outside(next: now + 3600) }
    if boundaries[next - 1].begins {
      return .within(Period(start: boundaries[next - 1].time, end: boundaries[next].time))
    }
    return .outside(next: boundaries[next].time)
  }

  private static let day: Int64 = 86_400

  /// The boundaries of some days, in order.
  private func boundaries(around now: Int64, _ offset: (Int64) -> Int) -> [Boundary] {
    let spans = Self.spans(from: now - 6 * Self.day, to: now + 6 * Self.day, offset)
    let local = now + Int64(offset(now))
    let today = local - (local % Self.day + Self.day) % Self.day
    var boundaries: [Boundary] = []
    // More than one to either side, for a zone may leave out a day or have it twice.
    for number in Int64(-3)...3 {
      let times = [(Int64(start), true), (Int64(end), false)].sorted { $0.0 < $1.0 }
      for (time, begins) in times {
        let wanted = today + number * Self.day + time
        guard let span = spans.first(where: { wanted - $0.offset < $0.end }) else { continue }
        boundaries.append(Boundary(time: max(span.start, wanted - span.offset), begins: begins))
      }
    }
    return boundaries
  }

  /// A time in which the offset stays the same.
  private struct Span {
    var start: Int64
    var end: Int64
    var offset: Int64
  }

  /// What the offset does in a time: looked at every hour, and where it differs, at every half of the half.
  private static func spans(from first: Int64, to last: Int64, _ offset: (Int64) -> Int) -> [Span] {
    var spans = [Span(start: first, end: first, offset: Int64(offset(first)))]
    while spans[spans.count - 1].end < last {
      let current = spans[spans.count - 1]
      let next = current.end + 3600
      if Int64(offset(next)) == current.offset {
        spans[spans.count - 1].end = next
        continue
      }
      var (same, other) = (current.end, next)
      while other - same > 1 {
        let middle = same + (other - same) / 2
        if Int64(offset(middle)) == current.offset { same = middle } else { other = middle }
      }
      spans[spans.count - 1].end = other
      spans.append(Span(start: other, end: other, offset: Int64(offset(other))))
    }
    return spans
  }
}
