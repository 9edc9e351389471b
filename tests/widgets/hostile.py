"""Texts that want to be more than text, and a run that holds each of them in every place."""

from __future__ import annotations

from workbench import Part, Run
from workbench.record.events import (
    Answered,
    Asked,
    Called,
    Event,
    Posted,
    Returned,
    RunEnded,
    RunStarted,
)

CANARY = "window.pwned=1"
"""What each script would do, if it ran."""

_FAR = "http://198.51.100.7/leak"  # a documentation address: a request to it would be seen

HOSTILE = [
    f"<script>{CANARY}</script>",
    f"</script><script>{CANARY}</script>",
    f"</SCRIPT ><script>{CANARY}</script>",
    f"<img src=x onerror={CANARY}>",
    f"<img src='{_FAR}.png'>",
    f"<svg onload={CANARY}>",
    f"<svg><script>{CANARY}</script></svg>",
    f"<svg><image href='{_FAR}.svg' /></svg>",
    f"<svg><use href='{_FAR}#x'/></svg>",
    f"<svg><animate onbegin={CANARY} attributeName=x dur=1s>",
    f"<svg><a xlink:href='javascript:{CANARY}'><text y=20>click</text></a></svg>",
    f"<svg><foreignObject><body onload={CANARY}></foreignObject></svg>",
    f"<iframe src='javascript:{CANARY}'></iframe>",
    f"<iframe srcdoc='<script>parent.{CANARY}</script>'></iframe>",
    f"<object data='javascript:{CANARY}'></object>",
    f"<embed src='{_FAR}.swf'>",
    f"<link rel=stylesheet href='{_FAR}.css'>",
    f"<style>@import '{_FAR}.css';</style>",
    f"<style>*{{background:url({_FAR})}}</style>",
    f"</style><script>{CANARY}</script>",
    f"<meta http-equiv=refresh content='0;url={_FAR}'>",
    f"<base href='{_FAR}/'>",
    f"<form action='{_FAR}'><button autofocus onfocus={CANARY}>x</button></form>",
    f"<input autofocus onfocus={CANARY}>",
    f"<details open ontoggle={CANARY}>",
    f"<video><source onerror={CANARY}></video>",
    f"<audio src=x onerror={CANARY}>",
    f"<body onload={CANARY}>",
    f"<marquee onstart={CANARY}>",
    f"<math><mtext><img src=x onerror={CANARY}></mtext></math>",
    f"<template><script>{CANARY}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={CANARY}>'>",
    f"<textarea></textarea><script>{CANARY}</script>",
    f"</textarea><script>{CANARY}</script>",
    f"<title></title><script>{CANARY}</script>",
    f"<!--<img src='--><img src=x onerror={CANARY}>'>",
    "<!-- an open comment",
    "--> the end of one",
    "<![CDATA[ a section ]]>",
    "<?xml version='1.0'?>",
    f'" onmouseover="{CANARY}',
    f"' onmouseover='{CANARY}",
    f"` onmouseover=`{CANARY}",
    f'"><script>{CANARY}</script>',
    f"'><script>{CANARY}</script>",
    f"javascript:{CANARY}",
    f"JaVaScRiPt:{CANARY}//",
    f"data:text/html,<script>{CANARY}</script>",
    f"[a link](javascript:{CANARY})",
    f"![an image]({_FAR}.png)",
    f"<{_FAR}>",
    "**bold** _italics_ `code` # heading",
    r"$\href{javascript:window.pwned=1}{x}$",
    r"\(\require{html}\style{color:red}{x}\)",
    r"$$\unicode{x3c}script\unicode{x3e}$$",
    "{{constructor.constructor('window.pwned=1')()}}",
    "${window.pwned=1}",
    "<%= 7 * 7 %>",
    "&lt;script&gt; &amp;amp; &#60;b&#62;",
    "x; background: url(javascript:window.pwned=1)",
    "}</style><style>*{display:none}",
    "expression(window.pwned=1)",
    "line\u2028separator\u2029and paragraph",
    "right\u202eto left\u202c and \u2066isolated\u2069",
    "zero\u200bwidth\u200djoiner\ufeff",
    "a null\x00, a bell\x07, an escape\x1b[31m",
    "combining " + "e" + "\u0301" * 40,
    "__proto__",
    "constructor",
    "toString",
    "../../etc/passwd",
    "C:\\windows\\system32",
    "',);--DROP TABLE runs",
    "\U0001f9d1\u200d\U0001f4bb an emoji of several parts",
    "\u0623\u0647\u0644\u0627\u064b mixed with English",
    " ",
    "\n\n\n",
    "a" * 300,
]
"""More than sixty of them; a lone surrogate and a megabyte have tests of their own."""


