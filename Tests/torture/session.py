"""A daemon in a home of its own, in which a call can fail, and what it is watched by."""
import array, glob, json, os, re, resource, select, shutil, signal, socket, struct, subprocess, tempfile, time, wave

HERE = os.path.dirname(os.path.realpath(__file__))
RATE = 48_000
# How long an answer may take, in seconds.
PATIENCE = 1
# What the contract promises for the end.
LEAVING = 0.2

SOURCE = open(f"{HERE}/faults.c").read()
SYSTEM_CALLS, PCM_CALLS = (re.findall(r"X\((\w+)\)", re.search(rf"#define {name}\(X\)((?:.*\\\n)*.*)", SOURCE)[1])
                           for name in ["SYSTEM_CALLS", "PCM_CALLS"])
CALLS = SYSTEM_CALLS + PCM_CALLS

# Sound number k is 10 ms of this level times 2 to the power of k, and then silent. So the output tells which sounds it has.
LEVEL = 1 / 64
SOUND_FRAMES, SILENT_FRAMES = 480, 96

# A crash leaves no core.
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


class Ended(Exception):
    """The process ended while something was asked of it."""


class Finding(Exception):
    """What must not be."""


class Wait:
    """A limit in seconds, from which the time is subtracted in which the machine ran neither this program nor the daemon."""

    def __init__(self, limit=PATIENCE, daemon=None):
        self.left, self.daemon = limit, daemon
        self.end = time.monotonic() + 30 * limit
        self.delay = daemon.delay() if daemon else 0

    def step(self, *descriptors):
        """Waits some milliseconds for the descriptors; returns those that are ready. Raises TimeoutError at the limit."""
        before = time.monotonic()
        if self.left <= 0 or before > self.end:
            raise TimeoutError
        ready = select.select(descriptors, [], [], 0.005)[0]
        took = min(time.monotonic() - before, 0.01)
        if self.daemon and not ready:
            before, self.delay = self.delay, self.daemon.delay()
            took = max(0, took - max(0, self.delay - before))
        self.left -= took
        return ready


def build(folder):
    """Builds the library that makes calls fail; returns its path."""
    library = f"{folder}/faults.so"
    subprocess.run(["cc", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", library, f"{HERE}/faults.c",
                    "-ldl", "-pthread"], check=True)
    return library


