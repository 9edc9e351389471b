"""Prices of calls against genai-prices' own, slower arithmetic."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from genai_prices import Usage
from genai_prices.data_snapshot import get_snapshot

from workbench.lm import prices
from workbench.lm.prices import linear_usd, price_usd


@pytest.mark.parametrize("tokens", [(1000, 200, 0), (300_000, 500, 1000), (0, 0, 0)])
def test_against_the_slow_twin(
    tokens: tuple[int, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every model that is priced by tokens costs what genai-prices says, tiers included."""
    now = datetime.now(UTC)
    checked = 0
    for provider in get_snapshot().providers:
        for model in provider.models:
            listed = set(model.get_prices(now).__dict__)
            if not listed or listed & {"input_mchars", "audio_hours", "input_document_kpages"}:
                continue
            monkeypatch.setattr(prices, "_find", lambda *_, model=model: model)
            usage = Usage(
                input_tokens=tokens[0], output_tokens=tokens[1], cache_read_tokens=tokens[2]
            )
            slow = model.calc_price(usage, provider, genai_request_timestamp=now).total_price
            fast = price_usd("any", *tokens)
            if fast is None:  # priced by something else than tokens
                assert slow == 0
                continue
            assert fast == pytest.approx(float(slow), abs=1e-12), (provider.id, model.id)
            checked += 1
    assert checked > 1000


def test_unknown_is_none() -> None:
    """Unknown models, endpoints and counts have no price, rather than none to pay."""
    assert price_usd("no-such-model", 1, 1) is None
    assert price_usd("gpt-4o", 1, 1, base_url="http://localhost:8000/v1") is None
    assert price_usd("gpt-4o", None, 1) is None
    assert linear_usd((1, 2), None, 1) is None
    assert price_usd("gpt-4o-mini", 10**6, 10**6, 0, "https://api.openai.com/v1") == pytest.approx(
        0.75
    )


@pytest.mark.parametrize("model", ["gpt-4o", "gemini-2.5-pro", "no-such-model"])
def test_a_model_is_looked_up_once(model: str) -> None:
    """Each further price takes what was found, so that it costs a call nothing to speak of."""
    prices._find.cache_clear()
    for _ in range(3):
        price_usd(model, 1000, 10, 3)

    assert (1, 2) == (prices._find.cache_info().misses, prices._find.cache_info().hits)
