"""A bar on the terminal that fills while a file comes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from outrider.interfaces import terminal

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from outrider.call import Progress


class _Filling(terminal.Live):
    """Shows a call's steps on a bar."""

    def __init__(self, bar: Bar) -> None:
        super().__init__()
        self._bar = bar
        self._task = bar.add_task("starting", total=None)

    def __call__(self, step: Progress) -> None:
        """Show a step."""
        if step.stage == "receive":
            said = terminal.harmless(step.message)[:60]
            self._bar.update(self._task, description=said, completed=step.done or 0, total=step.total)
        else:
            self._bar.update(self._task, description=terminal.harmless(terminal.in_words(step))[:60])

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing moves inside, so that a person can be asked."""
        self._bar.stop()
        try:
            yield
        finally:
            self._bar.start()


@contextmanager
def transfer(*, quiet: bool = False) -> Iterator[terminal.Live]:
    """Where a transfer's steps go: a bar on standard error when a person watches it, nowhere otherwise."""
    if quiet or not terminal.is_terminal(sys.stderr):
        yield terminal.Live()
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        # Without markup, so that a host's name is a name.
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=terminal.console(sys.stderr), transient=True) as bar:
        yield _Filling(bar)
