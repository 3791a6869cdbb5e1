import Glibc
import Logging
import SoundTrigger

/// Runs a daemon to its end, and gives each reason to stop an exit code.
struct DaemonRunner {
  var environment: SystemEnvironment
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
      let startup = try Startup(plan.configuration.output, log: log)
      // Nothing here may keep the opened device: the daemon gives it back when nobody needs it.
      let daemon = try startup.open().map {
        try Daemon(plan, startup, $0.opened, environment: environment, log: log)
      }
      guard let daemon else {
        // soundd was told to leave while the device was opening.
        leavesJobBehind = true
        return
      }
      defer { leavesJobBehind = daemon.leavesJobBehind }
      try daemon.run()
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
    } catch let error as SystemError {
      throw Failure(.software, "\(error)")
    } catch {
      throw Failure(.software, "\(error)")
    }
  }
}
