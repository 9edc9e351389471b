"""How facts are told in plain text: a form for each kind, filled in with the fact's fields."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, NamedTuple

from workbench.record.events import Posted

Data = Mapping[str, Any]


class Form(NamedTuple):
    """Templates over a fact's fields, as `str.format` has them; ``!w`` turns underscores to blanks.

    Attributes
    ----------
    head : str
        The first line; what is None in it is ``unknown``.
    more : tuple of str
        Goes on with the first line; each is left out where a field of it is None or empty.
    body : tuple of str
        Lines below, under the same condition. A template that begins with the name of a list and
        ``:`` is a line for each of it, filled in with the fields of an item, or with ``{}``.
    """

    head: str
    more: tuple[str, ...] = ()
    body: tuple[str, ...] = ()

    def filled(self, data: Data) -> tuple[str, list[str]]:
        """Return the first line and the lines below it.

        Raises
        ------
        KeyError, TypeError, ValueError, AttributeError, IndexError
            If the fields are not those of the kind.
        """
        known = {name: "unknown" if value is None else value for name, value in data.items()}
        head = _WORDS.vformat(self.head, (), known)
        more = [one for template in self.more for one in _lines(template, data)]
        return ", ".join([head, *more]), [one for line in self.body for one in _lines(line, data)]


class _Words(Formatter):
    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "w":
            return str(value).replace("_", " ")
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> str:
        match value:
            case bool():
                return "yes" if value else "no"
            case Mapping():
                return ", ".join(f"{k} {format(v, format_spec)}" for k, v in value.items())
            case list() | tuple():
                return "; ".join(str(one) for one in value)
        return str(super().format_field(value, format_spec))


_WORDS = _Words()


def _lines(template: str, data: Data) -> list[str]:
    name, each, line = template.partition(":: ")
    if each:
        return [
            _WORDS.vformat(line, () if isinstance(one, Mapping) else (one,), _told(one))
            for one in data[name]
        ]
    fields = [field for _, field, _, _ in _WORDS.parse(template) if field]
    if any(data[field] in (None, "", [], {}, ()) for field in fields):
        return []
    return [_WORDS.vformat(template, (), data)]


def _told(one: Any) -> Data:
    if not isinstance(one, Mapping):
        return {}
    return {name: "unknown" if value is None else value for name, value in one.items()}


FORMS: dict[str, Form] = {
    # MAVEN
    "Routed": Form("router · the {path} path", ("h = {h}", "tau = {tau}"), ("{reason}",)),
    "Intuited": Form(
        "fast proposer {number} · {answer}", ("confidence {confidence:.2f}",), ("{rationale}",)
    ),
    "Spread": Form(
        "intuitions · {n} of {asked} could be read",
        ("{agreement:.0%} say {leading}", "mean confidence {confidence_mean:.2f}"),
    ),
    "Planned": Form(
        "turn {iteration} · plan",
        (),
        (
            "contradictions:: contradiction: {}",
            "verifications:: to be verified: {}",
            "steps:: step: {}",
        ),
    ),
    "Drafted": Form("turn {iteration} · {lens} lens · {answer}", (), ("{text}",)),
    "DraftMade": Form(
        "turn {iteration} · draft {number} · {answer}", ("by the {author!w}",), ("{text}",)
    ),
    "Questioned": Form(
        "turn {iteration} · skeptic",
        (),
        ("questions:: {number}. {dimension}, {priority}: {question} (of: {claim})",),
    ),
    "Defended": Form(
        "turn {iteration} · responder",
        (),
        ("defences:: {number}. {justification} (confidence {confidence:.2f})",),
    ),
    "Probed": Form(
        "turn {iteration} · researcher · {verdict}",
        ("confidence {confidence:.2f}", "from {passages}"),
        ("claim: {claim}", "{evidence}"),
    ),
    "EvidenceReported": Form(
        "turn {iteration} · evidence report",
        ("kept in K: {kept}",),
        ("findings:: {verdict}, confidence {confidence:.2f}, from K: {cached}: {claim}",),
    ),
    "Judged": Form(
        "turn {iteration} · judge · {verdict} of draft {draft}",
        (
            "mean {score:.2f}",
            "factual {factual}",
            "coherence {coherence}",
            "completeness {completeness}",
            "neutrality {neutrality}",
            "said {said} and {contradiction!w}",
        ),
        ("{feedback}",),
    ),
    "Styled": Form("stylist", ("used: {kept}",), ("changed:: not as it was: {}", "{text}")),
    "Missing": Form(
        "turn {iteration} · {author!w} · {what} could not be read",
        (),
        ("instead: {instead}", "{reason}"),
    ),
    "Concluded": Form(
        "concluded · {ended!w} · {answer}", ("passes: {iterations}", "judged: {judged}")
    ),
    # every way of answering a question
    "FinalAnswer": Form("answer · {answer}", ("{how}",), ("{explanation}",)),
    "Candidate": Form(
        "turn {turn} · {author!w} · {answer}", ("confidence {confidence} %",), ("{explanation}",)
    ),
    "Critique": Form("turn {turn} · {author!w}", ("nothing to change: {passed}",), ("{text}",)),
    "Tally": Form(
        "tally · {chosen}", ("by {by}", "{weights:g}", "tied: {tied}", "not readable: {unread}")
    ),
    "Structured": Form(
        "reasoning structure",
        (),
        ("modules: {modules}", "adapted: {adapted}", "steps:: step: {}"),
    ),
    "Thought": Form("turn {turn} · {author!w} · {action}", ("“{query}”",), ("{text}",)),
    # those who judge
    "RuleVerdict": Form("logic · {rule}: {verdict}", (), ("{reason}",)),
    "QualityScored": Form("quality · {item} by {method}", ("{scores:g}",), ("unknown: {why}",)),
    "Preferred": Form(
        "preference · {item}, {method} against {against}: {verdict}",
        ("in both orders: {consistent}",),
        ("{reason}",),
    ),
    # a corpus
    "Compared": Form("comparer · {one} and {other}: {relation!w}", (), ("reasons:: {}",)),
    "Extracted": Form(
        "claims of {passage}",
        (),
        ("claims:: {number}. {type!w}: {quote}", "rejected:: not in the passage: {}"),
    ),
    "NotExtracted": Form("claims of {passage} could not be read", (), ("{reason}",)),
}
"""By the facts' class names. A fact of another kind is told field by field, in its own order."""


def said_of(event: Posted) -> list[str]:
    """Return a fact in the words that there are for its kind; the first line says what it is.

    Empty where its kind has no form, or its fields are not those of the kind.
    """
    try:
        head, body = FORMS[event.kind].filled(event.data)
    except (LookupError, TypeError, ValueError, AttributeError):  # another protocol's fact
        return []
    return [head, *body]
