"""Attack every function of the native code: arrays that do not fit each other, indices out of range, odd numbers.

    python benchmarks/fuzz_native.py --calls 100 --seed 0 [--only assay.trees]

First the scenarios of ``benchmarks/native_scenarios.py`` are run, small jobs of the library that between them call
every native function, and the calls are recorded. Then each call is made again with something changed: an array
longer, shorter, empty or of zero columns; values replaced by -1, by the next index, by far too large ones, by NaN;
numbers that are negative or huge. A function may raise or return; it may not end the process, which a build with
AddressSanitizer does at the first access outside of an array, nor take longer than a minute.

The attack goes by count, not by the clock: the seed and the number of calls for each function decide what is called.
Every argument gets its share of the calls; where a function has fewer single changes than calls, the remaining calls
change two or three arguments. One process records; forks of it make the attacks, and a fork that dies is a finding
and is replaced by one that goes on behind the call that ended it. Functions that no call reached are listed. Findings
and functions left out make the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import selectors
import signal
import subprocess
import sys
import tempfile
import warnings
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
SECONDS_PER_CALL = 60.0  # a longer call counts as one that does not end
MEMORY = 8 << 30  # bytes that a process may take; under a sanitizer its own limit counts
BIG = 1 << 40  # a number larger than any size
FAR = 1 << 52  # an index larger than any size; sums of some thousands of them do not overflow


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


def changed_calls(args: tuple, kwargs: dict) -> dict[Any, list[tuple[str, tuple, dict]]]:
    """For every argument, all calls that differ from this one in it alone."""
    import numpy as np

    from benchmarks.native_scenarios import Fields

    def others(value: Any) -> list[tuple[str, str, Any]]:
        """Field of a record or nothing, what is changed, and the changed value."""
        if isinstance(value, np.ndarray):
            return [("", what, other) for what, other in changed_arrays(value)]
        if isinstance(value, list) and value and isinstance(value[0], list):
            return [("", f"= {v}", v) for v in ([[-1]], [[1 << 20]], [[]], [])]
        if isinstance(value, Fields):
            return [
                (f".{field}", what, Fields(value.kind, {**value.values, field: other}))
                for field, one in value.values.items()
                for _, what, other in others(one)
            ]
        return [("", what, other) for what, other in changed_numbers(value)]

    by_argument: dict[Any, list[tuple[str, tuple, dict]]] = {}
    for key, value in [*enumerate(args), *kwargs.items()]:
        for field, what, other in others(value):
            change = f"argument {key}{field} {what}"
            if isinstance(key, int):
                changed = (change, (*args[:key], other, *args[key + 1 :]), kwargs)
            else:
                changed = (change, args, {**kwargs, key: other})
            by_argument.setdefault(f"{key}{field}", []).append(changed)
    return by_argument


def several_changes(args: tuple, kwargs: dict, rng: Any) -> tuple[str, tuple, dict]:
    """A call that differs from this one in two or three arguments."""
    changes = []
    for _ in range(int(rng.integers(2, 4))):
        by_argument = changed_calls(args, kwargs)
        if not by_argument:
            break
        some = list(by_argument.values())[int(rng.integers(len(by_argument)))]
        what, args, kwargs = some[int(rng.integers(len(some)))]
        changes.append(what)
    return ", ".join(changes), args, kwargs


def attacks(recorded: Any, count: int, seed: int) -> Iterator[tuple[str, Any, tuple, dict]]:
    """``count`` changed calls of one function: the arguments of its recorded calls by turns, then several at once.

    0 stands for all single changes. The same seed gives the same calls.
    """
    import numpy as np

    rng = np.random.default_rng([seed, zlib.crc32(recorded.name.encode())])
    queues = []
    for call in recorded.calls:
        for changes in changed_calls(*call.arguments).values():
            allowed = [change for change in changes if not recorded.trusted(change[0])]
            queues.append([(call, allowed[i]) for i in rng.permutation(len(allowed))])
    made = 0
    while any(queues):
        for queue in queues:
            if queue and (made < count or not count):
                call, (what, args, kwargs) = queue.pop()
                made += 1
                yield what, call, args, kwargs
        if count and made >= count:
            return
    while made < count:
        made += 1
        call = recorded.calls[int(rng.integers(len(recorded.calls)))]
        what, args, kwargs = several_changes(*call.arguments, rng)
        if not recorded.trusted(what):
            yield what, call, args, kwargs


# ---------------------------------------------------------------------- in the child: record, fork, follow


def child(options: argparse.Namespace) -> int:
    """Record the calls, then attack: each worker takes its share of the functions and reports one line for each."""
    from benchmarks import build_under_test

    build_under_test.use()
    from benchmarks.native_scenarios import NOT_ATTACKED, native_names, record

    warnings.simplefilter("ignore")
    if "ASSAY_FROM" not in os.environ:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    recorded = record(options.only)
    recorded = {name: calls for name, calls in recorded.items() if name not in NOT_ATTACKED}
    left_out = {name for name in native_names() if options.only in name} - set(recorded) - set(NOT_ATTACKED)
    names = sorted(recorded)
    workers = []
    for worker in range(options.workers):
        process = os.fork()
        if process == 0:
            with open(f"{options.report}.{worker}", "w") as report:
                for name in names[worker :: options.workers]:
                    report.write(json.dumps(attacked(recorded[name], options.calls, options.seed)) + "\n")
            os._exit(0)
        workers.append(process)
    failed = [code for process in workers if (code := os.waitpid(process, 0)[1])]
    with open(f"{options.report}.left", "w") as report:
        report.write(json.dumps(sorted(left_out)))
    return 1 if failed else 0


def attacked(recorded: Any, count: int, seed: int) -> dict[str, Any]:
    """Attack one function in forks; how many calls ended how, and those that ended the process."""
    outcomes: Counter[str] = Counter()
    findings = []
    start, finished = 0, False
    while not finished:
        with tempfile.TemporaryFile("w+", errors="replace") as errors:
            read, write = os.pipe()
            process = os.fork()
            if process == 0:
                os.close(read)
                os.dup2(errors.fileno(), 2)
                _make_calls(recorded, count, seed, start, write)
                os._exit(0)
            os.close(write)
            number, what, finished = _follow(process, read, outcomes)
            code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
            errors.seek(0)
            lines = errors.read().splitlines()
        if not finished:
            if any("allocation-size-too-big" in line or "out of memory" in line.lower() for line in lines):
                outcomes["MemoryError"] += (
                    1  # AddressSanitizer ends the process where the system would refuse
                )
            else:
                outcomes["ENDED THE PROCESS"] += 1
                why = next((line for line in lines if "ERROR:" in line or "runtime error:" in line), "")
                place = next((line.strip() for line in lines if "src/assay/" in line and "#" in line), "")
                findings.append(f"{recorded.name}: {what}  [{code}] {why[:200]} {place[:200]}")
            start = number + 1
    return {"entry": recorded.name, "outcomes": outcomes, "findings": findings}


def _make_calls(recorded: Any, count: int, seed: int, start: int, write: int) -> None:
    """Make the attacks from number ``start`` on; each is announced before it is made."""
    from benchmarks.native_scenarios import copied

    with os.fdopen(write, "w", buffering=1) as announce:
        for number, (what, call, args, kwargs) in enumerate(attacks(recorded, count, seed)):
            if number < start:
                continue
            announce.write(json.dumps({"number": number, "attack": what}) + "\n")
            try:
                call.run(copied(args), copied(kwargs))
                outcome = "returned"
            except Exception as error:
                outcome = type(error).__name__
            announce.write(json.dumps({"outcome": outcome}) + "\n")
        announce.write(json.dumps({"finished": True}) + "\n")


def _follow(process: int, read: int, outcomes: Counter[str]) -> tuple[int, str, bool]:
    """Read what a fork announces: number and text of its last attack, and whether it made all of them."""
    number, what, finished, text = -1, "before the first call", False, b""
    with selectors.DefaultSelector() as selector, os.fdopen(read, "rb", buffering=0) as pipe:
        selector.register(pipe, selectors.EVENT_READ)
        while True:
            if not selector.select(SECONDS_PER_CALL):
                os.kill(process, signal.SIGKILL)
                return number, what, False
            some = pipe.read(1 << 16)
            if not some:
                return number, what, finished
            *lines, text = (text + some).split(b"\n")
            for message in map(json.loads, lines):
                if "number" in message:
                    number, what = message["number"], message["attack"]
                elif "outcome" in message:
                    outcomes[message["outcome"]] += 1
                finished |= "finished" in message


# ---------------------------------------------------------------------- the whole attack


def attack(
    calls: int = 100, seed: int = 0, only: str = "", workers: int = 2
) -> tuple[list[str], dict[str, Counter[str]], list[str]]:
    """Attack in a child process: findings, how the calls of each function ended, and the functions left out.

    Parameters
    ----------
    calls : attacks on each function; 0 for every single change
    only : part of the names of the functions to attack
    workers : processes that share the functions out among themselves
    """
    with tempfile.TemporaryDirectory() as scratch:
        report = pathlib.Path(scratch) / "report"
        command = [sys.executable, str(pathlib.Path(__file__).resolve()), "--child", "--report", str(report)]
        command += ["--calls", str(calls), "--seed", str(seed), "--only", only, "--workers", str(workers)]
        process = subprocess.run(
            command, cwd=ROOT, check=False, stderr=subprocess.PIPE, text=True, errors="replace"
        )
        if process.returncode:
            raise RuntimeError(f"The attack itself failed:\n{process.stderr[-4000:]}")
        texts = [pathlib.Path(f"{report}.{worker}").read_text() for worker in range(workers)]
        left_out = json.loads(pathlib.Path(f"{report}.left").read_text())
    lines = [json.loads(line) for text in texts for line in text.splitlines()]
    outcomes = {line["entry"]: Counter(line["outcomes"]) for line in lines}
    left_out += [entry for entry, ended in outcomes.items() if not ended]
    return [finding for line in lines for finding in line["findings"]], outcomes, sorted(left_out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--calls", type=int, default=100, help="attacks on each function; 0: every single change"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="part of the names of the functions to attack")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--report", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return child(options)
    findings, outcomes, left_out = attack(options.calls, options.seed, options.only, options.workers)
    ended = sum(outcomes.values(), Counter())
    print(f"{len(outcomes)} native functions, {sum(ended.values())} attacks")
    for outcome, count in sorted(ended.items()):
        print(f"  {outcome:20} {count}")
    for finding in findings:
        print(finding)
    print(f"Functions left out: {', '.join(left_out) or 'none'}")
    return 1 if findings or left_out else 0


if __name__ == "__main__":
    sys.exit(main())
