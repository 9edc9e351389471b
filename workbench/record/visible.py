"""Characters that a reader does not see, and how a terminal is shown them.

A terminal obeys control characters, a page turns its lines around at direction characters, and
what a model or a server wrote may hold any.
"""

from __future__ import annotations

import re

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
"""Control, direction, zero-width and tag characters and lone surrogates; not tab and newline."""


def visible(text: str) -> str:
    r"""Return `text` with what `HIDDEN` matches written out; blanks stay as they are.

    Examples
    --------
    >>> visible("a red \x1b[31mword")
    'a red \\x1b[31mword'
    """
    return HIDDEN.sub(_written_out, text)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
