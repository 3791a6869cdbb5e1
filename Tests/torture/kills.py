"""Kills soundd at random moments under load, and looks at what it left and how soon it is back."""
import json, os, signal, statistics, time

from power import CONFIGURATION, volume
from session import Connection, Ended, Finding, Home

# How soon it is ready again, in seconds.
READY = 0.1


class Kills:
    def __init__(self, soundd, library, chance):
        self.soundd, self.library, self.chance = soundd, library, chance
        self.findings, self.ready = [], []
        self.done, self.saved = 0, 0

    def state(self, home):
        """The volume that is saved; None if there is no state yet."""
        path = f"{home.path}/state/soundd/state"
        if not os.path.exists(path):
            return None
        with open(path, "rb") as file:
            found = volume(file.read())
        if found is None:
            raise Finding("the state is damaged")
        return found

    def load(self, connection, home, until, levels):
        """Sets values, volumes and files until a moment."""
        number = 0
        while time.monotonic() < until:
            number += 1
            if number % 4 == 1:
                levels.append(round(self.chance.uniform(0.1, 1), 6))
                connection.ask(f"volume {levels[-1]}")
            elif number % 4 == 2:
                home.write("watched/build", f"{self.done} {number}\n")
            else:
                connection.ask(f"knob={self.done * 1000 + number}\nsync")

    def kill(self, home):
        before = self.state(home)
        daemon = home.start()
        try:
            self.ready.append(daemon.wait_ready())
            connection = Connection(daemon)
            found = json.loads(connection.ask("status"))["volume"]
            if found != (1 if before is None else before) or "damaged" in daemon.said():
                raise Finding(f"{before} was saved and {found} is restored: {daemon.said()}")
            levels = [found]
            # Half of the time while it writes its state: at its end, seldom while it runs on, two seconds after a change.
            writes = self.chance.random()
            pause = self.chance.uniform(1.99, 2.05) if writes > 0.97 else self.chance.uniform(0, 0.05)
            self.load(connection, home, time.monotonic() + pause, levels)
            if writes < 0.5:
                daemon.process.send_signal(signal.SIGTERM)
                time.sleep(self.chance.uniform(0, 0.03))
            daemon.process.kill()
            daemon.process.wait()
            after = self.state(home)
            if after is not None and after not in levels or after is None and before is not None:
                raise Finding(f"the state has {after}, which none of {levels} was")
            self.saved += after != before
        except Ended:
            raise Finding(f"it ended by itself: {daemon.said()}") from None
        finally:
            daemon.close()

    def run(self, count, deadline):
        home = Home(self.soundd, self.library)
        home.configure(CONFIGURATION.replace("HOME", home.path))
        home.write("watched/build", "begin\n")
        try:
            while self.done < count and time.monotonic() < deadline:
                self.done += 1
                self.kill(home)
            daemon = home.start()
            daemon.wait_ready()
            daemon.leave()
            daemon.close()
            if home.leftovers():
                raise Finding(f"left behind: {home.leftovers()}")
            late = sum(least > READY for _, least in self.ready)
            # The machine may have been busy with something else.
            if late > max(2, self.done // 100):
                raise Finding(f"{late} of {self.done} restarts took more than {1000 * READY:.0f} ms")
            if not self.saved:
                raise Finding("no state was ever saved")
        except (Finding, Ended, ConnectionError) as problem:
            self.findings.append(f"kill {self.done}: {problem!r}")
        finally:
            home.remove()

    def times(self):
        ready = sorted(1000 * took for took, _ in self.ready) or [0]
        return f"median {statistics.median(ready):.0f}, 99 in 100 within {ready[len(ready) * 99 // 100]:.0f}, at most {ready[-1]:.0f} ms"
