"""Attack everything that a stranger's file can reach: native functions, model files and, on request, the readers.

    python benchmarks/attack.py --seconds 100 [--readers] [--seed 0]

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
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(job)
    print("Findings: " + ", ".join(failed) if failed else "Nothing was found.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
