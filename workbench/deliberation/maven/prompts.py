"""The words that MAVEN's agents are given, as parts with their sources.

The templates of Appendix B are not printed in the paper's text, so these are ours; their content
follows sections 3.2 to 3.4. Every prompt begins with `shared`, then come pieces of the workspace in
one order (draft, questions or plan, evidence, verdict), then the agent's own charge: the Skeptic,
the Responder and the Judge of an iteration share all up to the draft, the Judge and the reviser all
up to the evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from workbench.deliberation.maven.facts import (
    Defended,
    Drafted,
    DraftMade,
    Evidence,
    EvidenceReported,
    Intuited,
    Judged,
    Planned,
    Question,
    Questioned,
    Spread,
)
from workbench.deliberation.maven.query import Query
from workbench.deliberation.maven.workspace import Placed
from workbench.record.events import JSON
from workbench.record.parts import Part

_SYSTEM = (
    "You are one agent of a team that answers a question on a shared blackboard. Each agent has "
    "one task and sees only what that task needs. Be brief and concrete. Answer with one JSON "
    "object and nothing else."
)

LENSES = {
    "general": "Draft systematically along the plan.",
    "critical": "Take a critical and skeptical perspective: proactively explore what could be "
    "wrong with the obvious answer, its risks and its counterexamples.",
    "data": "Center your draft on data and quantities: support its points with numbers and "
    "empirical results wherever there are any.",
}
"""The Cognitive Diversity Layer (section 3.3; the wording of two is that of Appendix B.4)."""

OVERRULED = {
    "accepts_below_thresholds": "These scores are too low to accept the draft.",
    "accepts_unexamined": "No claim of the draft could be examined, so it cannot be accepted.",
}
"""What is added to the feedback of a Judge who was overruled."""


def shared(query: Query) -> list[Part]:
    """Return the beginning of every prompt."""
    return [Part(_SYSTEM, None, "system"), Part(str(query))]


def router(most: int) -> Part:
    """Return the Router's charge."""
    return Part(
        "You are the router. How many factual verifications or logical inferences does this "
        f"question need? Give a reason in one sentence, then the number from 0 to {most}.\n\n"
        "Keys: reason, complexity."
    )


def fast_proposer(query: Query) -> Part:
    """Return a FastProposer's charge."""
    kind = "the letter of one option" if query.options else "a few words"
    return Part(
        "You are an expert who answers by intuition. Give your rationale in at most 40 words, then "
        f"your answer ({kind}), then how sure you are of it in percent.\n\n"
        "Keys: rationale, answer, confidence (0 to 100)."
    )


def intuitions(given: Sequence[Placed[Intuited]], query: Query) -> list[Part]:
    """Return R."""
    return [
        Part(
            f"Intuition {p.fact.number}: {query.told(p.fact.answer)} "
            f"(confidence {p.fact.confidence:.0%}). {p.fact.rationale}",
            p.path,
        )
        for p in given
    ]


def spread(given: Placed[Spread], query: Query) -> Part:
    """Return how far the intuitions are spread."""
    fact = given.fact
    if fact.leading is None or fact.agreement is None:
        return Part("No intuition could be read.", given.path)
    return Part(
        f"Of {fact.n} intuitions {fact.agreement:.0%} say {query.told(fact.leading)}; their mean "
        f"confidence is {fact.confidence_mean:.0%}. The less they agree, the more needs verifying.",
        given.path,
    )


def planner(*, replan: bool, intuitive: bool) -> Part:
    """Return the Planner's charge."""
    if replan:
        look = (
            "The plan before this one was discarded for the Judge's reasons above. First name the "
            "claims that failed as contradictions"
        )
    elif intuitive:
        look = (
            "First name the contradictions between the intuitions above: where they differ in "
            "answer, in a fact or in a reason. None if there is none"
        )
    else:
        look = "First name the points at which answers to this question may contradict each other"
    return Part(
        f"You are the planner. You write no answer. {look}. Then give the verification steps that "
        "settle what is uncertain; assume no fact that is in doubt. Then give the plan: two to "
        "six steps, the verification steps in their place among them. One sentence each.\n\n"
        "Keys: contradictions (list), verifications (list), steps (list)."
    )


