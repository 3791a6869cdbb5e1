import Glibc
import Logging
import SoundTrigger

/// Runs a daemon to its end, and gives each reason to stop an exit code.
struct DaemonRunner {
  var log: Logger

  func run(_ plan: DaemonPlan) throws(Failure) {
    var leavesJobBehind = false
    do throws(Failure) {
      try run(plan, &leavesJobBehind)
    } catch {
      if !leavesJobBehind { throw error }
      StandardStreams.complain(error.description)
      _exit(error.code.rawValue)
    }
    if leavesJobBehind { _exit(0) }
  }

  private func run(_ plan: DaemonPlan, _ leavesJobBehind: inout Bool) throws(Failure) {
    do {
      guard let daemon = try Daemon.start(plan, log: log) else {
        // soundd was told to leave while the device was opening.
        leavesJobBehind = true
        return
      }
      try daemon.run(&leavesJobBehind)
    } catch let error as OutputError {
      throw Failure(.unavailable, "\(error); 'aplay -L' lists the devices, 'none' plays on none")
    } catch let failure as Failure {
      throw failure
    } catch ListeningSocket.Problem.system(let error) {
      throw Failure(.inputOutput, "\(error)")
    } catch let error as ListeningSocket.Problem {
      throw Failure(.unavailable, "\(error)")
    } catch let error as ValueStoreError {
      throw Failure(.configuration, "\(error)")
    } catch {
      throw Failure(.software, "\(error)")
    }
  }
}
