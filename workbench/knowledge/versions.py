"""Versions: which document supersedes which, and which passage of one replaces which of the other.

The paper names temporal conflict ("When Agreement Means Something", section 5.1) and leaves open
how a corpus knows its versions. Decision: from the documents alone, never from a model, by the
first of these rules that applies to a pair:

``stated``
    a document's head says ``Supersedes:`` or ``Replaces:``, or ``Superseded by:``;
``title``
    two documents have one title, both a version or both a date, and words in common (`order`);
``name``
    file names in one folder that differ in a version mark alone: ``leave_v1.md``, ``leave_v2.md``.
    Years are no version mark: the reports of two years are two reports. A mark begins at the start
    of the name, or after a separator or a digit: ``driver2`` is no second version of ``dri``.

Heads count before names: where both give an order and the two differ, the names are not followed.
A draft, or a document that is withdrawn, archived or superseded, supersedes nothing, whatever its
head and name say; but of a chain of documents whose heads name each other all old ones stay so.
That it supersedes nothing is told where a head says that it does; else where it would by title or
name, and nothing supersedes it.

What a head says and the rules cannot follow (an unknown document, a circle, a date that is no day
or may be two, versions that have no order) is a problem that is told; the documents concerned then
stand beside each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from workbench.knowledge.documents import Document
from workbench.knowledge.heads import Head, head_of
from workbench.knowledge.lineage import Replacement, replacements
from workbench.knowledge.order import (
    Order,
    Titled,
    Undecided,
    are_apart,
    head_order,
    is_draft,
    is_past,
    later,
    order_of,
)
from workbench.knowledge.passages import Passage

Rule = Literal["stated", "title", "name"]

MOST_TOLD = 10
"""Pairs of one title without an order that are told one by one."""

_MARK = re.compile(
    r"(?:^|[ _.-]|(?<=\d))(?:v|ver|version|rev|revision)[ _.-]?(\d+(?:[._]\d+)*)$", re.IGNORECASE
)


class Supersession(NamedTuple):
    """One document takes the place of another; `rule` says how that is known."""

    new: str
    old: str
    rule: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions in a corpus.

    Attributes
    ----------
    labels : mapping of str to str
        Document id to its version as its head gives it (``2``, else the date, ISO 8601), or
        ``""``.
    supersessions : tuple of Supersession
        Sorted; never a circle.
    replacements : tuple of Replacement
        The same for passages: which of the older document each of the newer one replaces.
    problems : tuple of str
        What heads say and could not be followed, one sentence each; versions without an order too.
    """

    labels: Mapping[str, str]
    supersessions: tuple[Supersession, ...]
    replacements: tuple[Replacement, ...]
    problems: tuple[str, ...]
    _newer: Mapping[str, tuple[str, ...]]
    _older: Mapping[str, tuple[str, ...]]

    def newer(self, id: str) -> tuple[str, ...]:
        """Return what replaces a document or passage, directly or through others, sorted.

        A passage that the newer document leaves out has that document's id here, so that what is
        not in force always says so.
        """
        return _reached(self._newer, id)

    def older(self, id: str) -> tuple[str, ...]:
        """Return what a document or passage replaces, directly or through others, sorted."""
        return _reached(self._older, id)

    def in_force(self, id: str) -> bool:
        """Return whether nothing replaces a document or passage."""
        return not self._newer.get(id)