def plan(given: Placed[Planned]) -> Part:
    """Return pi."""
    fact = given.fact
    lines = ["The plan:", *(f"{n}. {step}" for n, step in enumerate(fact.steps, 1))]
    if fact.verifications:
        lines += ["To be verified:", *(f"- {step}" for step in fact.verifications)]
    if fact.contradictions:
        lines += ["Contradictions found:", *(f"- {one}" for one in fact.contradictions)]
    return Part("\n".join(lines), given.path)


def _answer_keys(query: Query) -> str:
    kind = "the letter of your option" if query.options else "a few words"
    return f"Keys: text, answer ({kind})."


def multi_proposer(lens: str, query: Query, words: int) -> Part:
    """Return the charge of one lens of the MultiProposer."""
    return Part(
        f"You are a proposer. Draft an answer along the plan, with reasons, in at most {words} "
        f"words. {LENSES[lens]}\n\n{_answer_keys(query)}"
    )


def drafts(given: Iterable[Placed[Drafted]], query: Query) -> list[Part]:
    """Return the lenses' drafts."""
    return [
        Part(f"The {p.fact.lens} draft: {p.fact.text}\nAnswer: {query.told(p.fact.answer)}", p.path)
        for p in given
    ]


def synthesizer(query: Query, words: int, *, lenses: bool) -> Part:
    """Return the Synthesizer's charge."""
    task = (
        "Reconcile the drafts above into one: keep what they agree on, resolve contradictions by "
        "the strength of the evidence, not by number, and take in what only one of them saw"
        if lenses
        else "Draft the answer along the plan"
    )
    return Part(
        f"You are the synthesizer. {task}. At most {words} words, with reasons.\n\n"
        f"{_answer_keys(query)}"
    )


def draft(given: Placed[DraftMade], query: Query) -> Part:
    """Return d(t)."""
    fact = given.fact
    return Part(f"The draft: {fact.text}\nIts answer: {query.told(fact.answer)}", given.path)


def skeptic(most: int) -> Part:
    """Return the Skeptic's charge: the four dimensions of section 3.4."""
    return Part(
        f"You are the skeptic. Question this draft with one to {most} questions, along these "
        "dimensions:\n"
        "- factual: numerical claims, statistics, stated facts\n"
        "- logical: contradictions, steps that do not follow\n"
        "- causal: oversimplified causes and effects\n"
        "- adversarial: its core assumptions\n"
        "For each give the dimension, the claim of the draft that you doubt, as a sentence that "
        "can be checked by itself (at most 25 words), the question, and its priority.\n\n"
        "Keys: questions (list of objects with dimension, claim, question, priority: high, medium "
        "or low)."
    )


def skeptic_consulted(given: Placed[DraftMade], query: Query) -> str:
    """Return what a human who plays the Skeptic is asked."""
    return (
        f"{query}\n\n{draft(given, query).text}\n\n"
        "You are the Skeptic. Which claims of this draft do you doubt? One a line; you may begin a "
        "line with factual:, logical:, causal: or adversarial:. Nothing at all lets the draft be "
        "judged unexamined, so that it cannot be accepted."
    )


def questions(given: Placed[Questioned]) -> Part:
    """Return Q_ver as the Responder reads it."""
    lines = [
        f"{q.number}. ({q.dimension}, {q.priority}) {q.claim} {q.question}"
        for q in given.fact.questions
    ]
    return Part("\n".join(["Questions on the draft:", *lines]), given.path)


def responder(count: int) -> Part:
    """Return the Responder's charge."""
    return Part(
        "You are the responder. Justify the draft against each question from what you know: lay "
        "open the chain of reasons, also where it is weak. At most 40 words each, then how sure "
        "you are in percent.\n\n"
        f"Keys: {', '.join(f'q{n}' for n in range(1, count + 1))}, each an object with "
        "justification and confidence (0 to 100)."
    )


def claim(given: Placed[Questioned], asked: Question) -> Part:
    """Return one claim as the Researcher reads it before it reads anything else."""
    return Part(f"The claim: {asked.claim}\nThe doubt: {asked.question}", given.path)


def passages(found: Sequence[dict[str, JSON]]) -> list[Part]:
    """Return the passages that a search found, numbered, each with its id as source."""
    return [
        Part(f"Passage {n} [{hit['passage']}]: {str(hit['text']).strip()}", str(hit["passage"]))
        for n, hit in enumerate(found, 1)
    ]


def nothing_found(path: str) -> Part:
    """Return that a search found nothing."""
    return Part("The search for this claim found no passage.", path)