def numbers(content):
    """The samples of an output: 32-bit floats, or integers if the device has got these."""
    samples = array.array("f", content[:len(content) // 4 * 4])
    if all(sample == 0 or 1e-6 < abs(sample) <= 1 for sample in samples):
        return samples
    return [sample / 2**31 for sample in array.array("i", samples.tobytes())]


class Home:
    """The folders of a user: configuration, sounds, state, and the output of the ALSA device `torture`."""

    def __init__(self, soundd, library, place="/dev/shm"):
        self.soundd, self.library = soundd, library
        self.path = tempfile.mkdtemp(prefix="sdt-", dir=place if os.access(place, os.W_OK) else None)
        for folder in ["run", "state", "watched", "output", "soundd/sounds"]:
            os.makedirs(f"{self.path}/{folder}")
        for number in range(5):
            level = round(LEVEL * 2**number * 32768)
            with wave.open(f"{self.path}/soundd/sounds/s{number}.wav", "wb") as file:
                file.setparams((1, 2, RATE, 0, "NONE", ""))
                file.writeframes(struct.pack("<h", level) * SOUND_FRAMES + bytes(2 * SILENT_FRAMES))
        # With `truncate false` each opening has a file of its own, so nothing that was heard is lost.
        self.write(".asoundrc", f'pcm.torture {{ type file file "{self.path}/output/raw" format raw truncate false '
                                "slave.pcm { type null } }\n")
        self.environment = {"PATH": "/usr/bin:/bin", "HOME": self.path, "XDG_RUNTIME_DIR": f"{self.path}/run",
                            "XDG_CONFIG_HOME": self.path, "XDG_STATE_HOME": f"{self.path}/state", "XDG_DATA_HOME": "/nowhere",
                            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere", "TZ": "UTC", "LC_ALL": "C"}
        self.write("counts", bytes(8 * (len(CALLS) + 1)))

    def write(self, name, content):
        """Replaces a file, as an editor does."""
        path = f"{self.path}/{name}"
        with open(f"{path}~", "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        os.rename(f"{path}~", path)

    def configure(self, text):
        self.write("soundd/config.toml", f'[output]\ndevice = "torture"\n{text}')

    def start(self, *arguments, fault=None, log=None, **options):
        return Daemon(self, arguments or ["run"], fault, log, **options)

    def counts(self):
        """How often each function was called, and whether the fault has happened."""
        with open(f"{self.path}/counts", "rb") as file:
            counts = struct.unpack(f"<{len(CALLS) + 1}Q", file.read())
        return dict(zip(CALLS, counts)), counts[-1] != 0

    def heard(self):
        """How often each sound begins in the output."""
        counts = [0] * 5
        for path in glob.glob(f"{self.path}/output/*"):
            with open(path, "rb") as file:
                content = file.read()
            samples = numbers(content)
            # Both channels are the same. A fade passes all levels and stays at none.
            before, steady = 0, 0
            for sample in samples[::64]:
                level = sample / LEVEL
                if abs(level - steady) < 0.01:
                    now = round(level)
                    for number in range(5):
                        if now >> number & 1 and not before >> number & 1:
                            counts[number] += 1
                    before = now
                steady = level
        return counts

    def leftovers(self):
        """Unfinished files."""
        return [name for _, _, names in os.walk(self.path) for name in names if name.endswith((".new", ".part", ".damaged"))]

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)


class Daemon:
    """A process of soundd. `fault` is a call, its number, an error and perhaps how many calls in a row; `log` records what changes in a folder."""

    def __init__(self, home, arguments, fault=None, log=None, stdin=subprocess.DEVNULL):
        self.home = home
        environment = dict(home.environment)
        if fault or log:
            home.write("counts", bytes(8 * (len(CALLS) + 1)))
            environment |= {"LD_PRELOAD": home.library, "TORTURE_COUNTS": f"{home.path}/counts"}
        if fault:
            environment |= dict(zip(["TORTURE_CALL", "TORTURE_AT", "TORTURE_ERRNO", "TORTURE_TIMES"], map(str, fault)))
        if log:
            environment |= {"TORTURE_FOLDER": f"{home.path}/state", "TORTURE_LOG": log}
        self.notifications = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        path = f"{home.path}/run/notify"
        if os.path.exists(path):
            os.unlink(path)
        self.notifications.bind(path)
        environment["NOTIFY_SOCKET"] = path
        self.log = open(f"{home.path}/log", "wb")
        self.started = time.monotonic()
        self.process = subprocess.Popen([home.soundd, *arguments], env=environment, cwd=home.path, stdin=stdin,
                                        stdout=subprocess.DEVNULL, stderr=self.log)
        self.end_descriptor = os.pidfd_open(self.process.pid)

    def said(self):
        with open(f"{self.home.path}/log", errors="replace") as file:
            return file.read()

    def delay(self, threads="[0-9]*"):
        """For how long its threads wanted to run and the machine did not let them, in seconds: they wait for each other."""
        total = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/{threads}/schedstat"):
            try:
                with open(path) as file:
                    total += int(file.read().split()[1]) / 1e9
            except OSError:
                pass
        return total

    def wait_ready(self, limit=PATIENCE):
        """Waits for READY=1; returns after how long it came, and how long that is without what the machine took away."""
        wait = Wait(limit, self)
        try:
            while True:
                ready = wait.step(self.notifications, self.end_descriptor)
                if self.notifications in ready and b"READY=1" in self.notifications.recv(4096):
                    took = time.monotonic() - self.started
                    return took, took - self.delay()
                if self.end_descriptor in ready:
                    raise Ended
        except TimeoutError:
            raise Finding("it is not ready in time") from None

    def leave(self, number=signal.SIGTERM):
        """Ends it; returns its exit code and how long that took."""
        before, begun = self.delay(self.process.pid), time.monotonic()
        self.process.send_signal(number)
        return self.wait_end(before, begun)

    def wait_end(self, before=0, begun=None, limit=PATIENCE):
        wait, begun = Wait(limit, self), begun or time.monotonic()
        try:
            while not wait.step(self.end_descriptor):
                pass
        except TimeoutError:
            raise Finding("it does not end") from None
        # The other threads have ended, and what they waited is gone with them.
        took = time.monotonic() - begun - (self.delay(self.process.pid) - before)
        return self.process.wait(), took

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.end_descriptor)
        self.notifications.close()
        self.log.close()


class Connection:
    def __init__(self, daemon):
        self.daemon = daemon
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE)
        self.rest = b""
        try:
            self.socket.connect(f"{daemon.home.path}/run/soundd.sock")
        except OSError:
            self.fail()

    def fail(self):
        """The connection broke: because the process ended, or by itself."""
        wait = Wait(0.05)
        try:
            while not wait.step(self.daemon.end_descriptor):
                pass
        except TimeoutError:
            raise ConnectionError from None
        raise Ended

    def send(self, line):
        try:
            self.socket.sendall(f"{line}\n".encode())
        except OSError:
            self.fail()

    def line(self, wait=None):
        """The next line; raises TimeoutError."""
        wait = wait or Wait(daemon=self.daemon)
        while b"\n" not in self.rest:
            if self.socket not in wait.step(self.socket):
                continue
            try:
                bytes = self.socket.recv(65536)
            except OSError:
                bytes = b""
            if not bytes:
                self.fail()
            self.rest += bytes
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode(errors="replace")

    def ask(self, line):
        self.send(line)
        try:
            return self.line()
        except TimeoutError:
            raise Finding(f"'{line}' gets no answer") from None


class Client:
    """Asks until it gets an answer: a connection that was closed is made anew, as programs do."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.connection = None

    def ask(self, line):
        for _ in range(4):
            try:
                self.connection = self.connection or Connection(self.daemon)
                return self.connection.ask(line)
            except ConnectionError:
                self.connection = None
        raise Finding(f"'{line}' was answered on none of four connections")

    def set(self, line):
        """Sets a value and waits until it was decided."""
        answer = self.ask(f"{line}\nsync")
        if answer != "ok":
            raise Finding(f"'{line}' is answered by '{answer}'")

    def value(self, name):
        answer = self.ask(f"get {name}")
        try:
            return json.loads(answer).get("value")
        except ValueError:
            return answer

    def status(self):
        return json.loads(self.ask("status"))

    def expect(self, name, content, limit=PATIENCE):
        """Waits until a value has a content."""
        wait = Wait(limit, self.daemon)
        try:
            while (found := self.value(name)) != content:
                wait.step(self.daemon.end_descriptor)
        except TimeoutError:
            raise Finding(f"the value '{name}' is {found!r} instead of {content!r}") from None


class Follower:
    """Follows events; begins anew with the state if its connection is closed."""

    def __init__(self, daemon):
        self.daemon = daemon
        # By trigger: the verdicts of its plays, and how many of them ended by themselves.
        self.plays, self.ended = {}, {}
        # How many plays may have been missed between two connections.
        self.gaps = 0
        self.begin()

    def begin(self):
        for _ in range(4):
            try:
                self.connection = Connection(self.daemon)
                if self.connection.ask("events") == "ok":
                    return
            except ConnectionError:
                pass
        raise Finding("events were answered on none of four connections")

    def is_over(self, trigger, count):
        """Whether so many plays of a trigger have a verdict, and are over if they were played."""
        verdicts = self.plays.get(trigger, [])
        return len(verdicts) + self.gaps >= count and self.ended.get(trigger, 0) + self.gaps >= verdicts[:count].count("played")

    def wait(self, trigger, count):
        """Waits until so many plays of a trigger are over."""
        wait = Wait(daemon=self.daemon)
        try:
            while not self.is_over(trigger, count):
                try:
                    event = json.loads(self.connection.line(wait))
                except ConnectionError:
                    self.gaps += 1
                    self.begin()
                    continue
                wait.left -= 0.001
                name = event.get("trigger")
                if event["event"] == "play":
                    self.plays.setdefault(name, []).append(event["verdict"])
                elif event["event"] == "stop" and event["reason"] == "ended":
                    self.ended[name] = self.ended.get(name, 0) + 1
        except TimeoutError:
            # Its sound could not be loaded, which `status` says.
            status = Client(self.daemon).status()
            if any(one["name"] == trigger and one["state"] == "broken" and one["problem"] for one in status["triggers"]):
                return
            raise Finding(f"play {count} of '{trigger}' is not over: {self.plays}, {self.ended} ended") from None
