"""The command line: the library's functions over files.

Exit codes: 0 done; 1 a check says no (a divergence, a difference); 2 wrong usage; 3 a run could not
go on (what it has is kept); 4 a file, case or model cannot be used; 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence

from workbench.cli.arguments import check_names, parser, words
from workbench.cli.consult import consult_command
from workbench.cli.live import RESUMABLE
from workbench.cli.output import (
    INTERRUPTED,
    NO,
    OK,
    STOPPED,
    UNUSABLE,
    USAGE,
    UsageError,
    open_closed_streams,
    refused,
    warned,
)
from workbench.errors import Diverged, RunError, UnknownProtocol, WorkbenchError


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    open_closed_streams()
    for stream in (sys.stdout, sys.stderr):  # a terminal that lacks a letter is no reason to stop
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    args = parser().parse_args(words(argv))
    try:
        check_names(args)
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)  # such as a torn last line
            warnings.showwarning = warned
            code = int(args.do(args))
        sys.stdout.flush()
    except KeyboardInterrupt:
        kept = (
            "; what was answered is kept, and resume goes on"
            if args.do in (*RESUMABLE, consult_command)
            else ""
        )
        return refused(f"interrupted{kept}", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output has gone, as `| head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK
    except UsageError as error:
        return refused(error, USAGE)
    except Diverged as error:
        return refused(error, NO)
    except UnknownProtocol as error:
        return refused(error, UNUSABLE)
    except RunError as error:
        return refused(error, STOPPED)
    except (WorkbenchError, OSError) as error:
        return refused(error, UNUSABLE)
    return code
