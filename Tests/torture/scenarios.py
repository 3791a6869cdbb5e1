"""What a user does with soundd while one call fails. Each raises Ended if the process ends, and Finding if it misbehaves."""
import subprocess, time

from session import LEAVING, Client, Ended, Finding, Follower, Wait

# How long a change of a file may go unnoticed: without inotify soundd looks every second. A file that cannot be read for a
# reason that passes is read again every ten seconds.
LOOKING, TROUBLE = 2.5, 24


class Scenario:
    """`run` uses the daemon in which a call fails; `check` what is left when it has ended, in a daemon without a fault."""

    configuration = ""
    # Which sounds the triggers have.
    levels = {}
    # Whether a restart is part of it even if nothing ended the daemon.
    outlives = False
    arguments = ["run"]
    stdin = subprocess.DEVNULL

    def __init__(self, home):
        self.home = home
        # What must be there whatever happens: contents of files by their values, and one of these volumes.
        self.files = {}
        self.volumes = [1]
        self.follower = None
        self.slowest = 0
        self.patience = LOOKING
        home.configure(self.configuration.replace("HOME", home.path))

    def write(self, name, content):
        self.home.write(f"watched/{name}", content)
        self.files[name] = content

    def leave(self, daemon):
        """Ends the daemon by SIGTERM, and compares what it said with what was heard."""
        code, took = daemon.leave()
        self.slowest = took
        if code != 0:
            return code
        if took > LEAVING:
            raise Finding(f"it left after {1000 * took:.0f} ms")
        self.compare()
        return code

    def compare(self):
        """A play that ended by itself is in the output."""
        heard = self.home.heard()
        for trigger, ended in self.follower.ended.items() if self.follower else []:
            count = heard[self.level(trigger)]
            if ended > count:
                raise Finding(f"{ended} plays of '{trigger}' ended, of {self.follower.plays}; the output has {count}")

    def level(self, trigger):
        """Which of the levels the sound of a trigger has in the output."""
        return self.levels[trigger]

    def check(self):
        """After the fault: a daemon without one is ready, and has the contents that were written last."""
        daemon = self.home.start(*self.arguments)
        try:
            daemon.wait_ready()
            client = Client(daemon)
            for name, content in self.files.items():
                client.expect(name, content)
            if "damaged" in daemon.said():
                raise Finding(f"after a restart: {daemon.said()}")
            volume = client.status()["volume"]
            if volume not in self.volumes:
                raise Finding(f"after a restart the volume is {volume} instead of {self.volumes}")
            code, _ = daemon.leave()
            if code != 0:
                raise Finding(f"after a restart it ends with {code}: {daemon.said()}")
        except Ended:
            raise Finding(f"it does not start again: {daemon.said()}") from None
        finally:
            daemon.close()
        if self.home.leftovers():
            raise Finding(f"left behind: {self.home.leftovers()}")


class Files(Scenario):
    """A file, a client, a reload and the end."""

    configuration = """
[value.build]
file = "HOME/watched/build"
[value.log]
lines = "HOME/watched/log"
[[trigger]]
value = "build"
sound = "s0"
fresh = "200 ms"
[[trigger]]
value = "knob"
sound = "s1"
fresh = "200 ms"
debounce = "2 ms"
"""
    levels = {"build": 0, "knob": 1, "more": 2}

    def __init__(self, home):
        super().__init__(home)
        self.write("build", "one")
        self.home.write("watched/log", "first\n")

    def run(self, daemon):
        daemon.wait_ready()
        client = Client(daemon)
        self.follower = Follower(daemon)
        client.set("knob=1")
        client.set("knob=2")
        self.follower.wait("knob", 1)
        self.write("build", "two")
        client.expect("build", "two", self.patience)
        self.follower.wait("build", 1)
        client.set("other=x")
        with open(f"{self.home.path}/watched/log", "a") as file:
            file.write("second\n")
        client.expect("log", "second", self.patience)
        self.home.configure(self.configuration.replace("HOME", self.home.path)
                            + '[[trigger]]\nname = "more"\nvalue = "other"\nsound = "s2"\nfresh = "200 ms"\n')
        answer = client.ask("reload")
        if answer != "ok":
            # It says why, and a later attempt does it.
            if not answer.startswith("error: ") or "ok" not in (client.ask("reload") for _ in range(4)):
                raise Finding(f"'reload' is answered by '{answer}'")
        client.set("other=y")
        self.follower.wait("more", 1)
        self.write("build", "three")
        client.expect("build", "three", self.patience)
        client.set("knob=3")
        client.expect("knob", "3")
        client.expect("other", "y")
        return self.leave(daemon)


