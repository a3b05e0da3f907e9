"""Progress: who hears of it, who sees it, and that it never stands in the way."""

import io
import subprocess
import sys
import threading
from itertools import pairwise

import numpy as np
import pytest
from joblib import Parallel, delayed

from assay.bayes import GaussianNB
from assay.core import progress as module
from assay.core.progress import Event, listen, progress, track


class Terminal(io.StringIO):
    """A standard error that claims to be a terminal."""

    def isatty(self):
        return True


def look_at_a_terminal(monkeypatch, patience=0.0):
    """The screen; called in the test itself, since pytest puts its own standard error there before."""
    screen = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(module, "BAR_DELAY_SECONDS", patience)
    return screen


@pytest.fixture
def shown(monkeypatch):
    """Set when a bar is on the screen."""
    appeared = threading.Event()
    show = module.Progress._show

    def and_say_so(self):
        show(self)
        appeared.set()

    monkeypatch.setattr(module.Progress, "_show", and_say_so)
    return appeared


def test_the_events_tell_start_steps_and_end():
    seen = []
    with listen(seen.append), progress(total=4, description="folds") as bar:
        bar.advance(3, note="third")
        bar.advance()
    assert [(e.done, e.state) for e in (seen[0], seen[-2], seen[-1])] == [
        (0, "running"),
        (4, "running"),
        (4, "finished"),
    ]
    assert seen[-1].note == "third" and seen[-1].total == 4 and seen[-1].description == "folds"
    assert all(a.seconds <= b.seconds for a, b in pairwise(seen))


def test_the_remaining_time_is_the_time_per_step_times_the_steps_left():
    assert Event("", done=1, total=4, note="", seconds=2.0).remaining == 6.0
    assert Event("", done=4, total=4, note="", seconds=2.0).remaining == 0.0
    assert Event("", done=5, total=4, note="", seconds=2.0).remaining == 0.0
    assert Event("", done=0, total=4, note="", seconds=2.0).remaining is None
    assert Event("", done=1, total=None, note="", seconds=2.0).remaining is None


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0:00"), (59.6, "1:00"), (3599, "59:59"), (3600, "1:00:00"), (90061, "25:01:01")],
)
def test_times_read_like_a_clock(seconds, words):
    assert module._clock(seconds) == words


def test_many_small_steps_make_few_events():
    seen = []
    with listen(seen.append):
        assert sum(track(range(100_000), "counting")) == 4999950000
    assert len(seen) < 1000 and seen[-1].done == 100_000 and seen[-1].total == 100_000


def test_a_generator_has_no_total():
    seen = []
    with listen(seen.append):
        assert list(track((c for c in "ab"), "letters")) == ["a", "b"]
    assert seen[-1].total is None and seen[-1].done == 2


def test_work_inside_of_work_is_silent():
    seen = []
    with listen(seen.append), progress(2, "outer") as outer:
        for _ in range(2):
            assert list(track("abc", "inner")) == ["a", "b", "c"]
            outer.advance()
    assert {event.description for event in seen} == {"outer"}
    assert [e.state for e in seen].count("finished") == 1


