"""Attack everything that a stranger's file can reach: native functions, model files, file readers.

    python benchmarks/attack.py [--times 1] [--seed 0]

With ``ASSAY_FROM=build/sanitized`` (make attack, make fuzz) the native code is the one with AddressSanitizer. The
attack goes by count: the seed decides what is tried, whatever the machine. ``--times 1`` makes every single change to
every recorded call of the native code, a few tampered files of every learner and some hundred broken tables; a larger
number makes that many times as many tries. The three parts run side by side. Findings make the exit code 1.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = 2  # tampered files of every learner
TABLES = 300  # broken tables
CALLS = 1000  # of each native function, where one time is not enough; more than it has single changes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    times = options.times
    jobs = {
        "fuzz_native": ["--calls", "0" if times == 1 else str(CALLS * times), "--workers", "1"],
        "fuzz_models": ["--count", str(MODELS * times)],
        "fuzz_readers": ["--count", str(TABLES * times)],
    }
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        running = {}
        for job, arguments in jobs.items():
            command = [sys.executable, f"benchmarks/{job}.py", "--seed", str(options.seed), *arguments]
            with open(pathlib.Path(scratch) / job, "w") as output:
                running[job] = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        for job, process in running.items():
            process.wait()
            print(f"{job}:\n{(pathlib.Path(scratch) / job).read_text(errors='replace')}", flush=True)
            if process.returncode:
                failed.append(job)
    print("Findings: " + ", ".join(failed) if failed else "Nothing was found.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
