"""What a model reads when it extracts claims: one passage, marked as a quotation."""

from __future__ import annotations

from workbench.deliberation.consultation.prompts import QUOTED, quote
from workbench.deliberation.ingestion.schemas import MOST_CLAIMS
from workbench.record.parts import Part

TYPES = (
    "- definitional: says what a word means\n"
    "- differentiating: sets one thing apart from another, or makes an exception\n"
    "- mechanistic: says how it goes: who does what, when, how much\n"
    "- independence_confirmation: says that something makes no difference\n"
    "- load_bearing_assumption: names what must hold for something else to hold\n"
    "- structural_consequence: draws a conclusion from what was said"
)


def extract(id: str, heading: str, text: str, path: str) -> list[Part]:
    """Return the prompt for one passage; all but the passage is the same for each.

    Parameters
    ----------
    id, heading, text : str
        The passage.
    path : str
        Where the passages were returned, the source of the heading.
    """
    return [
        Part("You copy the claims out of a passage and say of what type each is. " + QUOTED,
             None, "system"),
        Part(
            f"A claim is one statement. Give at most {MOST_CLAIMS}, in the order of the passage, "
            "each with\n"
            "- quote: its words, copied from the passage letter by letter, without '> '\n"
            "- type: one of those below\n"
            "- defines: the term that it defines; empty if it defines none\n"
            "- leans_on: the numbers of the claims before it that it needs to be true, the first "
            "being 1; mostly none\n\n"
            f"The types:\n{TYPES}\n\n"
            "Answer with one JSON object with the key claims, a list of objects with the keys "
            "quote, type, defines and leans_on, in this order."
        ),
        Part(f"It stands under:\n{quote(heading or '(no heading)')}", path),
        Part(f"<passage>\n{quote(text)}\n</passage>", id),
    ]  # fmt: skip
