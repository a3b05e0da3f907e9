"""Attack every function of the native code: arrays that do not fit each other, indices that are not there, odd numbers.

    python benchmarks/fuzz_native.py --seconds 60 --seed 0 [--only assay.trees]

First the scenarios below are run, small jobs of the library that between them call every native function, and the
calls are recorded. Then each call is made again with something changed: an array longer, shorter, empty or of zero
columns; values replaced by -1, by the next index, by far too large ones, by NaN; numbers that are negative or huge.
A function may raise or return; it may not end the process, which a build with AddressSanitizer does at the first
access outside of an array, nor take longer than a minute. Every attack runs in a child, which is started again behind
the attack that ended it. Findings make the exit code 1.

``ENTRIES`` in ``benchmarks/native_scenarios.py`` names what is attacked; ``tests/test_native_entries.py`` fails for a
native function that no scenario calls.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
import zlib
from collections import Counter
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SLOW = 60.0  # seconds after which a call counts as one that does not end
BIG = 1 << 40  # a number larger than anything that is there
FAR = (
    1 << 52
)  # an index or a count so large that no array has it, while sums of some thousands do not overflow


def changed_arrays(a: Any) -> list[tuple[str, Any]]:
    """One array, changed in each of the ways that it can be wrong."""
    import numpy as np

    made: list[tuple[str, Any]] = []
    for axis in range(a.ndim):
        n = a.shape[axis]
        made.append((f"axis {axis} empty", a.take(range(0), axis)))
        if n > 1:
            made.append((f"axis {axis} one shorter", a.take(range(n - 1), axis)))
            made.append((f"axis {axis} without its first", a.take(range(1, n), axis)))
            made.append((f"axis {axis} one left", a.take(range(1), axis)))
        if n:
            made.append((f"axis {axis} one longer", a.take([*range(n), n - 1], axis)))
            made.append((f"axis {axis} doubled", a.take([*range(n), *range(n)], axis)))
    if a.size == 0:
        return made
    if a.dtype.kind == "f":
        values = [np.nan, np.inf, -np.inf, -1.0, 1e300, 1e9, float(a.size)]
    else:
        limits = np.iinfo(a.dtype)
        low, high = max(limits.min, -FAR), min(limits.max, FAR)
        values = [low, high, min(limits.max, a.size), min(limits.max, 1 << 20)]
        values += [-1] if limits.min < 0 else []
        if np.all(a.reshape(-1) < limits.max):
            values.append(int(a.max()) + 1)
    for value in values:
        for place, where in (
            ("first", 0),
            ("middle", a.size // 2),
            ("last", a.size - 1),
            ("all", slice(None)),
        ):
            b = a.copy()
            b.reshape(-1)[where] = value
            made.append((f"{place} = {value}", b))
    made.append(("reversed", a[::-1].copy()))
    if a.size > 1:
        made.append(("shuffled", np.random.default_rng(a.size).permuted(a.reshape(-1)).reshape(a.shape)))
    return made


def changed_numbers(x: Any) -> list[tuple[str, Any]]:
    """One number, changed."""
    if isinstance(x, bool):
        return [("turned", not x)]
    if isinstance(x, int):
        return [(f"= {v}", v) for v in (-1, 0, x + 1, 2 * x + 1, -(1 << 31), (1 << 31) - 1, BIG) if v != x]
    if isinstance(x, float):
        return [
            (f"= {v}", v) for v in (0.0, -1.0, 1e300, float("nan"), float("inf"), float("-inf")) if v != x
        ]
    return []


def attacks(args: tuple, kwargs: dict) -> list[tuple[str, tuple, dict]]:
    """All calls that differ from this one in one argument."""
    import numpy as np

    made = []
    for key, value in [*enumerate(args), *kwargs.items()]:
        if isinstance(value, np.ndarray):
            others = changed_arrays(value)
        elif isinstance(value, list) and value and isinstance(value[0], list):
            others = [(f"= {v}", v) for v in ([[-1]], [[1 << 20]], [[]], [])]
        else:
            others = changed_numbers(value)
        for what, other in others:
            if isinstance(key, int):
                made.append((f"argument {key} {what}", (*args[:key], other, *args[key + 1 :]), kwargs))
            else:
                made.append((f"argument {key} {what}", args, {**kwargs, key: other}))
    return made


def pairs_of_attacks(args: tuple, kwargs: dict, rng: Any, count: int) -> list[tuple[str, tuple, dict]]:
    """Calls that differ in two or three arguments, some of all of them."""
    made: list[tuple[str, tuple, dict]] = []
    for _ in range(count):
        what, a, k = "", args, kwargs
        for _ in range(int(rng.integers(2, 4))):
            choices = attacks(a, k)
            if not choices:
                return made
            more, a, k = choices[int(rng.integers(len(choices)))]
            what += f"{', ' if what else ''}{more}"
        made.append((what, a, k))
    return made


def child(options: argparse.Namespace) -> int:
    """Make the attacks from number ``options.start`` on; each is announced before it is made."""
    from benchmarks import build_under_test

    build_under_test.use()
    import warnings

    import numpy as np

    from benchmarks.native_scenarios import copied, record

    warnings.simplefilter("ignore")
    if "ASSAY_FROM" not in os.environ:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    say = os.fdopen(options.report, "w", buffering=1)
    recorded = record(options.only)
    say.write(json.dumps({"entries": sorted(recorded)}) + "\n")
    end = time.monotonic() + options.seconds
    number = -1
    for rounds in range(1 << 30):
        for entry in sorted(recorded):
            for call in recorded[entry].calls:
                if rounds == 0:
                    todo = attacks(*call.arguments)
                else:
                    todo = pairs_of_attacks(
                        *call.arguments, np.random.default_rng([options.seed, rounds, number + 1]), 40
                    )
                for what, args, kwargs in todo:
                    number += 1
                    if number < options.start or recorded[entry].trusted(what):
                        continue
                    if zlib.crc32(b"%d %d" % (options.seed, number)) % options.every:
                        continue
                    if time.monotonic() > end:
                        say.write(json.dumps({"done": number}) + "\n")
                        return 0
                    say.write(json.dumps({"number": number, "attack": f"{entry}: {what}"}) + "\n")
                    try:
                        call.run(copied(args), copied(kwargs))
                        outcome = "returned"
                    except Exception as error:
                        outcome = type(error).__name__
                    say.write(json.dumps({"outcome": outcome}) + "\n")
        if options.rounds and rounds + 1 >= options.rounds:
            break
    say.write(json.dumps({"done": number}) + "\n")
    return 0


def attack(
    seconds: float = 60.0, seed: int = 0, only: str = "", rounds: int = 0, every: int = 1, show: bool = True
) -> tuple[list[str], list[str], Counter[str]]:
    """Attack in a child until the time is up: findings, the functions attacked, and how the calls ended.

    Parameters
    ----------
    seconds : the time for all attacks; the recording of the calls comes before
    only : part of the names of the functions to attack
    rounds : 1 changes one argument at a time, all of them once; more also change several; 0 until the time is up
    every : make one of so many attacks, chosen by their number and the seed
    """
    findings: list[str] = []
    entries: list[str] = []
    outcomes: Counter[str] = Counter()
    start, end = 0, time.monotonic() + seconds
    while True:
        left = max(1.0, end - time.monotonic())
        read, write = os.pipe()
        command = [
            sys.executable,
            str(pathlib.Path(__file__).resolve()),
            "--child",
            "--report",
            str(write),
            "--start",
            str(start),
        ]
        command += [
            "--seconds",
            str(left),
            "--seed",
            str(seed),
            "--rounds",
            str(rounds),
            "--every",
            str(every),
            "--only",
            only,
        ]
        with subprocess.Popen(
            command, pass_fds=[write], cwd=ROOT, stderr=subprocess.PIPE, text=True
        ) as process:
            os.close(write)
            last, finished = _follow(process, read, entries, outcomes)
            errors = process.stderr.read() if process.stderr else ""
        if finished:
            return findings, entries, outcomes
        if last is None:
            raise RuntimeError(f"The calls could not be recorded:\n{errors[-4000:]}")
        if "allocation-size-too-big" in errors or "out of memory" in errors.lower():
            outcomes["MemoryError"] += (
                1  # AddressSanitizer ends the process where the system would refuse the memory
            )
        else:
            why = next(
                (line for line in errors.splitlines() if "ERROR:" in line or "runtime error:" in line), ""
            )
            place = next(
                (line.strip() for line in errors.splitlines() if "src/assay/" in line and "#" in line), ""
            )
            findings.append(f"{last['attack']}  [{process.returncode}] {why[:200]} {place[:200]}")
            outcomes["ENDED THE PROCESS"] += 1
            if show:
                print(findings[-1], flush=True)
        start = last["number"] + 1
        if time.monotonic() > end:
            return findings, entries, outcomes


def _follow(process: Any, read: int, entries: list[str], outcomes: Counter[str]) -> tuple[Any, bool]:
    """Read what the child announces; the attack under way when it ended, and whether it came to its end."""
    import selectors

    last, finished, text = None, False, b""
    with selectors.DefaultSelector() as selector, os.fdopen(read, "rb", buffering=0) as pipe:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(SLOW if last is not None else 600.0):
                process.kill()  # a call that does not end
                return last, False
            some = pipe.read(1 << 16)
            if not some:
                return last, finished
            *lines, text = (text + some).split(b"\n")
            for line in lines:
                said = json.loads(line)
                if "entries" in said:
                    entries[:] = said["entries"]
                elif "number" in said:
                    last = said
                elif "outcome" in said:
                    outcomes[said["outcome"]] += 1
                else:
                    finished = True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--report", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--start", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    findings, entries, outcomes = attack(
        options.seconds, options.seed, options.only, options.rounds, options.every
    )
    print(f"{len(entries)} native functions, {sum(outcomes.values())} attacks")
    for outcome, count in sorted(outcomes.items()):
        print(f"  {outcome:20} {count}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