class Pipe(Scenario):
    """Values from standard input, which ends."""

    configuration = """
[[trigger]]
value = "door"
sounds = { open = "s0", shut = "s1", last = "s2" }
fresh = "200 ms"
[[trigger]]
value = "bell"
sound = "s3"
debounce = "2 ms"
"""
    arguments = ["run", "-"]
    stdin = subprocess.PIPE

    def run(self, daemon):
        daemon.wait_ready()
        try:
            for line in ["door=unknown", "bell=1", "door=open", "bell=2", "door=shut", '{"door":"last","bell":3}']:
                daemon.process.stdin.write(f"{line}\n".encode())
                daemon.process.stdin.flush()
                time.sleep(0.005)
            daemon.process.stdin.close()
        except BrokenPipeError:
            pass
        code, self.slowest = daemon.wait_end()
        # Without a device nothing is heard, and it says so.
        if code == 0 and self.home.heard()[2] == 0 and not is_troubled(daemon):
            raise Finding("the last line is not heard, and it said nothing of it")
        return code

    def check(self):
        pass


class Loop(Scenario):
    """A state of the last run, a loop, a volume, and a restart."""

    configuration = """
[value.build]
file = "HOME/watched/build"
[[trigger]]
value = "build"
sound = "s1"
initial = "if-changed"
fresh = "200 ms"
[value.reactor]
type = "number"
[[trigger]]
value = "reactor"
above = 90
sound = "s3"
loop = true
loop_every = "20 ms"
fade_out = "5 ms"
fresh = "200 ms"
cancel = "acknowledged"
"""
    levels = {"build": 1, "reactor": 3}
    outlives = True

    def __init__(self, home):
        super().__init__(home)
        self.write("build", "one")
        daemon = home.start()
        try:
            daemon.wait_ready()
            client = Client(daemon)
            client.ask("volume 0.5")
            code, _ = daemon.leave()
            if code != 0:
                raise Finding(f"before the fault it ends with {code}: {daemon.said()}")
        finally:
            daemon.close()
        self.volumes = [0.5]

    def run(self, daemon):
        daemon.wait_ready()
        client = Client(daemon)
        self.begun = client.status()["volume"]
        if self.begun != 0.5 and "saves nothing" not in daemon.said():
            raise Finding(f"the volume is {self.begun}")
        client.set("reactor=20")
        self.follower = Follower(daemon)
        client.set("reactor=95")
        self.write("build", "two")
        client.expect("build", "two", self.patience)
        self.follower.wait("build", 1)
        self.follower.wait("reactor", 2)
        client.set("reactor=20")
        client.expect("reactor", 20)
        # Until it is saved, either is right.
        self.volumes = [0.5, 0.25]
        if client.ask("volume 0.25") != "ok":
            raise Finding("the volume cannot be set")
        if client.ask("volume 1 trigger=build") != "ok":
            raise Finding("the volume of a trigger cannot be set")
        code = self.leave(daemon)
        if code == 0 and self.begun == 0.5 and "cannot be saved" not in daemon.said():
            self.volumes = [0.25]
        return code

    def level(self, trigger):
        # At half the volume each sound has the level of the one before.
        return self.levels[trigger] - (self.begun == 0.5)


def is_troubled(daemon):
    """Whether it said more than what it says in good days."""
    usual = ("soundd: playing on", "soundd: real-time", "soundd: ready", "soundd: volume", "soundd: no real-time")
    return any(not line.startswith(usual) for line in daemon.said().splitlines())


SCENARIOS = {"files": Files, "pipe": Pipe, "loop": Loop}


def torture(scenario_type, home, fault):
    """Runs a scenario with a fault; returns what is wrong with it, and its scenario."""
    scenario = None
    daemon = None
    try:
        scenario = scenario_type(home)
        if fault[3:] > (1,):
            scenario.patience = TROUBLE
        daemon = home.start(*scenario.arguments, fault=fault, stdin=scenario.stdin)
        try:
            code = scenario.run(daemon)
        except Ended:
            code = daemon.process.wait()
            if code == 0:
                raise Finding("it ended by itself, with 0") from None
        if code < 0 and fault[0] != "malloc":
            raise Finding(f"signal {-code} ended it")
        if code > 0 and not any(line.startswith("soundd: ") for line in daemon.said().splitlines()):
            raise Finding(f"it ended with {code} and said nothing")
        if code != 0 or scenario.outlives:
            scenario.check()
        return None, scenario
    except Finding as finding:
        said = daemon.said().strip() if daemon else ""
        return f"{finding}\n    " + "\n    ".join(said.splitlines()[-6:]), scenario
    finally:
        if daemon:
            daemon.close()
