"""A daemon on a sound server of its own, and what is recorded there. Needs numpy."""
import atexit, fcntl, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, threading, time

import numpy as np

RATE = 48_000
HERE = os.path.dirname(os.path.realpath(__file__))

# Each sound is a sine of at most this many hertz and this peak, which begins and ends softly. The sum of so many voices is
# smooth, so a step in it is a fault.
HIGHEST = 200
PEAK = 0.02
VOICES = 16
# The shortest fade that is promised: of a voice that is taken away for another one.
SHORTEST_FADE = 0.005 * RATE


def largest_bend(voices):
    """The largest second difference that so many voices can have: of their sines, and of the corners of their ramps."""
    return voices * PEAK * ((2 * np.pi * HIGHEST / RATE) ** 2 + 2 / SHORTEST_FADE)


def tone(hertz, seconds, ramp=0.03):
    time_axis = np.arange(int(seconds * RATE)) / RATE
    edge = np.minimum(1, np.minimum(time_axis, time_axis[::-1]) / ramp)
    return PEAK * np.sin(2 * np.pi * hertz * time_axis) * (0.5 - 0.5 * np.cos(np.pi * edge))


def write_wav(path, samples, loops=False):
    """A mono WAV file of 32-bit floats; with `loops`, a `smpl` chunk says that all of it repeats."""
    data = samples.astype("<f4").tobytes()
    words = lambda *numbers: np.array(numbers, "<u4").tobytes()
    chunks = b"WAVEfmt " + words(16, 3 | 1 << 16, RATE, 4 * RATE, 4 | 32 << 16) + b"data" + words(len(data)) + data
    if loops:
        chunks += b"smpl" + words(60, 0, 0, 10**9 // RATE, 60, 0, 0, 0, 1, 0, 0, 0, 0, len(samples) - 1, 0, 0)
    with open(path, "wb") as file:
        file.write(b"RIFF" + words(len(chunks)) + chunks)


class Session:
    def __init__(self, soundd, sounds, configuration):
        self.home = tempfile.mkdtemp(prefix="sdk-", dir="/tmp")
        for folder in ["run", "soundd/sounds"]:
            os.makedirs(f"{self.home}/{folder}")
        for name, (samples, loops) in sounds.items():
            write_wav(f"{self.home}/soundd/sounds/{name}.wav", samples, loops)
        with open(f"{self.home}/soundd/config.toml", "w") as file:
            file.write(configuration)
        self.environment = {"PATH": os.environ["PATH"], "HOME": self.home, "XDG_RUNTIME_DIR": f"{self.home}/run",
                            "XDG_CONFIG_HOME": self.home, "LC_ALL": "C"}
        self.programs = []
        # However it ends, nothing is left behind.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        atexit.register(self.clean)
        self.monitor = f"{self.home}/monitor"
        self.environment["MONITOR"] = self.monitor
        os.mkfifo(self.monitor)
        self.server = self.start([f"{HERE}/../IntegrationTests/sound-server", f"{self.home}/run"],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.wait_for_server("ready")
        self.log = open(f"{self.home}/log", "w+")
        self.soundd = soundd
        self.start_daemon()

    def start_daemon(self):
        starts = self.said().count("ready: ")
        self.daemon = self.start([self.soundd, "run"], stderr=self.log)
        eventually("soundd is ready", lambda: self.said().count("ready: ") > starts)
        self.connection = Connection(f"{self.home}/run/soundd.sock")

    def start(self, command, **options):
        program = subprocess.Popen(command, env=self.environment, cwd=self.home, **{"stdin": subprocess.DEVNULL, **options})
        self.programs.append(program)
        return program

    def said(self):
        return open(f"{self.home}/log").read()

    def wait_for_server(self, answer):
        line = self.server.stdout.readline().decode().strip()
        if line != answer:
            sys.exit(f"the sound server said '{line}' instead of '{answer}'")

    def tell_server(self, command):
        self.server.stdin.write(f"{command}\n".encode())
        self.server.stdin.flush()
        self.wait_for_server(command)

    def memory(self):
        """Kilobytes of the process: resident, and of these anonymous."""
        status = open(f"/proc/{self.daemon.pid}/status").read()
        return [int(re.search(rf"{name}:\s+(\d+)", status)[1]) for name in ["VmRSS", "RssAnon"]]

    def close(self):
        """Ends all; returns how the daemon ended."""
        self.daemon.send_signal(signal.SIGTERM)
        code = self.daemon.wait(10)
        self.server.stdin.close()
        self.server.wait(10)
        return code

    def clean(self):
        for program in self.programs:
            if program is self.server:
                # At the end of its input it takes the server with it.
                program.stdin.close()
            elif program.poll() is None:
                program.kill()
            program.wait()
        shutil.rmtree(self.home)


class Connection:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(path)
        self.replies = self.socket.makefile("r")

    def send(self, line):
        self.socket.sendall(f"{line}\n".encode())

    def ask(self, line):
        self.send(line)
        return self.replies.readline().strip()

    def status(self):
        return json.loads(self.ask("status"))


class Recorder:
    """Listens to the sink, and remembers where what is heard is not smooth."""

    def __init__(self, session):
        self.frames = 0
        self.loud = 0
        # When, in seconds of the monotonic clock; at which frame; how large the second difference was; whether an old cycle
        # of the server was heard again there, or cycles of ours were left out; what was heard around it.
        self.faults = []
        self.recent = np.zeros((0, 2), np.float32)
        self.bound = largest_bend(2 * VOICES)
        threading.Thread(target=self.listen, args=[session.monitor], daemon=True).start()
        eventually("the recording runs", lambda: self.frames > 0)

    def listen(self, path):
        # Open for writing as well: a pipe that has no end, though the server goes and comes.
        pipe = os.open(path, os.O_RDWR)
        # Some seconds' worth, so that the server need not wait for us.
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, 1 << 20)
        tail = np.zeros((2, 2), np.float32)
        rest = b""
        while data := os.read(pipe, 8 * 4800):
            rest += data
            block = np.concatenate([tail, np.frombuffer(rest[:len(rest) // 8 * 8], "<f4").reshape(-1, 2)])
            rest = rest[len(rest) // 8 * 8:]
            bends = np.abs(block[2:] - 2 * block[1:-1] + block[:-2]).max(1, initial=0)
            for index in np.nonzero(bends > self.bound)[0]:
                frame = self.frames + int(index)
                # What lies within a hundredth of a second is one fault.
                if not self.faults or frame - self.faults[-1][1] > RATE // 100:
                    self.faults.append([time.monotonic(), frame, float(bends[index]), None, None])
            self.recent = np.concatenate([self.recent, block[2:]])[-RATE:]
            for fault in self.faults[-20:]:
                place = fault[1] - (self.frames + len(block) - 2 - len(self.recent))
                if fault[3] is None and 16 <= place <= len(self.recent) - RATE // 20:
                    fault[3] = self.is_repetition(place) or self.is_left_out(place)
                    if not fault[3]:
                        fault[4] = self.recent[max(0, place - 2048):place + 2048].copy()
            self.loud += int(np.count_nonzero(block[2:].any(1)))
            self.frames += len(block) - 2
            tail = block[-2:]

    def is_repetition(self, place):
        """Whether what is heard goes on as if some cycles from there on had not been: then the server played an old buffer
        once more, since a thread of its own was late, and nothing of what we gave it was lost."""
        for cycle in [64, 128, 256, 512, 1024]:
            for edge in [place, place + 1, place + 2]:
                for count in range(1, 9):
                    after = edge + count * cycle
                    if after + 8 > len(self.recent):
                        break
                    joined = np.concatenate([self.recent[edge - 8:edge], self.recent[after:after + 8]])
                    if np.abs(np.diff(joined, 2, axis=0)).max() <= self.bound:
                        return True
        return False


    def is_left_out(self, place):
        """Whether whole cycles are silent there, and all goes on in time after them: then the server took what we gave it for
        them, and its own thread was too late to pass it on. Had we given nothing, it would be heard after the silence."""
        for cycle in [64, 128, 256]:
            # The step is the beginning of the silence, or its end.
            for first in [place, place - cycle]:
                last = first + cycle
                if first < 100 or last + 100 > len(self.recent) or self.recent[first:last].any():
                    continue
                around = np.concatenate([np.arange(first - 100, first), np.arange(last, last + 100)])
                heard = self.recent[around].astype(float)

                def misfit(moments):
                    curve = np.vander((moments - moments.mean()) / 100, 11)
                    return np.abs(curve @ np.linalg.lstsq(curve, heard, rcond=None)[0] - heard).max()

                # The highest tone turns twice in this time: a curve of this degree follows it well.
                in_time, delayed = misfit(around), misfit(np.where(around < last, around, around - cycle))
                if in_time < 0.1 * delayed:
                    return True
        return False


class Profiler:
    """Counts for each node of the server how often it was not done in time, as pw-top's column ERR does."""

    def __init__(self, session):
        path = f"{session.home}/profile"
        os.mkfifo(path)
        self.names = []
        self.errors = {}
        # When, and who.
        self.events = []
        self.program = session.start(["stdbuf", "--output=L", "pw-profiler", "-o", path], stdout=subprocess.PIPE)
        threading.Thread(target=self.read_names, daemon=True).start()
        threading.Thread(target=self.read_cycles, args=[path], daemon=True).start()

    def read_names(self):
        for line in self.program.stdout:
            if found := re.match(r'logging follower (\d+) \("(.*)"\)', line.decode()):
                self.names.append(found[2])

    def read_cycles(self, path):
        for line in open(path, "rb"):
            fields = line.split(b"\t", 4 + 8 * len(self.names))
            # The time since the last cycle, and how long one should be, in microseconds.
            if fields[0].isdigit() and int(fields[0]) > int(fields[3]) + 5000:
                self.count("late cycle")
            for index, name in enumerate(self.names):
                # 3 is `finished`.
                status = fields[10 + 8 * index].strip() if len(fields) > 10 + 8 * index else b""
                if status not in (b"", b"3"):
                    self.count(name)

    def count(self, what):
        self.errors[what] = self.errors.get(what, 0) + 1
        self.events.append((time.monotonic(), what))


def eventually(what, condition, patience=60):
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"waited in vain until {what}")
        time.sleep(0.01)
