"""A search means the same in a kernel and in a page: one table of cases for both."""

from __future__ import annotations

import json
import subprocess
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.widgets.stepper import runs
from workbench_widgets.shared.join import joined
from workbench_widgets.shared.source import Pages, Source
from workbench_widgets.stepper import payload
from workbench_widgets.stepper.find import Matcher, find, packed, words
from workbench_widgets.stepper.index import index

CASES: list[dict[str, Any]] = json.loads(Path(__file__).with_name("cases.json").read_text())

NODE = """
import { readFileSync } from "node:fs";
const { sources, cases } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const out = cases.map(({ run, query, order }) => {
  const store = pageStore({ ...sources[run], at: 0, order });
  const { bits, total, seen } = stpFindHere(store, order, [query]);
  return { bits: Buffer.from(bits).toString("base64"), total, seen };
});
process.stdout.write(JSON.stringify(out));
"""


def sources() -> dict[str, Source]:
    """Return the runs that the cases name."""
    run, audit = runs.sample()
    return {
        "vance": Source(run, audit),
        "audit": Source(audit),
        "council": Source(runs.council()),
        "failed": Source(runs.failed()),
        "forked": Source(runs.forked()),
    }


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_totals_are_those_of_the_table(case: dict[str, Any]) -> None:
    """Totals are those of the table."""
    found = find(sources()[case["run"]], [case["query"]], "happened")
    bits = b64decode(found["bits"])
    assert found["total"] == sum(byte.bit_count() for byte in bits)
    if "total" in case:
        assert case["total"] == found["total"]
    else:
        assert found["total"] > 0, "a case that nothing fits tests nothing"


def test_a_page_without_a_kernel_finds_the_same_events(node: str, tmp_path: Path) -> None:
    """A page without a kernel finds the same events."""
    given: dict[str, Any] = {}
    for name, source in sources().items():
        made = Pages(source, payload.MAKERS).first(payload.first(source), float("inf"))
        assert made["complete"]
        given[name] = {"head": source.head(), "pages": made["pages"], "texts": made["texts"]}
    cases = [{**case, "order": order} for case in CASES for order in ("happened", "path")]
    (tmp_path / "given.json").write_text(json.dumps({"sources": given, "cases": cases}))
    script = joined("stepper/search.mjs", "shared/store.mjs") + NODE
    (tmp_path / "find.mjs").write_text(script)
    command = [node, str(tmp_path / "find.mjs"), str(tmp_path / "given.json")]
    got = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    for case, here in zip(cases, got, strict=True):
        source = sources()[case["run"]]
        expected = find(source, [case["query"]], case["order"])
        assert expected == {"bits": here["bits"], "total": here["total"]}, case
        assert here["seen"] == len(source.run)


def test_several_queries_are_joined_by_or() -> None:
    """Several queries are joined by or."""
    source = sources()["vance"]
    one = find(source, [{"verdict": "logic:INVALID"}], "happened")["total"]
    two = find(source, [{"verdict": "rag:ineffective"}], "happened")["total"]
    both = [{"verdict": "logic:INVALID"}, {"verdict": "rag:ineffective"}]
    assert one + two == find(source, both, "happened")["total"]
    assert find(source, [], "happened")["total"] == 0


def test_bits_are_packed_the_lowest_first() -> None:
    """Bits are packed the lowest first."""
    assert packed(bytearray()) == b""
    assert packed(bytearray([1, 0, 0, 0, 0, 0, 0, 0, 0, 1])) == bytes([1, 2])
    assert packed(bytearray([0, 1, 1])) == bytes([6])


def test_words_and_phrases() -> None:
    """Words and phrases."""
    assert words('One "Two three" four') == ["one", "two three", "four"]
    assert words('"open') == ["open"]
    assert words('"" "') == []


def test_half_a_surrogate_pair_is_searched_like_any_text() -> None:
    """Half a surrogate pair is searched like any text."""
    source = sources()["vance"]
    assert [] == list(Matcher(source, {"text": "\ud800"}).all())


def test_an_index_is_made_again_only_when_there_is_more() -> None:
    """An index is made again only when there is more."""
    source = sources()["vance"]
    assert index(source) is index(source)
