"""What a call costs, from the price list that genai-prices ships; nothing is fetched."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genai_prices.types import ModelInfo, ModelPrice, TieredPrices


def price_usd(
    model: str,
    tokens_in: int | None,
    tokens_out: int | None,
    tokens_cached: int | None = None,
    base_url: str | None = None,
) -> float | None:
    """Return the price of one call in USD, or None where it is not known.

    Parameters
    ----------
    model : str
        The model's name.
    tokens_in, tokens_out : int or None
        Tokens read and written. With either unknown, so is the price.
    tokens_cached : int or None
        Those of `tokens_in` that came from the provider's cache.
    base_url : str or None
        The endpoint. Prices are the provider's own: an endpoint that is not on the list (a server
        of your own) has none, whatever model it serves. None takes the model's own provider.

    Notes
    -----
    The embedded model is not priced here: `LocalLM` says 0.0, as it costs nothing but time.
    """
    if tokens_in is None or tokens_out is None:
        return None
    found = _find(model, base_url)
    if found is None:
        return None
    price = found.get_prices(datetime.now(UTC))
    rate_in = _rate(price.input_mtok, tokens_in)
    rate_out = _rate(price.output_mtok, tokens_in)
    if rate_in is None and rate_out is None:
        return None
    rate_cached = _rate(price.cache_read_mtok, tokens_in)
    cached = min(tokens_cached or 0, tokens_in)
    return (
        (tokens_in - cached) * (rate_in or 0.0)
        + cached * ((rate_in or 0.0) if rate_cached is None else rate_cached)
        + tokens_out * (rate_out or 0.0)
    ) / 1e6 + _per_request(price)


def linear_usd(
    price: tuple[float, float], tokens_in: int | None, tokens_out: int | None
) -> float | None:
    """Return the price of one call at `price`, in USD for a million tokens in and out."""
    if tokens_in is None or tokens_out is None:
        return None
    return (tokens_in * price[0] + tokens_out * price[1]) / 1e6


@cache
def _find(model: str, base_url: str | None) -> ModelInfo | None:
    from genai_prices.data_snapshot import get_snapshot

    try:
        return get_snapshot().find_provider_model(model, None, None, base_url)[1]
    except LookupError:
        return None


def _rate(price: object, tokens_in: int) -> float | None:
    """Return the USD for a million tokens; past a tier's start its price holds for all of them."""
    if price is None:
        return None
    tiers = getattr(price, "tiers", None)
    if tiers is None:
        return float(price)  # type: ignore[arg-type]  # a Decimal
    tiered: TieredPrices = price  # type: ignore[assignment]
    for tier in reversed(tiered.tiers):
        if tokens_in > tier.start:
            return float(tier.price)
    return float(tiered.base)


def _per_request(price: ModelPrice) -> float:
    per_thousand = price.__dict__.get("requests_kcount")
    return float(per_thousand) / 1e3 if per_thousand is not None else 0.0
