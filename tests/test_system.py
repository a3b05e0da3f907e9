"""What operating systems differ in: what holds on all of them, and that nobody else asks the system by itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay import system

# Modules and functions that one of Linux, macOS, Windows and the browser lacks.
NOT_EVERYWHERE = re.compile(
    r"\bimport (fcntl|msvcrt|resource|pwd|grp|termios|winreg)\b"
    r"|os\.(fork|register_at_fork|sched_\w+|sysconf|fchmod|geteuid|getuid|mkfifo|O_BINARY|pread|setsid|killpg)\b"
    r"|signal\.(SIGKILL|SIGALRM|SIGHUP|alarm|setitimer)\b|/proc/|/sys/fs|getrusage"
)


def test_only_the_module_system_asks_the_system():
    source = Path(assay.__file__).parent
    asking = [path.name for path in source.rglob("*.py") if NOT_EVERYWHERE.search(path.read_text())]
    assert asking == ["system.py"]


def test_a_lock_holds_until_its_file_is_closed(tmp_path):
    path = tmp_path / "lock"
    other = "import sys; from assay.system import lock; print(lock(open(sys.argv[1], 'a+')))"

    def free():
        answer = subprocess.run(
            [sys.executable, "-c", other, path], capture_output=True, text=True, check=True
        )
        return answer.stdout.strip()

    with open(path, "a+") as file:
        assert system.lock(file)
        file.write("held by me")
        file.flush()
        assert free() == "False"
        assert path.read_text() == "held by me"  # others can still read who holds it
    assert free() == "True"


def test_content_goes_to_the_disk_unchanged(tmp_path):
    path = tmp_path / "content"
    path.write_bytes(b"a\r\nb\x1a")
    system.to_disk(path)
    assert path.read_bytes() == b"a\r\nb\x1a"
    with pytest.raises(FileNotFoundError):
        system.to_disk(tmp_path / "nothing")


def test_memory_is_endless_where_the_system_does_not_say(monkeypatch):
    def refuse(name):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(system.os, "sysconf", refuse, raising=False)
    assert system.memory() == float("inf")


def test_cores_are_at_least_one():
    assert system.cores() >= 1
