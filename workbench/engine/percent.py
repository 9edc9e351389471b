"""A share in percent as models are asked for it: a whole number from 0 to 100."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

_ONE = re.compile(r"\s*1\.0+\s*")


def _not_of_one(given: object) -> object:
    """Refuse ``1.0``: on a scale to 1 it is all, and on one to 100 next to nothing."""
    of_one = given == 1 if isinstance(given, float) else False
    if of_one or (isinstance(given, str) and _ONE.fullmatch(given)):
        raise ValueError("1.0 may be of 1 or of 100; a whole number from 0 to 100 is wanted")
    return given


Percent = Annotated[int, Field(ge=0, le=100), BeforeValidator(_not_of_one)]
"""A whole number from 0 to 100; ``1.0`` is asked about."""
