"""Versions: which document supersedes which, and which passage which."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.knowledge.corpus import Corpus
from workbench.knowledge.heads import Head, head_of, is_head_line
from workbench.knowledge.lineage import Replacement, changes
from workbench.knowledge.order import is_draft
from workbench.knowledge.versions import Supersession, Versions, duplicates, versions_of

Write = Callable[[Mapping[str, str | bytes]], Path]

RULES = "Staff have {n} days of leave in each year, which the line manager grants."


def found(root: Path) -> Versions:
    """Return the versions in a folder."""
    corpus = Corpus.read(root)
    return versions_of(corpus.documents, corpus.passages)


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("# A\n\nVersion: v2.1\n", Head(version="2.1")),
        ("# A\n\n**Version:** 3\n", Head(version="3")),
        ("# A\n\nEffective from: 2025-04-01 | Owner: X\n", Head(date="2025-04-01")),
        ("# A\n\nDate: March 5, 2024\n", Head(date="2024-03-05")),
        ("Supersedes: a.md; b.md\n", Head(supersedes=("a.md", "b.md"))),
        ("Superseded by: `c.md`\n", Head(superseded_by=("c.md",))),
        ("Replaces: nothing\n", Head()),
        ("# A\n\nVersion: 1 | Applies to: Berlin\n", Head(version="1", applies_to="Berlin")),
        ("# A\n\n## B\n\nVersion: 2\n", Head()),
        ("Date: 5 Nonember 2024\n", Head(unread="5 Nonember 2024")),
        ("Date: 30 February 2024\n", Head(unread="30 February 2024")),
        ("Date: 01/03/2024\n", Head(unread="01/03/2024")),
        ("Date: 01.03.2024\n", Head(unread="01.03.2024")),
        ("Date: March 2024\n", Head(unread="March 2024")),
        ("Date: 1 Mar 2024\n", Head(date="2024-03-01")),
        ("Date: 1st of March 2024\n", Head(date="2024-03-01")),
        ("Date: 2nd Sept. 2024\n", Head(date="2024-09-02")),
        ("Date: Mar. 1st, 2024\n", Head(date="2024-03-01")),
        ("The version: two of them were lost on the way.\n", Head()),
    ],
)
def test_heads(text: str, head: Head) -> None:
    """Fields are read in the first lines, up to the second heading."""
    assert head == head_of(text)


@given(st.text(max_size=80))
def test_any_line_has_a_head(text: str) -> None:
    """No text is a reason to fail."""
    head_of(text)
    is_head_line(text)


def test_a_stated_order(folder: Write) -> None:
    """A head names what it replaces: by id, name or title."""
    for name in ("people/old.md", "old.md", "old", "Leave, version 1"):
        told = found(
            folder(
                {
                    "people/old.md": "# Leave\n\nVersion: 1\n\n" + RULES.format(n=25),
                    "people/new.md": f"# Holidays\n\nReplaces: {name}\n\n" + RULES.format(n=27),
                }
            )
        )

        assert (Supersession("people/new.md", "people/old.md", "stated"),) == told.supersessions
        assert ("people/new.md#p1",) == told.newer("people/old.md#p1")
        assert ("people/old.md#p1",) == told.older("people/new.md#p1")
        assert not told.in_force("people/old.md")
        assert told.in_force("people/new.md#p1")
        assert () == told.problems


def test_orders_that_follow_from_titles_and_names(folder: Write) -> None:
    """One title and two versions, or a version mark in the name; years in names say nothing."""
    told = found(
        folder(
            {
                "a/x.md": "# Fire\n\nVersion: 9\n\nGo out.",
                "b/y.md": "# Fire\n\nVersion: 10\n\nGo out.",
                "c/z.md": "# Fire\n\nGo out.",
                "leave_v1.md": "# Once\n\nText.",
                "leave_v2.md": "# Twice\n\nText.",
                "report_2023.md": "# Report of 2023\n\nText.",
                "report_2024.md": "# Report of 2024\n\nText.",
            }
        )
    )

    assert (
        Supersession("b/y.md", "a/x.md", "title"),
        Supersession("leave_v2.md", "leave_v1.md", "name"),
    ) == told.supersessions


def test_two_dates_are_not_two_versions(folder: Write) -> None:
    """Minutes of two meetings stand beside each other; a text that was revised does not."""
    rule = "# Travel\n\nDate: 1 May 202{n}\n\nStaff who drive are paid {n} pence for a mile."
    told = found(
        folder(
            {
                "m1.md": "# Minutes\n\nDate: 1 May 2024\n\nAda showed the plan; Bo had doubts.",
                "m2.md": "# Minutes\n\nDate: 1 June 2024\n\nThe roof leaks and Cy will see to it.",
                "t1.md": rule.format(n=4),
                "t2.md": rule.format(n=5),
            }
        )
    )

    assert (Supersession("t2.md", "t1.md", "title"),) == told.supersessions


def test_a_chain_is_followed(folder: Write) -> None:
    """What the second version replaced, the third one replaces too."""
    told = found(folder({f"leave_v{n}.md": f"# Leave\n\n{RULES.format(n=n)}" for n in (1, 2, 3)}))

    assert ("leave_v2.md#p1", "leave_v3.md#p1") == told.newer("leave_v1.md#p1")
    assert ("leave_v1.md#p1", "leave_v2.md#p1") == told.older("leave_v3.md#p1")


def leave(**heads: str) -> dict[str, str]:
    """Return documents of one title and mostly one text, with these heads."""
    return {
        f"{name}.md": f"# Leave\n\n{head}\n\n" + RULES.format(n=n) + f" See {name}."
        for n, (name, head) in enumerate(heads.items(), 20)
    }


def pairs(told: Versions) -> set[tuple[str, str]]:
    """Return what supersedes what, without the endings of names."""
    return {
        (one.new.removesuffix(".md"), one.old.removesuffix(".md")) for one in told.supersessions
    }


def test_every_earlier_version_is_superseded(folder: Write) -> None:
    """Not only the neighbour: two documents of one version both give way to the next one."""
    told = found(folder(leave(a="Version: 1", b="Version: 1", c="Version: 2", d="Version: 3")))

    assert {("c", "a"), ("c", "b"), ("d", "a"), ("d", "b"), ("d", "c")} == pairs(told)
    assert ("c.md#p1", "d.md#p1") == told.newer("a.md#p1")
    assert ["d.md"] == [id for id in ("a.md", "b.md", "c.md", "d.md") if told.in_force(id)]
    assert () == told.problems


def test_what_the_second_version_leaves_out_the_third_replaces(folder: Write) -> None:
    """The newest version replaces passages of the first one even where none is between them."""
    rule = "## Pay\n\nPay is {n} pounds an hour for all who work on a Sunday in the museum shop."
    rest = "## Days\n\n" + RULES.format(n=20) + " " + "Ask the office for the form of it. " * 9
    told = found(
        folder(
            {
                f"x{n}.md": f"# Rules\n\nVersion: {n}\n\n{rest}"
                + ("" if n == 2 else "\n\n" + rule.format(n=n) * 9)
                for n in (1, 2, 3)
            }
        )
    )

    assert "x3.md#p2" in told.newer("x1.md#p2")


def test_documents_that_apply_to_different_things_are_not_versions(folder: Write) -> None:
    """A site's version 3 does not supersede another site's version 2."""
    heads = {"a": "Applies to: Berlin", "b": "Applies to: London", "c": "Applies to: berlin"}
    for key, first in (("Version", "{}"), ("Date", "200{}-01-01")):
        told = found(
            folder(
                leave(
                    **{
                        id: f"{key}: {first.format(n)} | {scope}"
                        for n, (id, scope) in enumerate(heads.items(), 1)
                    }
                )
            )
        )

        assert {("c", "a")} == pairs(told)
        assert () == told.problems


def test_versions_with_few_common_words_are_told(folder: Write) -> None:
    """One title and two versions of two texts: neither supersedes, and that is said."""
    told = found(
        folder(
            {
                "berlin/x.md": "# Leave\n\nVersion: 2\n\nIn Berlin leave is 30 days.",
                "london/x.md": "# Leave\n\nVersion: 3\n\nStaff of the shop get 25; ask its lead.",
            }
        )
    )

    assert set() == pairs(told)
    (problem,) = told.problems
    assert problem == (
        "berlin/x.md (version 2) and london/x.md (version 3) have one title, and few words are "
        "common to both: neither is taken to supersede the other"
    )


@pytest.mark.parametrize(
    ("one", "other", "is_told"),
    [
        ("Version: 2", "Version: 2.0", False),
        ("Version: v1", "Version: 1.0.0", False),
        ("Version: 2019", "Version: 3", True),
        ("Version: A", "Version: B", True),
        ("Version: 1", "Date: 2024-01-01", True),
        ("Version: 31.12.2023", "Version: 01.02.2024", True),
        ("Version: 31.12.23", "Version: 01.02.24", True),
        ("Version: 12/2023", "Version: 01/2024", True),
        ("Version: 2 January 2024", "Version: 1 March 2025", True),
        ("Version: 30 June 2023", "Version: 1 July 2024", True),
    ],
)
def test_versions_without_an_order(folder: Write, one: str, other: str, is_told: bool) -> None:
    """One version in two spellings is one; what cannot be put in order is told."""
    told = found(folder(leave(a=one, b=other)))

    assert set() == pairs(told)
    assert is_told == any("neither is taken to supersede" in text for text in told.problems)
    assert told.in_force("a.md")
    assert told.in_force("b.md")


def test_years_and_parts_of_numbers_are_in_order(folder: Write) -> None:
    """1.10 is after 1.9, and 2020 after 2019."""
    for one, other in (("1.9", "1.10"), ("2019", "2020"), ("2019-12", "2020-02")):
        told = found(folder(leave(a=f"Version: {one}", b=f"Version: {other}")))

        assert {("b", "a")} == pairs(told)


def test_a_stated_order_settles_what_versions_do_not(folder: Write) -> None:
    """What a head says needs no order of numbers, and nothing is left open."""
    told = found(folder(leave(a="Version: 2019", b="Version: 3 | Replaces: a.md")))

    assert ({("b", "a")}, ()) == (pairs(told), told.problems)


def test_a_year_among_the_marks_of_names_is_told(folder: Write) -> None:
    """leave_v2019 and leave_v3 are in no order."""
    told = found(folder({"leave_v2019.md": "# One\n\nText.", "leave_v3.md": "# Two\n\nText."}))

    assert set() == pairs(told)
    assert "leave_v2019.md and leave_v3.md have no order" in told.problems[0]


@pytest.mark.parametrize("name", ["driver", "server_", "river-", "ipv", "nov", "cover"])
def test_a_mark_is_no_part_of_a_word(folder: Write, name: str) -> None:
    """The second driver is no second version of a "dri"."""
    told = found(folder({f"{name}{n}.md": f"# {name} {n}\n\nText." for n in (4, 6)}))

    assert (set(), ()) == (pairs(told), told.problems)


@pytest.mark.parametrize(
    "head",
    [
        "Version: 3 | Status: draft",
        "Version: 3 | Status: withdrawn",
        "Version: 3 (draft, not in force)",
        "Version: 3-rc1",
        "Status: Draft | Replaces: a.md",
    ],
)
def test_a_draft_supersedes_nothing(folder: Write, head: str) -> None:
    """What is not in force takes no place, by head, title or name; the next in force does."""
    told = found(folder(leave(a="Version: 2 | Status: in force", b=head)))

    assert set() == pairs(told)
    (problem,) = told.problems
    assert problem.startswith("b.md is not in force (")

    told = found(folder({"x_v1.md": "# One\n\nText.", "x_v2.md": f"# Two\n\n{head}\n\nText."}))

    assert set() == pairs(told)

    told = found(folder(leave(a="Version: 2", b=head, c="Version: 4", d="Version: 5-beta")))

    assert ("c", "a") in pairs(told)


def test_heads_count_before_names(folder: Write) -> None:
    """A name that says otherwise is not followed, and that is told."""
    for key, old, new in (("Date", "2025-01-01", "2020-01-01"), ("Version", "3", "2")):
        told = found(
            folder(
                {
                    "leave_v1.md": f"# Leave\n\n{key}: {old}\n\nText.",
                    "leave_v2.md": f"# Leave rules\n\n{key}: {new}\n\nText.",
                }
            )
        )

        assert set() == pairs(told)
        assert told.problems[0].startswith("leave_v2.md is later than leave_v1.md by its name and")


def test_hundreds_of_one_title_are_told_in_a_few_lines(folder: Write) -> None:
    """What is left open is bounded, and says that there is more."""
    told = found(folder(leave(**{f"x{n}": f"Version: {'ABC'[n % 3]}" for n in range(60)})))

    assert 11 == len(told.problems)
    assert told.problems[-1].endswith("more pairs of this title")


@pytest.mark.parametrize(
    ("heads", "problem"),
    [
        (("Replaces: nowhere.md", ""), "a.md says that it supersedes 'nowhere.md', which names no"),
        (("Replaces: b.md", "Replaces: a.md"), "a.md and b.md supersede each other: neither is"),
        (("Superseded by: a.md", ""), "a.md says that it is superseded by 'a.md', which names no"),
    ],
)
def test_what_cannot_be_followed_is_told(
    folder: Write, heads: tuple[str, str], problem: str
) -> None:
    """An unknown name or a circle is a problem, and changes nothing."""
    files = zip(("a.md", "b.md"), heads, strict=True)
    told = found(folder({name: f"# {name}\n\n{head}\n\nText." for name, head in files}))

    assert () == told.supersessions
    assert told.problems[0].startswith(problem)


def test_passages_are_aligned(folder: Write) -> None:
    """Kept, changed, new and dropped sections are told apart; what is dropped is not in force."""
    old = {
        "Days": "Staff have twenty-five days of leave in a year and no more than that, ever.",
        "Holidays": "Public holidays come on top of all this, whichever day of the week it is.",
        "Closing": "The offices close at the end of December, and everyone keeps three days.",
    }
    new = {
        "Days": "Staff have twenty-seven days of leave in a year and more after three of them.",
        "Holidays": old["Holidays"],
        "Illness": "Whoever falls ill gets those days back on showing a certificate to us.",
    }

    def page(version: int, sections: Mapping[str, str]) -> str:
        body = "\n\n".join(f"## {title}\n\n{(text + ' ') * 3}" for title, text in sections.items())
        return f"# Leave\n\nVersion: {version}\n\n{body}"

    told = found(folder({"one.md": page(1, old), "two.md": page(2, new)}))

    assert (
        Replacement("two.md#p1", "one.md#p1", "changed"),
        Replacement("two.md#p2", "one.md#p2", "same"),
        Replacement("two.md", "one.md#p3", "dropped"),
    ) == told.replacements
    assert ("two.md",) == told.newer("one.md#p3")
    assert () == told.older("two.md#p3")
    assert ("one.md",) == told.older("two.md")


@pytest.mark.parametrize("date", ["1 Mar 2025", "1st March 2025", "March 1, 2025", "2025-03-01"])
def test_usual_dates_put_documents_in_order(folder: Write, date: str) -> None:
    """What can be meant in one way is read."""
    body = f"\n\n{RULES.format(n=20)}"
    told = found(
        folder(
            {
                "a.md": f"# Leave\n\nIn force from: 1 March 2024{body}",
                "b.md": f"# Leave\n\nIn force from: {date}{body}",
            }
        )
    )

    assert (Supersession("b.md", "a.md", "title"),) == told.supersessions
    assert ("2025-03-01", ()) == (told.labels["b.md"], told.problems)


@pytest.mark.parametrize("date", ["01/03/2025", "01.03.2025", "March 2025", "next spring"])
def test_a_date_that_cannot_be_read_is_told(folder: Write, date: str) -> None:
    """It is never dropped without a word."""
    told = found(folder({"a.md": f"# Leave\n\nIn force from: {date}\n\n{RULES.format(n=20)}"}))

    assert (
        f"a.md has a date that cannot be read as one day ({date}): write it as 2024-03-01",
    ) == (told.problems)


@pytest.mark.parametrize(
    "status",
    [
        "archived",
        "Superseded by X",
        "**withdrawn**",
        "draft",
        "replaced",
        "revoked",
        "expired in 2024",
    ],
)
def test_what_is_not_in_force_supersedes_nothing(folder: Write, status: str) -> None:
    """A number that is higher does not bring it back."""
    body = f"\n\n{RULES.format(n=20)}"
    told = found(
        folder(
            {
                "a.md": f"# Leave\n\nVersion: 1{body}",
                "b.md": f"# Leave\n\nVersion: 2\nStatus: {status}{body}",
            }
        )
    )

    assert ((), 1) == (told.supersessions, len(told.problems))


def test_a_chain_of_superseded_documents_holds(folder: Write) -> None:
    """The middle one is not in force, and the first one is not because of that."""
    told = found(
        folder(
            {
                "a.md": "# A\n\nOne.",
                "b.md": "# B\n\nStatus: superseded\nReplaces: a.md\n\nTwo.",
                "c.md": "# C\n\nReplaces: b.md\n\nThree.",
            }
        )
    )

    assert ("b.md", "c.md") == told.newer("a.md")
    assert () == told.problems


@pytest.mark.parametrize("length", [4, 6])
def test_a_chain_may_be_long(folder: Write, length: int) -> None:
    """Only the last document is in force, though every one before it says that it is not."""
    files = {
        f"{n}.md": f"# Leave {n}\n\nStatus: superseded\nSuperseded by: {n + 1}.md\n\nText {n}."
        for n in range(1, length)
    }
    told = found(folder(files | {f"{length}.md": f"# Leave {length}\n\nStatus: in force\n\nText."}))

    ids = [f"{n}.md" for n in range(1, length + 1)]
    assert [f"{length}.md"] == [id for id in ids if not told.newer(id)]
    assert () == told.problems


@pytest.mark.parametrize("status", ["archived", "draft"])
def test_a_stated_supersession_is_never_dropped_without_a_word(folder: Write, status: str) -> None:
    """The one in the middle is superseded by its title, and what it says of another is told."""
    body = f"\n\n{RULES.format(n=20)}"
    told = found(
        folder(
            {
                "a.md": f"# Holiday rules{body}",
                "b.md": f"# Leave\n\nVersion: 2\nStatus: {status}\nSupersedes: a.md{body}",
                "c.md": f"# Leave\n\nVersion: 3{body}",
            }
        )
    )

    assert (Supersession("c.md", "b.md", "title"),) == told.supersessions
    assert (f"b.md is not in force ({status}): it supersedes nothing",) == told.problems


@pytest.mark.parametrize(
    "status",
    [
        "In force until superseded",
        "In force until revoked",
        "Valid until withdrawn",
        "Approved - no longer a draft",
        "in force; the draft is archived",
    ],
)
def test_a_status_is_what_it_begins_with(folder: Write, status: str) -> None:
    """What may come of a document later is not what it is."""
    body = f"\n\n{RULES.format(n=20)}"
    told = found(
        folder(
            {
                "a.md": f"# Leave\n\nVersion: 1{body}",
                "b.md": f"# Leave\n\nVersion: 2\nStatus: {status}{body}",
            }
        )
    )

    assert ((Supersession("b.md", "a.md", "title"),), ()) == (told.supersessions, told.problems)


def test_duplicates(folder: Write) -> None:
    """Documents of one content are named together."""
    corpus = Corpus.read(folder({"a.md": "One.", "b/a.md": "One.\r\n", "c.md": "Two."}))

    assert (("a.md", "b/a.md"),) == duplicates(corpus.documents)


def test_changes_of_a_corpus(folder: Write) -> None:
    """What no longer reads as it did is named by passage."""
    before = Corpus.read(folder({"a.md": "One.", "b.md": "Two.", "c.md": "Three."}))
    root = folder({"b.md": "Other.", "d.md": "Four."})
    (root / "c.md").unlink()
    told = changes(before, Corpus.read(root))

    assert (("d.md",), ("c.md",), ("b.md",)) == (
        told.documents.added,
        told.documents.removed,
        told.documents.changed,
    )
    assert (("b.md#p1", "c.md#p1"), 1) == (told.passages, told.kept)
    assert str(told).startswith("added: d.md\nremoved: c.md\nchanged: b.md\nno longer reads")
    assert "nothing changed: 3 passages as they were" == str(changes(before, before))


def test_many_versions() -> None:
    """Hundreds of stated orders are followed at once, not each over all others."""
    from workbench.knowledge.documents import Document

    documents = [
        Document(id=f"{n}.md", title=f"T{n}", text=f"Replaces: {n - 1}.md\n", sha256=str(n))
        for n in range(1, 401)
    ]
    told = versions_of(documents)

    assert 399 == len(told.older("400.md"))
    assert 1 == len(told.problems)


@pytest.mark.parametrize(
    ("status", "draft"),
    [
        ("draft", True),
        ("Draft of May", True),
        ("withdrawn in 2024", True),
        ("archived", True),
        ("Superseded", True),
        ("current, supersedes version 1", False),
        ("in force (final, no longer a draft)", False),
        ("in force; no longer a draft", False),
        ("approved, replaces draft of May", False),
    ],
)
def test_a_status_says_first_what_it_is(status: str, draft: bool) -> None:
    """What follows in brackets or behind a comma is about something else."""
    assert draft is is_draft(head_of(f"# T\n\nStatus: {status}\n\nWords."))
