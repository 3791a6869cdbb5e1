import Glibc

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

  /// Finds out where a moment lies, in seconds of UTC since 1970, by the machine's time zone.
  ///
  /// Quiet hours begin and end when the wall clock first shows the hour; if spring leaves the hour out, when the clock jumps
  /// over it.
  func place(of now: Int64) -> Place {
    let today = Self.local(now)
    // More than a day to either side, because a zone may leave out a day or have one twice. Of two boundaries at the same
    // second the later one on the wall clock counts.
    let boundaries = (-2...2).flatMap { day in
      [(start, true), (end, false)].sorted { $0.0 < $1.0 }.map { seconds, begins in
        (time: Self.first(seconds, of: today, plusDays: day), begins: begins)
      }
    }
    let next = boundaries.firstIndex { $0.time > now } ?? boundaries.endIndex
    guard next > boundaries.startIndex, next < boundaries.endIndex else { return .outside(next: now + 3600) }
    if boundaries[next - 1].begins {
      return .within(Period(start: boundaries[next - 1].time, end: boundaries[next].time))
    }
    return .outside(next: boundaries[next].time)
  }

  /// When the wall clock first shows a second of a day, or jumps over it (mktime).
  private static func first(_ second: Int, of today: tm, plusDays days: Int) -> Int64 {
    var wanted = tm()
    (wanted.tm_year, wanted.tm_mon, wanted.tm_mday) = (today.tm_year, today.tm_mon, today.tm_mday + Int32(days))
    (wanted.tm_hour, wanted.tm_min) = (Int32(second / 3600), Int32(second / 60 % 60))
    // Turns a 32nd of January into the first of February.
    timegm(&wanted)
    var found = wanted
    // Of an hour that comes twice, summer time shows the first.
    for isSummer: Int32 in [1, 0] {
      found = wanted
      found.tm_isdst = isSummer
      let time = Int64(mktime(&found))
      let isThere =
        (found.tm_mday, found.tm_hour, found.tm_min) == (wanted.tm_mday, wanted.tm_hour, wanted.tm_min)
      // Of a day that is left out, it may also be -1.
      if isThere, found.tm_isdst == isSummer, time != -1 { return time }
    }
    return jump(near: Int64(mktime(&found)))
  }

  /// The second at which the offset from UTC changes within a day of `time`; `time` if it does not.
  private static func jump(near time: Int64) -> Int64 {
    var (before, after) = (time - 86_400, time + 86_400)
    let offset = local(before).tm_gmtoff
    if local(after).tm_gmtoff == offset { return time }
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if local(middle).tm_gmtoff == offset { before = middle } else { after = middle }
    }
    return after
  }

  private static func local(_ second: Int64) -> tm {
    var (time, parts) = (time_t(second), tm())
    localtime_r(&time, &parts)
    return parts
  }
}
