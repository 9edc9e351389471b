"""What an argument is to be; anything else is refused in one sentence."""

from __future__ import annotations

from workbench.record.visible import visible


def check(right: bool, name: str, value: object, takes: str) -> None:
    """Refuse an argument that is not right.

    Raises
    ------
    TypeError
        It tells what ``name=`` takes, and what it was given.
    """
    if not right:
        raise TypeError(f"{name}= takes {takes}, not {visible(repr(value))[:80]}")


def check_switch(name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    check(isinstance(value, bool), name, value, "True or False")
