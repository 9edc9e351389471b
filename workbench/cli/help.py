"""What the commands' help shows below their flags: examples, and exit codes."""

from __future__ import annotations

import argparse

EXAMPLES: dict[str, str] = {
    "run": "workbench run bilayer --case aura_hub --turns 2 --out a.run.jsonl\n"
    "workbench run maven --question 'Have spiders six legs?' --options yes no --out b.run.jsonl\n\n"
    "What is not given has the protocol's own default: help(wb.bilayer), help(wb.maven).",
    "resume": "workbench resume a.run.jsonl",
    "fork": "workbench fork a.run.jsonl --at /turn=2",
    "audit": "workbench audit a.run.jsonl\nworkbench audit --statements aura_hub --out c.run.jsonl",
    "model": "workbench model info --lm local",
    "consult": "workbench consult corpora/handbook --question 'How long is the notice?' "
    "--out c.run.jsonl",
    "bench consultation": "workbench bench consultation corpora/handbook --sample 4 --out h",
    "bench predictions": "workbench bench predictions corpora/handbook --lm rules:a --lm rules:b "
    "--out p",
    "check": "workbench check isolation c.run.jsonl\n"
    "workbench check output c.output.json --corpus corpora/handbook",
    "bench": "workbench bench maven --items questions.jsonl --methods direct,vote --out b\n\n"
    "`workbench bench consultation` and `workbench bench predictions` have a help of their own.",
    "judge": "workbench judge b --methods direct,maven",
    "show": "workbench show a.run.jsonl\nworkbench show a.run.jsonl /turn=2/goal",
    "replay": "workbench replay a.run.jsonl",
    "verify": "workbench verify *.run.jsonl",
    "diff": "workbench diff a.run.jsonl a.fork-1.run.jsonl",
    "export": "workbench export a.run.jsonl --html a.html",
    "passport": "workbench passport corpora/handbook --coherence --html handbook.html",
}
"""What one types, by command."""

CODES = (
    "exit codes: 0 done; 1 a check says no, or runs differ; 2 flags that do not go together; 3 a "
    "run stopped, and resume goes on; 4 a file or a model that cannot be used; 130 interrupted"
)


class Help(argparse.HelpFormatter):
    """Wraps each line of a text by itself."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(
            super(Help, self)._fill_text(line, width, indent) for line in text.splitlines()
        )
