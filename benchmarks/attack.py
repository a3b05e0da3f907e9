"""Attack everything that a stranger's file can reach: native functions, model files and, on request, the readers.

    python benchmarks/attack.py --seconds 100 [--readers] [--seed 0] [--every 4 --rounds 1]

With ``ASSAY_FROM=build/sanitized`` (make attack, make fuzz) the native code is the one with AddressSanitizer. Findings
make the exit code 1.
"""

import argparse
import importlib.util
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--readers", action="store_true")
    parser.add_argument(
        "--every", type=int, default=1, help="of the calls of native code, make one of so many"
    )
    parser.add_argument(
        "--rounds", type=int, default=0, help="1: change one argument of a call at a time, once"
    )
    options = parser.parse_args()
    jobs = ["fuzz_native", *(["fuzz_models"] if importlib.util.find_spec("benchmarks.fuzz_models") else [])]
    jobs += ["fuzz_readers"] if options.readers else []
    failed = []
    for job in jobs:
        print(f"{job}:", flush=True)
        share = options.seconds / len(jobs)
        command = [
            sys.executable,
            f"benchmarks/{job}.py",
            "--seconds",
            str(share),
            "--seed",
            str(options.seed),
        ]
        if (
            job == "fuzz_native"
        ):  # the same share of the attacks on every function, not all of those on the first ones
            command += ["--every", str(options.every), "--rounds", str(options.rounds)]
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(job)
    print("Findings: " + ", ".join(failed) if failed else "Nothing was found.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
