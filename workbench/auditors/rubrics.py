"""What explanations are scored by: the four criteria of MAVEN's Appendix C.2, with written bands.

The paper names the criteria and the scale, from 1 to 100; the bands are ours. They are short, since
a small judge loses a long rubric, and they say that length is no merit, since judges favour it.
"""

from __future__ import annotations

from typing import NamedTuple


class Rubric(NamedTuple):
    """A criterion.

    Attributes
    ----------
    metric : str
        As papers abbreviate it.
    name : str
        As papers name it.
    asks : str
        What the judge is to look at.
    bands : tuple of str
        What about 20, 50, 80 and 95 stand for.
    """

    metric: str
    name: str
    asks: str
    bands: tuple[str, str, str, str]

    def told(self, key: str) -> str:
        """Return the rubric as the judge reads it, under the key that it answers with."""
        about = zip(("20", "50", "80", "95"), self.bands, strict=True)
        return f"{key}: {self.asks} " + "; ".join(f"{n} = {band}" for n, band in about) + "."


RUBRICS = {
    "causal_depth": Rubric(
        "JCD",
        "Justification plausibility and causal depth",
        "Does it say why, by causes and steps that hold?",
        (
            "asserts, or contradicts itself",
            "one plausible reason, no mechanism",
            "sound steps from cause to answer",
            "every step sound, and the mechanism behind it explained",
        ),
    ),
    "factual_accuracy": Rubric(
        "F&C",
        "Factual accuracy and contextualization",
        "Are its facts true, specific and to the point?",
        (
            "false on what matters",
            "right in the main, with errors or vague claims",
            "true, with few gaps",
            "true, specific, and set in their context",
        ),
    ),
    "completeness": Rubric(
        "C&A",
        "Completeness and comparative analysis",
        "Does it cover what the question asks, and weigh the alternatives?",
        (
            "misses the question",
            "answers, and weighs no alternative",
            "covers all parts, and says why some alternatives fail",
            "covers all parts, and weighs every serious alternative",
        ),
    ),
    "structure": Rubric(
        "ARS",
        "Argument richness and structure",
        "Is the argument ordered, and carried by more than one kind of support?",
        (
            "disordered or empty",
            "readable, one bare argument",
            "ordered, several supports",
            "ordered, several supports of different kinds, and a conclusion that follows",
        ),
    ),
}
"""By the key that the judge answers with: a word says more to a model than an abbreviation."""

METRICS = {key: rubric.metric for key, rubric in RUBRICS.items()}