def versions_of(documents: Iterable[Document], passages: Iterable[Passage] = ()) -> Versions:
    r"""Find the versions among documents.

    Parameters
    ----------
    documents : iterable of Document
        Of one corpus.
    passages : iterable of Passage
        Of the same; without them only documents are told.

    Returns
    -------
    Versions

    Examples
    --------
    >>> from workbench.knowledge.documents import Document
    >>> def document(id, head):
    ...     return Document(id=id, title="Leave", text=f"# Leave\n\n{head}\n", sha256="")
    >>> found = versions_of([document("a.md", "Version: 1"), document("b.md", "Version: 2")])
    >>> found.supersessions
    (Supersession(new='b.md', old='a.md', rule='title'),)
    """
    known = sorted(documents, key=lambda document: document.id)
    heads = {document.id: head_of(document.text) for document in known}
    problems = [
        f"{id} has a date that cannot be read as one day ({head.unread}): write it as 2024-03-01"
        for id, head in heads.items()
        if head.unread
    ]
    stated = list(_stated(known, heads, problems))
    replaced_too = _replaced(stated, heads)
    drafts = {
        one.new
        for one in stated
        if is_draft(heads[one.new]) and not (is_past(heads[one.new]) and one.new in replaced_too)
    }
    unfollowed = set(drafts)
    found = _without_circles([one for one in stated if one.new not in drafts], problems)
    steps: defaultdict[str, set[str]] = defaultdict(set)
    for one in found:
        steps[one.new].add(one.old)
    spoken_for = {frozenset((one.new, one.old)) for one in stated}
    titled = _by_title(known, heads)
    by_title = [Supersession(*pair, "title") for one in titled.values() for pair in one.later()]
    drafts.update(id for one in titled.values() for id in one.drafts())
    for one in (*by_title, *_by_name(known, heads, problems, spoken_for, drafts)):
        pair = frozenset((one.new, one.old))
        if pair not in spoken_for and one.new not in _reached(steps, one.old):
            spoken_for.add(pair)
            found.append(one)
            steps[one.new].add(one.old)
    for group in titled.values():
        left = (
            two
            for two in group.undecided()
            if frozenset(two[:2]) not in spoken_for
            and two.one not in _reached(steps, two.other)
            and two.other not in _reached(steps, two.one)
        )
        problems += _told(list(islice(left, MOST_TOLD + 1)), heads)
    problems += [
        f"{id} is not in force ({heads[id].status or heads[id].version}): it supersedes nothing"
        for id in sorted(unfollowed | (drafts - {one.old for one in found}))
    ]
    by_document: defaultdict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        by_document[passage.document].append(passage)
    found.sort()
    replaced = tuple(
        replacement
        for one in found
        for replacement in replacements(by_document[one.new], by_document[one.old], one.new)
    )
    of_documents = [(one.new, one.old) for one in found]
    kept = [(one.new, one.old) for one in replaced if one.change != "dropped"]
    dropped = [(one.new, one.old) for one in replaced if one.change == "dropped"]
    return Versions(
        labels={id: head.version or head.date for id, head in heads.items()},
        supersessions=tuple(found),
        replacements=replaced,
        problems=tuple(problems),
        _newer=_grouped((old, new) for new, old in (*of_documents, *kept, *dropped)),
        _older=_grouped((*of_documents, *kept)),
    )


