"""Numbers in sentences, rounded so that the sentence stays true: bounds up, what is promised down."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def rounded_up(value: float, digits: int = 3) -> str:
    """Write a bound with few digits, never below its value.

    >>> rounded_up(0.30411), rounded_up(2.0)
    ('0.305', '2')
    """
    return _rounded(value, digits, ROUND_CEILING)


def rounded_down(value: float, digits: int = 3) -> str:
    """Write a bound from below with few digits, never above its value.

    >>> rounded_down(0.30491), rounded_down(2.0)
    ('0.304', '2')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def percent_up(share: float) -> str:
    """Write a share that something stays below, such as a probability of failure.

    >>> percent_up(0.123456)
    '12.35 %'
    """
    return f"{_rounded(100.0 * share, 4, ROUND_CEILING)} %"


def percent_down(share: float) -> str:
    """Write a share that is promised, such as a confidence.

    >>> percent_down(0.95), percent_down(0.999999)
    ('95 %', '99.99 %')
    """
    return f"{_rounded(100.0 * share, 4, ROUND_FLOOR)} %"


def _rounded(value: float, digits: int, direction: str) -> str:
    # 15 digits first: 100 * 0.07 is 7.000000000000001, which nobody means
    exact = Context(prec=15).create_decimal(Decimal(value))
    return f"{float(Context(prec=digits, rounding=direction).create_decimal(exact)):g}"
