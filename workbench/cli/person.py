"""The person at the terminal, who answers what a protocol consults a human about."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from workbench.cli.output import say

if TYPE_CHECKING:
    from workbench.record.events import Consulted


class Person:
    """Asks on standard error, and takes from standard input: one of the options, or lines.

    Lines end with an empty one; empty ones before them are no answer. Standard input may be a file
    or a pipe: what is left in it answers what is asked next, which is said.
    """

    def __init__(self, before: Callable[[], object]) -> None:
        self._before = before
        self._said = b""
        self._turn = asyncio.Lock()

    async def __call__(self, consulted: Consulted) -> str:
        """Return what the person says.

        Raises
        ------
        EOFError
            If standard input ends before anything was said.
        """
        async with self._turn:
            self._before()
            say(f"\n{consulted.prompt}", sys.stderr)
            if not consulted.options:
                say("(Lines; an empty line ends your answer.)", sys.stderr)
                answer = await _aside(self._lines)
                if self._said.strip():
                    left = "what stands after it answers what is asked next"
                    say(f"(An empty line ended the answer; {left}.)", sys.stderr)
                return answer
            say(f"(One of: {', '.join(consulted.options)}.)", sys.stderr)
            while (said := await _aside(self._line)).strip() not in consulted.options:
                say(f"{said.strip()!r} is none of the options.", sys.stderr)
            return said.strip()

    def _lines(self) -> str:
        lines = [self._line()]
        while not lines[0].strip():
            lines = [self._line()]
        with suppress(EOFError):
            while lines[-1].strip():
                lines.append(self._line())
        return "\n".join(lines).strip()

    def _line(self) -> str:
        # Not input(): a thread that waits in it holds a lock that Python wants at its end.
        while b"\n" not in self._said:
            more = os.read(0, 65_536) if sys.stdin is not None else b""
            if not more and not self._said:
                raise EOFError("nobody answers: standard input is at its end")
            self._said += more or b"\n"
        line, _, self._said = self._said.partition(b"\n")
        return line.decode(errors="replace")


async def _aside(read: Callable[[], str]) -> str:
    """Return what `read` returns, in a thread that an interrupt need not wait for."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def give(said: str | BaseException) -> None:
        if answer.done():
            return
        if isinstance(said, BaseException):
            answer.set_exception(said)
        else:
            answer.set_result(said)

    def wait() -> None:
        try:
            said: str | BaseException = read()
        except (EOFError, OSError) as error:
            said = error
        with suppress(RuntimeError):  # the loop was closed meanwhile: the run was interrupted
            loop.call_soon_threadsafe(give, said)

    threading.Thread(target=wait, daemon=True).start()
    return await answer