def duplicates(documents: Iterable[Document]) -> tuple[tuple[str, ...], ...]:
    """Return the ids of documents with one text, in groups of two or more, sorted."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for document in documents:
        groups[document.text].append(document.id)
    return tuple(sorted(tuple(sorted(ids)) for ids in groups.values() if len(ids) > 1))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    made: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in pairs:
        made[one].add(other)
    return {id: tuple(sorted(others)) for id, others in made.items()}


def _reached(steps: Mapping[str, Iterable[str]], id: str) -> tuple[str, ...]:
    seen: set[str] = set()
    left = list(steps.get(id, ()))
    while left:
        one = left.pop()
        if one not in seen:
            seen.add(one)
            left += steps.get(one, ())
    return tuple(sorted(seen))


def _replaced(stated: Sequence[Supersession], heads: Mapping[str, Head]) -> set[str]:
    """Return what a document in force replaces, and what each of those had replaced before."""
    found: set[str] = set()
    left = [one.old for one in stated if not is_draft(heads[one.new])]
    while left:
        old = left.pop()
        if old not in found:
            found.add(old)
            left += [one.old for one in stated if one.new == old and is_past(heads[old])]
    return found


def _stated(
    documents: Sequence[Document], heads: Mapping[str, Head], problems: list[str]
) -> Iterable[Supersession]:
    names = _names(documents, heads)
    for document in documents:
        head = heads[document.id]
        for text, is_newer in (
            *((text, True) for text in head.supersedes),
            *((text, False) for text in head.superseded_by),
        ):
            other = _named(text, document.id, names)
            if other is None:
                what = "supersedes" if is_newer else "is superseded by"
                problems.append(
                    f"{document.id} says that it {what} {text!r}, which names no other document "
                    "of this corpus, or several"
                )
            elif is_newer:
                yield Supersession(document.id, other, "stated")
            else:
                yield Supersession(other, document.id, "stated")


def _names(documents: Sequence[Document], heads: Mapping[str, Head]) -> dict[str, set[str]]:
    """All that a document may be called in a head, and who is called that."""
    names: defaultdict[str, set[str]] = defaultdict(set)
    for document in documents:
        path = PurePosixPath(document.id)
        version = heads[document.id].version
        for name in (
            document.id,
            path.name,
            path.stem,
            document.title,
            *((f"{document.title} version {version}",) if version else ()),
        ):
            names[_plain(name)].add(document.id)
    return names


def _plain(name: str) -> str:
    return " ".join(re.findall(r"[\w./]+", name.casefold().replace("_", " "))).rstrip(".")


def _named(text: str, teller: str, names: Mapping[str, set[str]]) -> str | None:
    beside = PurePosixPath(teller).parent / text
    for name in (text, beside.as_posix()):
        others = names.get(_plain(name), set()) - {teller}
        if len(others) == 1:
            return next(iter(others))
    return None


def _without_circles(stated: Sequence[Supersession], problems: list[str]) -> list[Supersession]:
    unique = sorted(set(stated))
    steps = _grouped((one.new, one.old) for one in unique)
    circles = {one for one in unique if one.new in _reached(steps, one.old)}
    problems.extend(
        f"{one.new} and {one.old} supersede each other: neither is taken to"
        for one in sorted(circles)
    )
    return [one for one in unique if one not in circles]


def _by_title(documents: Sequence[Document], heads: Mapping[str, Head]) -> dict[str, Titled]:
    groups: defaultdict[str, list[Document]] = defaultdict(list)
    for document in documents:
        groups[_plain(document.title)].append(document)
    return {title: Titled(group, heads) for title, group in groups.items() if len(group) > 1}


def _told(undecided: Sequence[Undecided], heads: Mapping[str, Head]) -> Iterable[str]:
    for one, other, why in undecided[:MOST_TOLD]:
        named = " and ".join(f"{id} ({_label(heads[id])})" for id in (one, other))
        yield f"{named} have one title, and {why}: neither is taken to supersede the other"
    if len(undecided) > MOST_TOLD:
        yield "so have more pairs of this title"


def _label(head: Head) -> str:
    return f"version {head.version}" if head.version else head.date


def _by_name(
    documents: Sequence[Document],
    heads: Mapping[str, Head],
    problems: list[str],
    stated: Iterable[frozenset[str]],
    drafts: set[str],
) -> Iterable[Supersession]:
    settled = set(stated)
    groups: defaultdict[tuple[str, str], dict[str, dict[str, Order]]] = defaultdict(dict)
    for document in documents:
        path = PurePosixPath(document.id)
        if (found := _MARK.search(path.stem)) and (order := order_of(found[1])):
            key = (path.parent.as_posix(), path.stem[: found.start()].casefold() + path.suffix)
            groups[key].setdefault(order[0], {})[document.id] = order[1]
    for kinds in groups.values():
        for orders in kinds.values():
            if len(orders) > 1:
                drafts.update(id for id in orders if is_draft(heads[id]))
            for new, old in later(
                orders, lambda a, b: not (are_apart(heads[a], heads[b]) or is_draft(heads[a]))
            ):
                if head_order(heads[new], heads[old]) >= 0:
                    yield Supersession(new, old, "name")
                elif frozenset((new, old)) not in settled:
                    problems.append(
                        f"{new} is later than {old} by its name and earlier by its head: the names "
                        "are not followed"
                    )
        if len(kinds) > 1:
            named = " and ".join(sorted(min(orders) for orders in kinds.values()))
            problems.append(f"the marks in the names of {named} have no order: one is a year")
