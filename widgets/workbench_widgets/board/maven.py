"""What the facts of MAVEN put on the board: R, the plan, d(t), justifications, K and V."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.record.events import JSON, Posted
from workbench.record.plainly import integer, real, text, texts
from workbench_widgets.board.cells import Cell, Change, Drop, Maker, judged
from workbench_widgets.shared.source import Source

CRITERIA = ("factual", "coherence", "completeness", "neutrality")


def _items(value: JSON) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _sure(value: JSON) -> str:
    """Return a confidence in words; empty where none was told."""
    known = real(value)
    return "" if known is None else f"confidence {known:.2f}"


def _said(event: Posted, name: str) -> str:
    return text(event.data.get(name)) or ""


def _routed(event: Posted, source: Source) -> Iterator[Change]:
    h = integer(event.data.get("h"))
    words = f"the {_said(event, 'path')} path" + ("" if h is None else f", h = {h}")
    by = source.agent(event)
    yield Cell("phase", "phase", words, label=_said(event, "reason"), by=by, sources=event.sources)


def _intuited(event: Posted, source: Source) -> Iterator[Change]:
    key = _said(event, "number")
    answer = f"{_said(event, 'answer')}: {_said(event, 'rationale')}"
    label = " · ".join(filter(None, (f"r{key}", _sure(event.data.get("confidence")))))
    by = source.agent(event)
    yield Cell("intuitions", key, answer, label=label, by=by, sources=event.sources)


def _spread(event: Posted, source: Source) -> Iterator[Change]:
    get = event.data.get
    told = [f"leading: {_said(event, 'leading') or 'none'}"]
    for name in ("agreement", "answer_variance", "confidence_mean", "confidence_variance"):
        value = real(get(name))
        told.append(f"{name.replace('_', ' ')}: {'unknown' if value is None else f'{value:.2f}'}")
    words, label = "; ".join(told), "how far they are spread"
    by = source.agent(event)
    yield Cell("intuitions", "spread", words, label=label, by=by, sources=event.sources)


def _probed(event: Posted, source: Source) -> Iterator[Change]:
    label = " · ".join(filter(None, (_said(event, "claim"), _sure(event.data.get("confidence")))))
    yield Cell(
        "verdicts",
        event.path,
        _said(event, "evidence"),
        label=label,
        by=source.agent(event),
        verdict=_said(event, "verdict"),
        sources=event.sources,
    )


def _planned(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event)
    yield Drop("plan", None)
    heads = {"steps": "step", "contradictions": "contradiction", "verifications": "verify"}
    for name, head in heads.items():
        for number, words in enumerate(texts(event.data.get(name)), 1):
            label = f"{head} {number}"
            yield Cell("plan", label, words, label=label, by=by, sources=event.sources)


def _lens(event: Posted, source: Source) -> Iterator[Change]:
    lens, by = _said(event, "lens"), source.agent(event)
    words = f"{_said(event, 'answer')}: {_said(event, 'text')}"
    yield Cell("drafts", f"lens {lens}", words, label=f"{lens} lens", by=by, sources=event.sources)


def _draft(event: Posted, source: Source) -> Iterator[Change]:
    words = f"{_said(event, 'answer')}: {_said(event, 'text')}"
    label = f"d({_said(event, 'number')})"
    by = source.agent(event)
    yield Cell("drafts", "d", words, label=label, by=by, sources=event.sources)


def _questioned(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event)
    yield Drop("justifications", None)
    for one in _items(event.data.get("questions")):
        number = text(one.get("number")) or "?"
        label = f"question {number}, {text(one.get('dimension'))}, {text(one.get('priority'))}"
        words = f"{text(one.get('question')) or ''} (of: {text(one.get('claim')) or ''})"
        key = f"question {number}"
        yield Cell("open", key, words, label=label, by=by, sources=event.sources)


def _defended(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event)
    for one in _items(event.data.get("defences")):
        number = text(one.get("number")) or "?"
        label = " · ".join(filter(None, (f"question {number}", _sure(one.get("confidence")))))
        words = text(one.get("justification")) or ""
        yield Cell("justifications", number, words, label=label, by=by, sources=event.sources)


def _reported(event: Posted, source: Source) -> Iterator[Change]:
    """Put what was found into K where it is kept; what could not be kept is not shown as known.

    With the calibrated findings in K, those that were found before the contrast have had their day;
    what was taken from K stands there as it was.
    """
    by = source.agent(event)
    kept = _items(event.data.get("findings")) if event.data.get("kept") is True else []
    for one in (each for each in kept if each.get("cached") is not True):
        probed = text(one.get("probed")) or ""
        yield Drop("verdicts", probed)
        yield Cell(
            "knowledge",
            text(one.get("key")) or "?",
            text(one.get("evidence")) or "",
            label=" · ".join(
                filter(None, (text(one.get("claim")) or "", _sure(one.get("confidence"))))
            ),
            by=by,
            verdict=text(one.get("verdict")),
            sources=(probed,) if probed else event.sources,
            passages=tuple((id_, probed) for id_ in texts(one.get("passages"))),
        )


def _judged(event: Posted, source: Source) -> Iterator[Change]:
    """Add a line to V; the Skeptic's questions are then settled, one way or the other.

    A Replan discards the plan, the drafts and their defence; R, K and V stay.
    """
    key = _said(event, "iteration")
    if not key:  # a fact of another protocol that has the name
        yield from judged(event, source)
        return
    score = real(event.data.get("score"))
    label = f"pass {key}, d({_said(event, 'draft')})" + ("" if score is None else f", {score:.2f}")
    if event.data.get("overruled") is True:
        label += f", overruled from {_said(event, 'said') or 'nothing that could be read'}"
    known = [(name, integer(event.data.get(name))) for name in CRITERIA]
    scores = " · ".join(f"{name} {value}" for name, value in known if value is not None)
    yield Cell(
        "trace",
        key,
        "\n".join(filter(None, (scores, _said(event, "feedback")))),
        label=label,
        by=source.agent(event),
        verdict=_said(event, "verdict"),
        sources=event.sources,
    )
    asked = source.run.facts.get(f"{event.path.rsplit('/', 2)[0]}/skeptic/questioned")
    for one in _items(asked.data.get("questions")) if asked else ():
        yield Drop("open", f"question {text(one.get('number')) or '?'}")
    if event.data.get("verdict") == "replan":
        for section in ("plan", "drafts", "justifications"):
            yield Drop(section, None)


def _missing(event: Posted, source: Source) -> Iterator[Change]:
    words = f"{_said(event, 'what')}: {_said(event, 'reason')}; instead: {_said(event, 'instead')}"
    label = "a reply that could not be read"
    by, key = source.agent(event), f"Missing/{event.path}"
    yield Cell("other", key, words, label=label, by=by, verdict="unparsed", sources=event.sources)


def _styled(event: Posted, source: Source) -> Iterator[Change]:
    changed = "; ".join(texts(event.data.get("changed")))
    label = "in the Stylist's words" + (f", which are not used: {changed}" if changed else "")
    by, words = source.agent(event), _said(event, "text")
    yield Cell("decision", "styled", words, label=label, by=by, sources=event.sources)


def _concluded(event: Posted, source: Source) -> Iterator[Change]:
    words = f"{_said(event, 'answer') or 'no answer'}: {_said(event, 'text')}"
    draft = text(event.data.get("draft"))
    sources = (*event.sources, *([draft] if draft else []))
    by, ended = source.agent(event), _said(event, "ended")
    yield Cell("decision", "decision", words, by=by, verdict=ended, sources=sources)


def _candidate(event: Posted, source: Source) -> Iterator[Change]:
    by = source.agent(event) or "?"
    words = f"{_said(event, 'answer') or 'no answer'}: {_said(event, 'explanation')}"
    yield Cell("drafts", by, words, by=by, sources=event.sources)


def _final(event: Posted, source: Source) -> Iterator[Change]:
    words = f"{_said(event, 'answer') or 'unknown'}: {_said(event, 'explanation')}"
    label = f"the answer, by {_said(event, 'how')}"
    by = source.agent(event)
    yield Cell("decision", "answer", words, label=label, by=by, sources=event.sources)


MAVEN: dict[str, Maker] = {
    "Routed": _routed,
    "Intuited": _intuited,
    "Spread": _spread,
    "Probed": _probed,
    "Planned": _planned,
    "Drafted": _lens,
    "DraftMade": _draft,
    "Questioned": _questioned,
    "Defended": _defended,
    "EvidenceReported": _reported,
    "Missing": _missing,
    "Styled": _styled,
    "Concluded": _concluded,
    "Judged": _judged,
    "Candidate": _candidate,
    "FinalAnswer": _final,
}
"""By the facts' class names; the last two are the baselines' as well."""