def hostile_run(texts: list[str] = HOSTILE) -> tuple[Run, Run]:
    """Return a run, and an audit of it, with each text as every kind of name and words."""
    events: list[Event] = [
        RunStarted(
            protocol=texts[0],
            params={
                "case": {
                    "title": texts[1],
                    "rules": [{"id": t, "text": t} for t in texts[:6]],
                    "roles": [{"name": t, "title": t} for t in texts],
                }
            },
            models={"*": {"model": texts[2], "kind": texts[3]}},
        )
    ]
    clock = 0
    for number, text in enumerate(texts, start=1):
        peer = texts[number % len(texts)]
        scope = f"/turn={number}"
        own = f"{scope}/{number}"
        clock += 10
        events += [
            Posted(
                path=f"{scope}/goal",
                clock=clock,
                kind="GoalSet",
                data={"turn": number, "goal": text, "phase": text, "nominated": [text, peer]},
            ),
            Called(
                path=f"{own}/search=1",
                clock=clock + 1,
                tool="search",
                args={"corpus": text, "query": text},
            ),
            Returned(
                path=f"{own}/search=1",
                value=[{"passage": text, "heading": text, "text": text, "score": 0.5}],
            ),
            Asked(
                path=f"{own}/propose",
                clock=clock + 2,
                role=text,
                parts=(Part(text, None, "system"), Part(text, f"{scope}/goal"), Part(text, text)),
                schema={"title": text},
            ),
            Answered(path=f"{own}/propose", text=text, model=text, finish_reason=text, tokens_in=3),
            Posted(
                path=f"{own}/proposal",
                clock=clock + 3,
                kind="Proposed",
                data={
                    "turn": number,
                    "author": text,
                    "goal": text,
                    "predictions": {peer: text, text + "x": text},
                    "contribution": text,
                    "searches": [f"{own}/search=1"],
                },
                sources=(f"{own}/propose",),
            ),
            Posted(
                path=f"{own}/other",
                clock=clock + 4,
                kind=text.replace("/", " "),
                data={text: text, "verdict": text, "reason": text},
                sources=(text,),
            ),
            Posted(
                path=f"{scope}/ratification",
                clock=clock + 5,
                kind="Ratified",
                data={"turn": number, "decision": text, "reason": text, "phase": text, "by": text},
            ),
        ]
    events.append(RunEnded(clock=clock + 9, status="failed", error=texts[0]))
    run = Run(events)
    whole = all(text.isascii() or text.encode(errors="replace").decode() == text for text in texts)
    subject_of = run.digest if whole else "0" * 64  # half a surrogate pair has no digest
    verdicts: list[Event] = [RunStarted(protocol="audit", params={}, subject=subject_of)]
    for number, text in enumerate(texts, start=1):
        subject = f"/turn={number}/{number}/proposal"
        peer = texts[number % len(texts)]
        common = {"subject": subject, "turn": number, "verdict": text, "reason": text}
        verdicts += [
            Posted(
                path=f"/logic/{number}",
                clock=number,
                kind="LogicVerdict",
                data={**common, "author": text, "rules": [{"rule": text, **common}]},
            ),
            Posted(
                path=f"/tom/{number}",
                clock=number,
                kind="ToMVerdict",
                data={**common, "evaluator": text, "peer": peer, "cosine": 0.5},
            ),
            Posted(
                path=f"/rag/{number}",
                clock=number,
                kind="RAGVerdict",
                data={
                    **common,
                    "subject": f"/turn={number}/{number}/search=1",
                    "author": text,
                    "query": text,
                    "relevance": 0.4,
                },
            ),
        ]
    return run, Run(verdicts)
