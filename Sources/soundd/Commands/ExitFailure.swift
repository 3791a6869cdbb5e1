import SoundTrigger
import SoundWire

/// An error that decides with which code the program exits. Its description is what the user reads.
protocol ExitFailure: Error, CustomStringConvertible {
  var exitCode: Failure.Code { get }
}

extension Failure: ExitFailure {
  var exitCode: Code { code }
}

extension DaemonConnection.Problem: ExitFailure {
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

extension RequestRefusal: ExitFailure {
  var exitCode: Failure.Code { .usage }
}

extension DaemonRefusal: ExitFailure {
  var exitCode: Failure.Code {
    switch code {
    case .noDevice, .ending, .busy: .unavailable
    case .unknown: .noInput
    case .unknownRequest, .tooLong, .invalid, .refused, .owned, .limit, .broken, .crowded, .cancelled,
      .configuration, .notPermitted:
      .refused
    }
  }
}

extension ListeningSocket.Problem: ExitFailure {
  var exitCode: Failure.Code { if case .system = self { .inputOutput } else { .unavailable } }
}

extension SocketPath.Problem: ExitFailure {
  var exitCode: Failure.Code { if case .noFolder = self { .unavailable } else { .usage } }
}

extension SoundError: ExitFailure {
  var exitCode: Failure.Code {
    switch self {
    case .notFound, .disabled, .missing, .unavailable, .unspoken: .noInput
    case .unreadable: .inputOutput
    case .corrupt, .foreign, .tooLong: .badData
    case .noRoom: .refused
    case .noMemory: .software
    }
  }
}

extension SystemError: ExitFailure {
  var exitCode: Failure.Code { .software }
}

extension ValueStoreError: ExitFailure {
  var exitCode: Failure.Code { .configuration }
}
