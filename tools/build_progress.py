"""Shows how far a verbose pip build is: the steps of the compiler on one line, all else kept for a failure.

Reads pip's output from standard input. In a terminal the line is rewritten; elsewhere every quarter is told. If the
build fails, the end of its output is printed and the exit code is 1.
"""

import re
import sys

STEP = re.compile(r"^\s*\[(\d+)/(\d+)\] ")
KEPT_LINES = 60  # of the output of a failed build


def main() -> int:
    terminal, lines, quarter, failed = sys.stdout.isatty(), [], 0, False
    for line in sys.stdin:
        lines = [*lines[-KEPT_LINES:], line]
        step = STEP.match(line)
        if step:
            done, total = map(int, step.groups())
            if terminal:
                print(f"\r  compiling {done} of {total}", end="", flush=True)
            elif done * 4 // total > quarter:
                quarter = done * 4 // total
                print(f"  compiling {done} of {total}", flush=True)
        failed = failed or line.startswith(("error:", "ERROR:"))
    if terminal:
        print("\r" + " " * 40 + "\r", end="")
    if failed:
        print("".join(lines))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
