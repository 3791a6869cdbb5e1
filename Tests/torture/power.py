"""Cuts the power at each moment at which soundd writes its state, and starts it on every disk that this can leave."""
import hashlib, itertools, json, os, time

from session import Client, Ended, Finding, Home

CONFIGURATION = """
[value.build]
file = "HOME/watched/build"
[[trigger]]
value = "build"
sound = "s0"
initial = "if-changed"
"""


def volume(content):
    """The volume in a state; None if it is no whole state."""
    head, _, body = content.partition(b"\n")
    try:
        if json.loads(head)["sha256"] != hashlib.sha256(body).hexdigest():
            return None
        return json.loads(body.split(b"\n")[0])["volume"]
    except (ValueError, KeyError):
        return None


class Inode:
    def __init__(self):
        # What is there after a power cut for certain, and what was written.
        self.durable, self.content = b"", b""

    def possible(self):
        """The contents after a power cut: what was written since the last fsync is there, or in part, or as zeros, or is not."""
        if self.durable == self.content:
            return [self.content]
        half = self.content[:len(self.durable) + (len(self.content) - len(self.durable)) // 2]
        return list(dict.fromkeys([self.durable, half, bytes(len(self.content)), self.content]))


class Disk:
    """A folder of files, as POSIX promises it: fsync of a file saves its content, fsync of a folder the names in it."""

    def __init__(self, ignores_fsync=False):
        self.ignores_fsync = ignores_fsync
        self.inodes = {}
        # By folder: the names that are saved, and the changes of names since.
        self.saved, self.changes = {}, {}

    def do(self, operation, inode, path, other, content):
        folder, name = os.path.split(path)
        changes = self.changes.setdefault(folder, [])
        if operation == "create":
            self.inodes[inode] = Inode()
            changes.append(("add", name, inode))
        elif operation == "mkdir":
            changes.append(("add", name, path))
        elif operation == "write":
            self.inodes[inode].content += content
        elif operation == "rename":
            found = [change[2] for change in changes if change[:2] == ("add", name)] or [self.saved[folder][name]]
            changes.append(("move", name, os.path.basename(other), found[-1]))
        elif operation == "unlink":
            changes.append(("remove", name))
        elif operation == "fsync" and not self.ignores_fsync:
            if inode in self.inodes:
                self.inodes[inode].durable = self.inodes[inode].content
            else:
                self.saved[path] = self.names(path, self.changes.pop(path, []))

    def names(self, folder, changes):
        names = dict(self.saved.get(folder, {}))
        for change in changes:
            if change[0] == "add":
                names[change[1]] = change[2]
            else:
                names.pop(change[1], None)
                if change[0] == "move":
                    names[change[2]] = change[3]
        return names

    def possible(self, folder):
        """All that a power cut can leave in a folder: lists of paths and contents."""
        changes = self.changes.get(folder, [])
        disks = []
        for count in range(len(changes) + 1):
            for kept in itertools.combinations(changes, count):
                files = [[]]
                for name, item in sorted(self.names(folder, kept).items()):
                    path = f"{folder}/{name}"
                    here = self.possible(item) if isinstance(item, str) else \
                        [[(path, content)] for content in self.inodes[item].possible()]
                    files = [list(one) + list(other) for one in files for other in here]
                disks += files
        return list(dict.fromkeys(map(tuple, disks)))


def operations(log):
    """The operations in the record of the library, one after the other."""
    with open(log, "rb") as file:
        while line := file.readline():
            operation, inode, path, other, count = line.decode().rstrip("\n").split("\t")
            yield operation, int(inode), path, other, file.read(int(count))


class PowerCuts:
    def __init__(self, soundd, library):
        self.soundd, self.library = soundd, library
        self.findings = []
        self.cuts, self.disks, self.damaged = 0, 0, 0

    def record(self, home, log):
        """Lives in which the state is written; returns what was saved: how long the record was then, and the volume."""
        saved = []
        open(log, "wb").close()
        for number, fault in enumerate([None, ("rename", 1, 5), None, ("fsync", 2, 5), None]):
            home.write("watched/build", f"content {number}\n")
            daemon = home.start(log=log, fault=fault)
            try:
                daemon.wait_ready()
                client = Client(daemon)
                for half in [0, 1]:
                    level = round(0.9 - number / 10 - half / 20, 3)
                    client.ask(f"volume {level}")
                    if half == 0:
                        # It writes two seconds after a change.
                        size = os.path.getsize(log)
                        end = time.monotonic() + 4
                        while time.monotonic() < end and os.path.getsize(log) == size:
                            time.sleep(0.01)
                        time.sleep(0.1)
                code, _ = daemon.leave()
                if code != 0:
                    raise Finding(f"it ended with {code}: {daemon.said()}")
                saved.append((os.path.getsize(log), level))
            finally:
                daemon.close()
        return saved

    def cut(self, log, saved):
        """The disks after each operation: the files on each, and the volumes that may be restored from it."""
        disk, certain, volumes, length = Disk(), {}, [1.0], 0
        for operation in operations(log):
            disk.do(*operation)
            length += len("\t".join(map(str, [*operation[:4], len(operation[4])]))) + 1 + len(operation[4])
            if operation[0] == "write":
                volumes.append(volume(operation[4]))
            # What was saved when a process had ended stays.
            last = max([volumes.index(level) for size, level in saved if length >= size], default=0)
            self.cuts += 1
            for files in disk.possible(self.folder):
                certain[files] = max(certain.get(files, 0), last)
        return {files: volumes[last:] for files, last in certain.items()}

    def damage_without_fsync(self, log):
        """On how many disks the state would be damaged if soundd saved nothing by fsync. Else the oracle would be worthless."""
        disk = Disk(ignores_fsync=True)
        for operation in operations(log):
            disk.do(*operation)
            # The first file that is renamed to the state is enough.
            if operation[0] == "rename" and operation[3].endswith("/state"):
                break
        return sum(path.endswith("/state") and volume(content) is None
                   for files in disk.possible(self.folder) for path, content in files)

    def check(self, files, volumes):
        """Starts soundd on a disk."""
        home = Home(self.soundd, self.library)
        home.configure(CONFIGURATION.replace("HOME", home.path))
        for path, content in files:
            path = home.path + path.removeprefix(self.home)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(content)
        daemon = home.start()
        try:
            daemon.wait_ready()
            found = Client(daemon).status()["volume"]
            code, _ = daemon.leave()
            if "damaged" in daemon.said() or found not in volumes or code != 0 or home.leftovers():
                raise Finding(f"the volume is {found} instead of one of {volumes}, it ended with {code}, "
                              f"left behind: {home.leftovers()}")
        except (Finding, Ended) as problem:
            shown = [(os.path.basename(path), len(content), volume(content)) for path, content in files]
            self.findings.append(f"after a power cut with {shown}: {problem!r}\n{daemon.said()}")
        finally:
            daemon.close()
            home.remove()

    def run(self):
        home = Home(self.soundd, self.library)
        self.home, self.folder = home.path, f"{home.path}/state"
        home.configure(CONFIGURATION.replace("HOME", home.path))
        log = f"{home.path}/log-of-files"
        try:
            saved = self.record(home, log)
            disks = self.cut(log, saved)
            for files, volumes in disks.items():
                self.check(files, volumes)
            self.disks = len(disks)
            self.damaged = self.damage_without_fsync(log)
            if not self.damaged:
                raise Finding("the record of the writes is useless: even without fsync nothing would be damaged")
        except (Finding, Ended) as problem:
            self.findings.append(f"while the state was written: {problem!r}")
        finally:
            home.remove()
