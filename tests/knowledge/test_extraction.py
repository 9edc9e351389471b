"""Rule-based extraction: statements, types, terms, dependencies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.knowledge.claims import CLAIM_TYPES, Structure
from workbench.knowledge.corpus import Corpus
from workbench.knowledge.extraction import claim_type, defined, extract
from workbench.knowledge.references import sections
from workbench.knowledge.statements import statements
from workbench.knowledge.terms import Mentions, Term, abbreviations, term_id
from workbench.knowledge.versions import versions_of

Write = Callable[[Mapping[str, str | bytes]], Path]


def structure(root: Path) -> Structure:
    """Return the structure of a folder."""
    corpus = Corpus.read(root)
    return extract(corpus, versions_of(corpus.documents, corpus.passages))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Therefore two people sign.", "structural_consequence"),
        ("The gate is shut, so that nobody falls.", "structural_consequence"),
        ("Pay is the same regardless of grade.", "independence_confirmation"),
        ("The list does not depend on who was used last.", "independence_confirmation"),
        ("Bills are paid provided that the goods were checked.", "load_bearing_assumption"),
        ("It lapses unless we confirm it.", "load_bearing_assumption"),
        ("Unlike staff, guests wait.", "differentiating"),
        ("Food is allowed outside but not inside.", "differentiating"),
        ("The desk opens at nine.", "mechanistic"),
        ("The exception is thusly named.", "mechanistic"),
    ],
)
def test_types(text: str, kind: str) -> None:
    """Words tell the type; without them a statement says how it goes."""
    assert kind == claim_type(text)[0]


@pytest.mark.parametrize(
    ("raw", "heading", "name"),
    [
        ("A long loan means a loan of six months.", "", "long loan"),
        ("The term \u201clong loan\u201d means six months.", "", "long loan"),
        ('"Long loan" is defined as six months.', "", "Long loan"),
        ("- **Duty manager**: who is in charge.", "", "Duty manager"),
        ("**Duty manager** is the one in charge.", "", "Duty manager"),
        ("- Duty manager: who is in charge.", "Words > Glossary", "Duty manager"),
        ("- Duty manager: who is in charge.", "Rota", ""),
        ("**Note** the desk is closed.", "", ""),
        ("What follows from all of these many rules means a lot.", "", ""),
    ],
)
def test_definitions(raw: str, heading: str, name: str) -> None:
    """A definition names its term."""
    assert name == defined(raw, heading)[0]


def test_statements_have_their_places() -> None:
    """A list's item has the words that lead to it; head, questions and table heads say nothing."""
    text = (
        "# Meals\n\nVersion: 2 | Owner: Finance\n\nMay I claim it? We pay for:\n\n"
        "- lunch on trips\n- supper after 8 pm\n\n"
        "| what | limit |\n|---|---|\n| lunch | 12 pounds |\n\n1. Ask us first. Then pay for it.\n"
    )
    told = list(statements(text))

    assert [
        "We pay for: lunch on trips",
        "We pay for: supper after 8 pm",
        "lunch; 12 pounds",
        "Ask us first.",
        "Then pay for it.",
    ] == [one.text for one in told]
    assert ["We pay for:", "- lunch on trips"] == [text[a:b] for a, b in told[0].spans][-2:]


@given(st.text(alphabet="ab .:|-*#?\n1\u00e9", max_size=120))
def test_any_text_has_statements(text: str) -> None:
    """Whatever the text, each span is what it says."""
    for one in statements(text):
        assert text[slice(*one.spans[-1])] == one.raw


@given(st.text(max_size=40))
def test_term_ids_are_canonical(text: str) -> None:
    """Case, articles and spacing do not matter."""
    assert term_id(text) == term_id(f"the  {text} ") or not term_id(text).removeprefix("term:")


