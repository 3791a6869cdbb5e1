import Glibc

extension QuietHours {
  /// The quiet hours that have not ended at a moment: the present ones, or the next. In seconds of UTC since 1970, by
  /// the machine's time zone.
  ///
  /// Quiet hours begin and end when the wall clock first shows the hour; if spring leaves the hour out, when the clock
  /// jumps over it.
  func period(endingAfter now: Int64) -> Range<Int64> {
    let today = Self.local(now)
    // More than a day to either side, because a zone may leave out a day or have one twice. Of two boundaries at the
    // same second the later one on the wall clock counts.
    let boundaries = (-2...2).flatMap { day in
      [(start, true), (end, false)].sorted { $0.0 < $1.0 }.map { seconds, begins in
        (time: Self.first(seconds, of: today, plusDays: day), begins: begins)
      }
    }
    let next = boundaries.firstIndex { $0.time > now } ?? boundaries.endIndex
    // Without a calendar there is none, and the next hour shows it again.
    guard next > boundaries.startIndex, next < boundaries.endIndex - 1 else { return now + 3600..<now + 3600 }
    let first = boundaries[next - 1].begins ? next - 1 : next
    return boundaries[first].time..<max(boundaries[first].time, boundaries[first + 1].time)
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
