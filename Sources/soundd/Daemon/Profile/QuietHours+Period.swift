import Glibc

extension QuietHours {
  /// The quiet hours that have not ended at a moment: the present ones, or the next. In seconds of UTC since 1970, by
  /// the machine's time zone.
  ///
  /// Quiet hours begin and end when the wall clock first shows the hour; if spring leaves the hour out, when the clock
  /// jumps over it.
  func period(endingAfter now: Int64) -> Range<Int64> {
    let today = Self.local(now)
    // More than a day to either side of the week, because a zone may leave out a day or have one twice.
    let periods = (-2...9).flatMap { day in
      spans.filter { $0.days.contains((Int(today.tm_wday) + day + 7) % 7) }.map { span in
        let start = Self.first(span.start, of: today, plusDays: day)
        return start..<max(start, Self.first(span.end, of: today, plusDays: span.end < span.start ? day + 1 : day))
      }
    }
    var merged: [Range<Int64>] = []
    for period in periods.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      // Hours that overlap or meet are one.
      if let last = merged.last, period.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, period.upperBound)
      } else {
        merged.append(period)
      }
    }
    // Without a calendar there is none, and the next hour shows it again.
    return merged.first { $0.upperBound > now } ?? now + 3600..<now + 3600
  }

  /// When the wall clock next shows a second of a day.
  static func next(_ second: Int, after now: Int64) -> Int64? {
    (0...2).lazy.map { first(second, of: local(now), plusDays: $0) }.first { $0 > now }
  }

  /// When the wall clock first shows a second of a day, or jumps over it.
  private static func first(_ second: Int, of today: tm, plusDays days: Int) -> Int64 {
    var day = tm()
    (day.tm_year, day.tm_mon, day.tm_mday) = (today.tm_year, today.tm_mon, today.tm_mday + Int32(days))
    // As if the clock showed UTC. Turns a 32nd of January into the first of February.
    let shown = Int64(timegm(&day)) + Int64(second)
    var (before, after) = (shown - 36 * 3600, shown + 36 * 3600)
    let old = local(before).tm_gmtoff
    let times = [old, local(after).tm_gmtoff].map { shown - Int64($0) }
    if let first = times.filter({ $0 + Int64(local($0).tm_gmtoff) == shown }).min() { return first }
    // The clock jumps where its offset from UTC changes.
    while after - before > 1 {
      let middle = before + (after - before) / 2
      if local(middle).tm_gmtoff == old { before = middle } else { after = middle }
    }
    return after
  }

  private static func local(_ second: Int64) -> tm {
    var (time, parts) = (time_t(second), tm())
    localtime_r(&time, &parts)
    return parts
  }
}
