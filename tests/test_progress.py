import io
import sys

from commensurate import progress as module
from commensurate.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_printed_where_nobody_watches(monkeypatch):
    stderr = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stderr)
    with progress("asking", total=2, patience=0.0) as advance:
        advance(2)
    assert stderr.getvalue() == ""


def test_a_bar_appears_on_a_terminal_once_patience_is_over(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    with progress("asking", total=2, patience=0.0) as advance:
        advance(1)
        advance(1)
    assert "asking" in stderr.getvalue()
    assert "2/2" in stderr.getvalue()


def test_quick_work_shows_no_bar(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    with progress("asking", total=1, patience=1000.0) as advance:
        advance(1)
    assert stderr.getvalue() == ""
    assert module.PATIENCE_SECONDS == 2.0


def test_work_within_work_shows_only_the_outer_bar(monkeypatch):
    stderr = Terminal()
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    with progress("outer", total=1, patience=0.0) as advance:
        with progress("inner", total=1, patience=0.0) as advance_inner:
            advance_inner(1)
        advance(1)
    assert "outer" in stderr.getvalue()
    assert "inner" not in stderr.getvalue()
    with progress("after", total=1, patience=0.0) as advance:
        advance(1)
    assert "after" in stderr.getvalue()
