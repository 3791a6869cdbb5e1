/// A value that is computed from another one whenever it is read, and stored nowhere: the source stays the one truth.
///
/// ```swift
/// let failed = Derived(of: model.phase) { $0 == .failed }
/// player.playSound("alarm", trigger: failed.value)
/// ```
///
/// It reads its source on the actor that asks for `value`, and keeps the source's model alive. It cannot be sent to another
/// actor.
public struct Derived<Value> {
  private let compute: () -> Value

  /// Creates a value that is derived from a source.
  ///
  /// - Parameters:
  ///   - source: Read at each use of `value`, and not before.
  ///   - transform: Turns the source's value into this one. Called at each use of `value`, so keep it quick.
  public init<Source>(of source: @autoclosure @escaping () -> Source, _ transform: @escaping (Source) -> Value) {
    compute = { transform(source()) }
  }

  /// The value now, computed anew. A trigger that reads it follows the source.
  public var value: Value { compute() }
}
