"""The command passport: what a corpus is, what is in force in it, and what changed since."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.cli.output import NO, OK, UsageError, page_file, say

if TYPE_CHECKING:
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.lineage import CorpusChange
    from workbench.knowledge.passport import Passport


def passport_command(args: argparse.Namespace) -> int:
    """Print a corpus's passport with its versions; with --against, what changed since another.

    With --html the coherence map is written as a page.

    Exit code 1 where --against names another state.
    """
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.versions import duplicates, versions_of

    if args.html is not None:
        _check_page(args)
    corpus = Corpus.read(args.corpus)
    versions = versions_of(corpus.documents, corpus.passages)
    copies = duplicates(corpus.documents)
    told: dict[str, Any] = {
        **corpus.passport.to_json(),
        "skipped": dict(corpus.skipped),
        "supersessions": [one._asdict() for one in versions.supersessions],
        "duplicates": [list(group) for group in copies],
        "problems": list(versions.problems),
    }
    lines = [
        f"passport {corpus.passport.sha256}",
        f"{len(corpus.documents)} documents, {len(corpus.passages)} passages",
        *(f"{one.new} supersedes {one.old} ({one.rule})" for one in versions.supersessions),
        *(f"one content: {', '.join(group)}" for group in copies),
        *(f"problem: {problem}" for problem in versions.problems),
        *(f"left out: {name}: {why}" for name, why in corpus.skipped.items()),
    ]
    page = ""
    if args.structure or args.coherence:
        from workbench.deliberation.coherence import coherence_map
        from workbench.knowledge.extraction import extract

        structure = extract(corpus, versions)
        told["structure"] = structure.model_dump(mode="json") | {"digest": structure.digest}
        lines.append(str(structure))
        if args.coherence:
            made = coherence_map(structure, versions)
            told["coherence"] = made.to_json()
            if args.html is not None:
                from workbench.views.coherence import coherence_html

                title = f"Coherence of {args.corpus.resolve().name}"
                page = coherence_html(made, title=title, notes=lines[:-1])
            lines.append(str(made))
    is_same = True
    if args.against is not None:
        earlier, change = _changes(args.against, corpus)
        is_same = earlier.sha256 == corpus.passport.sha256
        told["against"] = {"sha256": earlier.sha256, "same": is_same, **change}
        lines += _told(earlier, is_same, change)
    if args.out is not None:
        if args.out.exists():
            raise UsageError(f"--out {args.out}: is there already; an earlier passport is kept")
        text = json.dumps(corpus.passport.to_json(), indent=1) + "\n"
        args.out.write_text(text, encoding="utf-8")
        lines.append(f"written: {args.out}")
    if args.html is not None:
        from workbench.views.export import write_page

        write_page(args.html, page)
        told["html"] = str(args.html)
        lines.append(f"written: {args.html}")
    if args.json:
        print(json.dumps(told, indent=2))
    else:
        for line in lines:
            say(line)
    return OK if is_same else NO


def _check_page(args: argparse.Namespace) -> None:
    """Refuse a page of nothing, and one in the place of a passport or a document."""
    if not args.coherence:
        raise UsageError("--html goes with --coherence: the page shows the coherence map")
    place = args.html.resolve()
    if any(place == other.resolve() for other in (args.out, args.against) if other is not None):
        raise UsageError(f"--html {args.html} is the place of a passport")
    if place.is_relative_to(args.corpus.resolve()):
        raise UsageError(f"--html {args.html}: in the corpus it would be one of its documents")
    page_file(args.html)


def _changes(against: Path, corpus: Corpus) -> tuple[Passport, dict[str, list[str]]]:
    """Return an earlier passport, from its file or a folder, and what changed since."""
    from workbench.errors import CorpusError
    from workbench.knowledge.corpus import Corpus
    from workbench.knowledge.lineage import changes
    from workbench.knowledge.passport import Passport

    passages: list[str] = []
    if against.is_dir():
        before = Corpus.read(against)
        earlier = before.passport
        told: CorpusChange = changes(before, corpus)
        passages = list(told.passages)
    else:
        try:
            earlier = Passport.from_json(json.loads(against.read_text("utf-8")))
        except CorpusError as error:
            raise CorpusError(f"{against}: {error}") from None
        except (ValueError, RecursionError) as error:
            raise CorpusError(f"{against}: not a passport: {error}") from None
    diff = earlier.diff(corpus.passport)
    return earlier, {
        "added": list(diff.added),
        "removed": list(diff.removed),
        "changed": list(diff.changed),
        "passages": passages,
    }


def _told(earlier: Passport, is_same: bool, change: dict[str, list[str]]) -> list[str]:
    if is_same:
        return [f"the same as {earlier.sha256[:12]}: what is bound to it is current"]
    lines = [f"valid for version {earlier.sha256[:12]} only, superseded: what is bound to it"]
    lines += [f"{what}: {id}" for what in ("added", "removed", "changed") for id in change[what]]
    lines += [f"no longer reads as it did: {id}" for id in change["passages"]]
    return lines if len(lines) > 1 else [*lines, "no document differs: it was split in another way"]