def test_after_the_outer_work_ended_the_next_is_heard_again():
    seen = []
    with listen(seen.append):
        list(track("a", "first"))
        list(track("b", "second"))
    assert [e.description for e in seen if e.state == "finished"] == ["first", "second"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_interruption_passes_through_and_leaves_the_stage_free(error):
    seen = []
    with listen(seen.append):
        with pytest.raises(error), progress(3, "work") as bar:
            bar.advance()
            raise error
        assert seen[-1].state == "stopped" and seen[-1].done == 1
        list(track("a", "next"))
    assert seen[-1].description == "next"


def test_a_listener_can_cancel_the_work():
    class Cancelled(Exception):
        pass

    done = []

    def impatient(event):
        if event.done == 2:
            raise Cancelled

    with pytest.raises(Cancelled), listen(impatient):
        for step in track([1, 2], "work"):
            done.append(step)
    assert done == [1, 2]
    assert module._outermost is None


def test_a_listener_that_refuses_at_the_start_leaves_the_stage_free():
    def refuses(event):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"), listen(refuses), progress(1, "work"):
        raise AssertionError("not reached")
    assert module._outermost is None


def test_a_loop_that_is_left_early_has_stopped():
    seen = []
    with listen(seen.append):
        steps = track(range(10), "work")
        assert next(steps) == 0
        steps.close()
    assert seen[-1].state == "stopped"


def test_threads_of_joblib_are_inside_of_the_work():
    seen = []
    with listen(seen.append), progress(4, "folds") as bar:
        results = Parallel(n_jobs=2, backend="threading", return_as="generator")(
            delayed(_fold)(i) for i in range(4)
        )
        for _ in results:
            bar.advance()
    assert {event.description for event in seen} == {"folds"} and seen[-1].done == 4


def _fold(i):
    return list(track(range(3), f"inner {i}"))


def test_threads_may_advance_the_same_bar():
    seen = []
    with listen(seen.append), progress(2000, "rows") as bar:
        workers = [threading.Thread(target=lambda: [bar.advance() for _ in range(500)]) for _ in range(4)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
    assert seen[-1].done == 2000


# What is seen


def test_nothing_is_printed_where_nobody_looks(capfd, monkeypatch):
    monkeypatch.setattr(module, "BAR_DELAY_SECONDS", 0.0)
    assert list(track("ab", "letters")) == ["a", "b"]
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")


def test_rich_is_not_even_imported_where_nobody_looks():
    code = (
        "import sys; from assay.core.progress import track; list(track(range(3), 'x'));"
        "print([m for m in ('rich', 'IPython') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (run.stdout.strip(), run.stderr) == ("[]", "")


def test_a_terminal_shows_a_bar_with_the_words_and_takes_it_away(monkeypatch, shown):
    terminal = look_at_a_terminal(monkeypatch)
    with progress(10, "folds [1/2]") as bar:
        bar.advance(4, note="1,000 rows [raw]")
        assert shown.wait(10)
    text = terminal.getvalue()
    assert "folds [1/2]" in text and "4 of 10, 1,000 rows [raw], 0:00, about 0:00 left" in text
    assert "\x1b[2K" in text[text.rindex("folds") :]  # at last the line is cleared


def test_short_work_shows_nothing_in_a_terminal(monkeypatch):
    terminal = look_at_a_terminal(monkeypatch, patience=60.0)
    list(track("ab", "letters"))
    assert terminal.getvalue() == ""
    assert not [
        t for t in threading.enumerate() if isinstance(t, threading.Timer) and not t.finished.is_set()
    ]


def test_a_bar_is_taken_away_when_the_work_is_interrupted(monkeypatch, shown):
    terminal = look_at_a_terminal(monkeypatch)
    with pytest.raises(KeyboardInterrupt), progress(10, "folds"):
        assert shown.wait(10)
        raise KeyboardInterrupt
    assert "\x1b[?25h" in terminal.getvalue()  # the cursor is back


def test_a_worker_process_never_shows_a_bar(monkeypatch):
    look_at_a_terminal(monkeypatch)
    assert module._visible()
    monkeypatch.setattr(module.multiprocessing, "parent_process", lambda: object())
    assert not module._visible()


def test_a_notebook_counts_as_a_place_where_somebody_looks(monkeypatch):
    class ZMQInteractiveShell:
        pass

    class IPython:
        get_ipython = staticmethod(ZMQInteractiveShell)

    assert not module._in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    assert module._in_notebook() and module._visible()


# Where it is used


def test_learning_from_blocks_tells_blocks_and_rows():
    rng = np.random.default_rng(0)
    blocks = [(rng.normal(size=(n, 2)), np.arange(n) % 2) for n in (10, 20, 30)]
    seen = []
    with listen(seen.append):
        GaussianNB().fit_blocks(lambda: iter(blocks))
    ends = [e for e in seen if e.state == "finished"]
    assert [(e.description, e.done, e.total, e.note) for e in ends] == [
        ("GaussianNB: reading the columns", 3, None, "60 rows"),
        ("GaussianNB: learning", 3, 3, "60 rows"),
    ]