def test_mentions_take_the_longest() -> None:
    """A longer term hides the shorter one in it; plurals and abbreviations count."""
    mentions = Mentions(
        [
            Term(id="term:loan", label="loan"),
            Term(id="term:long-loan", label="Long loan", variants=("LL",)),
        ]
    )

    assert ("term:long-loan",) == mentions("Long loans are inspected.")
    assert ("term:loan", "term:long-loan") == mentions("An LL is a loan.")
    assert () == mentions("Nothing here.")


def test_abbreviations() -> None:
    """Initials must match."""
    assert [("Object Entry Form", "OEF")] == list(
        abbreviations("The Object Entry Form (OEF) and the desk (XYZ).")
    )


def test_evidence_is_verbatim(folder: Write) -> None:
    """Each claim's quotation is in its passage at its place."""
    root = folder(
        {"a.md": "# Pay\n\nPay comes on the *25th* of the month. It is taxed.\n\n- a slip of pay\n"}
    )
    corpus = Corpus.read(root)
    told = extract(corpus)

    assert 3 == len(told.claims)
    for claim in told.claims:
        for at in claim.evidence:
            assert at.quote == corpus.passage(at.passage).text[at.start : at.end]
    assert "Pay comes on the 25th of the month." == told.claims[0].text
    assert corpus.passport.sha256 == told.passport
    assert sum(told.counts().values()) == 3
    assert set(CLAIM_TYPES) == set(told.counts())


def test_dependencies(folder: Write) -> None:
    """Terms, conclusions, links, titles and sections are leaned on; lost ones are told."""
    told = structure(
        folder(
            {
                "words.md": "# Words\n\n## Glossary\n\n- Working day: Monday to Friday.\n",
                "leave.md": (
                    "# Leave\n\n## Asking\n\nRequests are answered within two working days. "
                    "Therefore ask early. Pay is as set out in the Pay rules. "
                    'Illness is treated as described in "Sick notes". '
                    "For dates see [pay](pay.md).\n"
                ),
                "pay.md": '# Pay rules\n\n## Dates\n\nPay comes monthly, see "Asking".\n',
            }
        )
    )
    texts = {claim.id: claim.text for claim in told.claims}
    leans = {(texts[d.claim].split()[0], d.kind, texts[d.on].split()[0]) for d in told.dependencies}

    assert {
        ("Requests", "uses_term", "Working"),
        ("Therefore", "follows_from", "Requests"),
        ("Pay", "refers_to", "Pay"),
        ("For", "refers_to", "Pay"),
    } <= leans
    assert ["Sick notes"] == [one.reference for one in told.dangling]
    assert {"leave.md#p1", "pay.md#p1"} <= {claim.passage for claim in told.claims}


def test_a_reference_means_the_document_in_force(folder: Write) -> None:
    """Of two versions with one title, the newer is meant."""
    told = structure(
        folder(
            {
                "a.md": "# Start\n\nPay is as set out in the Pay rules, always.",
                "pay_v1.md": "# Pay rules\n\nPay comes weekly on Fridays.",
                "pay_v2.md": "# Pay rules\n\nPay comes monthly on Mondays.",
            }
        )
    )

    assert ["pay_v2.md#p1/c1"] == [d.on for d in told.dependencies]


def test_a_structure_is_addressed_by_its_digest(folder: Write) -> None:
    """The same corpus gives the same digest, another word another one; JSON brings it back."""
    told = structure(folder({"a.md": "The desk opens at nine."}))

    assert told.digest == Structure.model_validate_json(told.model_dump_json()).digest
    assert told.digest != structure(folder({"a.md": "The desk opens at ten."})).digest
    assert str(told).startswith("1 claims (1 mechanistic), 0 terms, 0 dependencies")
    assert told.claims == told.of_passage("a.md#p1")


@pytest.mark.parametrize(
    "text", ["[" * 60_000, "[a](" * 15_000, "(AB)" * 15_000, "# a\n" * 15_000, "*" * 60_000]
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    """No pattern looks at the rest of the text from each place: else this takes hours."""
    found = list(statements(text))
    list(abbreviations(text))
    sections(text)
    defined(text)

    assert all(end <= len(text) for one in found for _, end in one.spans)
