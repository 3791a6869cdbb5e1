import SoundTrigger

/// An error that decides with which code the program exits. Its description is what the user reads.
protocol ExitError: Error, CustomStringConvertible {
  var exitCode: Failure.Code { get }
}

extension Failure: ExitError {
  var exitCode: Code { code }
}

extension DaemonConnection.Problem: ExitError {
  var exitCode: Failure.Code {
    switch self {
    case .closed(_, let said) where said?.code == .notPermitted: .refused
    case .noDaemon, .timedOut, .closed: .unavailable
    case .notPermitted: .refused
    case .notUnderstood: .badData
    case .system: .inputOutput
    }
  }
}

extension DaemonRefusal: ExitError {
  var exitCode: Failure.Code {
    switch code {
    case .noDevice, .ending, .busy: .unavailable
    case .unknownRequest, .tooLong, .invalid, .unknown, .refused, .owned, .limit, .broken, .crowded, .cancelled,
      .configuration, .notPermitted:
      .refused
    }
  }
}

extension ListeningSocket.Problem: ExitError {
  var exitCode: Failure.Code { if case .system = self { .inputOutput } else { .unavailable } }
}

extension SocketPath.Problem: ExitError {
  var exitCode: Failure.Code { .usage }
}

extension SoundError: ExitError {
  var exitCode: Failure.Code {
    switch self {
    case .notFound, .unreadable, .unavailable: .noInput
    case .corrupt, .tooLong: .badData
    case .noMemory: .software
    }
  }
}

extension SystemError: ExitError {
  var exitCode: Failure.Code { .software }
}

extension ValueStoreError: ExitError {
  var exitCode: Failure.Code { .configuration }
}
