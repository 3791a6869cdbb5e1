import Logging
import SoundTrigger

/// Runs a daemon to its end and gives what stops it an exit code.
struct DaemonRunner {
  var environment: SystemEnvironment
  var log: Logger

  func run(_ plan: DaemonPlan) throws(Failure) {
    do {
      try Daemon(plan, environment: environment, log: log).run()
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
