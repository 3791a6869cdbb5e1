/// One line of a reply that is made while it is read, so that neither its length nor the time it takes burdens anybody else.
final class LongReply: Equatable {
  private let part: () -> [UInt8]?

  /// `part` is called for the next bytes, until it has no more; it is not called any more once the client has left.
  init(_ part: @escaping () -> [UInt8]?) { self.part = part }

  /// The next bytes, without the end of the line; `nil`: that was all.
  func next() -> [UInt8]? { part() }

  static func == (left: LongReply, right: LongReply) -> Bool { left === right }
}