def researcher(*, cite: bool) -> Part:
    """Return the Researcher's charge for one claim; with `cite`, from passages by number."""
    known = (
        "from the passages alone. First give the numbers of those that bear on it, if any do"
        if cite
        else "from what you know"
    )
    keys = "passages (list of numbers), " if cite else ""
    return Part(
        f"You are the researcher. Check the claim below by itself, {known}. Give the evidence in "
        "at most 40 words, then a verdict: supported, refuted, or unknown where the evidence does "
        "not settle it, then how sure you are in percent.\n\n"
        f"Keys: {keys}evidence, verdict, confidence (0 to 100)."
    )


def findings(given: Sequence[Evidence]) -> list[Part]:
    """Return the Researcher's own findings."""
    return [
        Part(
            f"Finding {n}. {one.claim} {one.verdict.capitalize()} "
            f"(confidence {one.confidence:.0%}). {one.evidence}",
            one.probed,
        )
        for n, one in enumerate(given, 1)
    ]


def defences(given: Placed[Defended]) -> Part:
    """Return A_int, with the Responder's confidence."""
    lines = [
        f"To question {d.number} (confidence {d.confidence:.0%}): {d.justification}"
        for d in given.fact.defences
    ]
    return Part("\n".join(["The responder's justifications:", *lines]), given.path)


def contrast(count: int) -> Part:
    """Return the Researcher's second charge: contrast and calibrate."""
    return Part(
        "You are the researcher. Hold each of your findings against the responder's "
        "justifications: a note of at most 25 words, whether they agree (agrees, contradicts, or "
        "unaddressed), and how sure of the finding you are now in percent. A justification is an "
        "argument, not evidence: do not follow it because it is sure of itself.\n\n"
        f"Keys: {', '.join(f'f{n}' for n in range(1, count + 1))}, each an object with note, "
        "agreement, confidence (0 to 100)."
    )


def evidence(given: Placed[EvidenceReported]) -> Part:
    """Return E_t."""
    if not given.fact.findings:
        return Part("Evidence report: no claim of this draft was examined.", given.path)
    lines = ["Evidence report:"]
    for number, found in enumerate(given.fact.findings, 1):
        cited = f" [{', '.join(found.passages)}]" if found.passages else ""
        lines.append(
            f"{number}. {found.claim} {found.verdict.capitalize()} "
            f"(confidence {found.confidence:.0%}). {found.evidence}{cited}"
        )
        if found.agreement == "contradicts":
            lines.append("   The draft's defence contradicts this.")
    return Part("\n".join(lines), given.path)


def judge() -> Part:
    """Return the Judge's charge."""
    return Part(
        "You are the judge. Rate the draft against the plan and the evidence report, each from 1 "
        "(poor) to 5 (flawless):\n"
        "- factual: what it states agrees with the evidence; at most 3 if a claim is refuted\n"
        "- coherence: its reasons follow from each other and lead to its answer\n"
        "- completeness: every step of the plan is carried out\n"
        "- neutrality: no side is favored without evidence\n"
        "First give feedback in at most 40 words: what must change, and why. Then the four "
        "scores, then the verdict: accept (nothing must change), reject (the draft can be "
        "mended), or replan (the plan itself is wrong).\n\n"
        "Keys: feedback, factual, coherence, completeness, neutrality, verdict."
    )


def feedback(given: Placed[Judged]) -> Part:
    """Return f, the Judge's reasoning feedback."""
    fact = given.fact
    if fact.said is None:
        return Part("The judge's verdict could not be read.", given.path)
    scores = ("factual", "coherence", "completeness", "neutrality")
    told = ", ".join(f"{name} {getattr(fact, name)}" for name in scores)
    why = f" {OVERRULED[fact.contradiction]}" if fact.overruled else ""
    return Part(f"The judge's feedback ({told}): {fact.feedback}{why}", given.path)


def reviser(query: Query, words: int) -> Part:
    """Return the charge of who revises a rejected draft."""
    return Part(
        "You are the reviser. Revise the draft so that it agrees with the evidence report and "
        "meets the judge's feedback; change nothing else. Change the answer only if the evidence "
        f"is against it. At most {words} words.\n\n{_answer_keys(query)}"
    )


def stylist(words: int) -> Part:
    """Return the Stylist's charge."""
    return Part(
        "You are the stylist. Make the draft's text fluent and easy to read. Change no fact, "
        "number, name, option, negation or conclusion, add none and drop none. At most "
        f"{words + words // 4} words.\n\nKeys: text."
    )
