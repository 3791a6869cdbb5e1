"""Fails each call of each scenario."""
import concurrent.futures, errno, itertools, time

from scenarios import SCENARIOS, torture
from session import CALLS, Home

# Every number up to this one, then random ones.
EVERY, RANDOM = 300, 200
# Those that a machine without memory, descriptors or room fails for a while, and how often in a row.
OUTAGES, LASTING = ["open", "inotify_add_watch", "fsync", "rename", "pthread_create", "snd_pcm_open"], 2
ERRORS = {
    "malloc": ["ENOMEM"], "open": ["EMFILE", "EIO"], "read": ["EIO", "EINTR"], "write": ["EIO", "ENOSPC", "EINTR"],
    "epoll_ctl": ["ENOMEM", "ENOSPC"], "inotify_add_watch": ["ENOSPC", "ENOMEM"], "timerfd_settime": ["ENOMEM"],
    "fsync": ["EIO"], "rename": ["EIO", "ENOSPC"], "mmap": ["ENOMEM"], "pthread_create": ["EAGAIN"],
}
PCM_ERRORS = ["EIO", "ENODEV", "EPIPE", "ESTRPIPE", "EBADFD", "EAGAIN", "EINTR"]


def errors(call):
    return ERRORS.get(call, PCM_ERRORS)


class Faults:
    def __init__(self, soundd, library, chance):
        self.soundd, self.library, self.chance = soundd, library, chance
        self.findings = []
        self.done, self.fired, self.left, self.slowest = 0, 0, 0, 0

    def attempt(self, case):
        name, call, number, error, times = case
        home = Home(self.soundd, self.library)
        try:
            problem, scenario = torture(SCENARIOS[name], home, (call, number, getattr(errno, error), times))
            _, fired = home.counts()
            return problem, fired, scenario.slowest if scenario else 0
        finally:
            home.remove()

    def run_case(self, case):
        problem, fired, slowest = self.attempt(case)
        if problem is None:
            return None, fired, slowest
        # Two more times, because a busy machine is no finding.
        again = [self.attempt(case)[0] for _ in range(2)]
        times = 1 + sum(other is not None for other in again)
        if times == 1 and is_of_time(problem):
            return None, fired, 0
        return f"{' '.join(map(str, case))} ({times} of 3): {problem}", fired, slowest

    def counts(self, name):
        """How often a scenario without a fault calls each function."""
        most = dict.fromkeys(CALLS, 0)
        for _ in range(3):
            home = Home(self.soundd, self.library)
            problem, _ = torture(SCENARIOS[name], home, ("none", 0, 5))
            if problem:
                self.findings.append(f"{name} without a fault: {problem}")
            counts, _ = home.counts()
            most = {call: max(most[call], counts[call]) for call in CALLS}
            home.remove()
        return most

    def cases(self):
        """All cases in the order in which they matter: the first errors, random numbers, then the other errors."""
        counts = {name: self.counts(name) for name in SCENARIOS}
        first, rest, beyond = [], [], []
        for name, count in counts.items():
            for call in CALLS:
                # A run may differ a little from the next one.
                numbers = range(1, min(EVERY, count[call] + 2) + 1) if count[call] else []
                for place, error in enumerate(errors(call)):
                    (rest if place else first).extend((name, call, number, error, 1) for number in numbers)
                # Failures of the machine last.
                rest.extend((name, call, number, errors(call)[0], LASTING) for number in numbers if call in OUTAGES)
                if count[call] > EVERY:
                    beyond.append((name, call, count[call]))
        randoms = []
        for _ in range(RANDOM):
            name, call, count = self.chance.choice(beyond)
            randoms.append((name, call, self.chance.randint(EVERY + 1, count), self.chance.choice(errors(call)), 1))
        return first, randoms, rest

    def run(self, is_short, deadline):
        """Runs the cases until all are done, or until the deadline. The short form takes random ones of each call."""
        first, randoms, rest = self.cases()
        if is_short:
            cases = self.sample([case for case in first + rest if case[4] == 1]) + randoms[:20]
        else:
            cases = first + randoms + rest
        with concurrent.futures.ThreadPoolExecutor(2) as workers:
            pending, cases = set(), iter(cases)
            while True:
                while len(pending) < 4 and time.monotonic() < deadline and (case := next(cases, None)):
                    pending.add(workers.submit(self.run_case, case))
                if not pending:
                    break
                ready, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for future in ready:
                    self.note(*future.result())
        self.left = sum(1 for _ in cases)

    def sample(self, cases):
        """Some of the cases of each call, those of the calls in turn."""
        by_call = {}
        for case in cases:
            by_call.setdefault(case[:2], []).append(case)
        rounds = [self.chance.sample(some, min(len(some), 8)) for some in by_call.values()]
        return [case for turn in itertools.zip_longest(*rounds) for case in turn if case]

    def note(self, problem, fired, slowest):
        self.done += 1
        self.fired += fired
        self.slowest = max(self.slowest, slowest)
        if problem:
            self.findings.append(problem)
            print(f"FOUND {problem}", flush=True)


def is_of_time(problem):
    return any(words in problem for words in ["in time", "does not end", "left after", "no answer", "is not over"])
