/// How much may be heard, as on a phone.
///
/// The raw value is the configuration's and the socket's word for it.
package enum Profile: String, CaseIterable, Sendable {
  /// Everything.
  case full
  /// What is of high or critical importance.
  case quiet
  /// What is of critical importance alone.
  case silent

  /// Whether a sound of that importance plays.
  package func admits(_ importance: PlaySettings.Importance) -> Bool {
    switch self {
    case .full: true
    case .quiet: importance.rank >= PlaySettings.Importance.high.rank
    case .silent: importance == .critical
    }
  }
}
