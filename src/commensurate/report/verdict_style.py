"""How verdicts look, in every picture of an audit: a colour and a shape each, and shares of pairs in words."""

from __future__ import annotations

from commensurate.report.style import ALGORITHM_COLOURS, GREY

# in the order of their urgency
VERDICT_ORDER = ("violated", "undecided", "satisfied")
# orange and blue are told apart by nearly all eyes, and grey lies between them
VERDICT_COLOURS = {
    "violated": ALGORITHM_COLOURS["CLUSTER"],
    "undecided": GREY,
    "satisfied": ALGORITHM_COLOURS["NAIVE"],
}
# in words of a picture, the same shapes as the marks that it draws
VERDICT_SIGNS = {"violated": "✕", "undecided": "├┤", "satisfied": "●"}
LEAST_PER_CENT = 0.01


def share_in_words(count: int, total: int) -> str:
    """Return a share of pairs in per cent; what is there is never rounded to nothing, and nothing less than all to all.

    >>> share_in_words(0, 10), share_in_words(1, 3), share_in_words(12, 100_000), share_in_words(1, 10**6)
    ('0 %', '33.3 %', '0.01 %', 'under 0.01 %')
    >>> share_in_words(999_999, 10**6), share_in_words(10, 10)
    ('over 99.99 %', '100 %')
    """
    if count in (0, total):
        return "0 %" if count == 0 else "100 %"
    per_cent = 100.0 * count / total
    if per_cent < LEAST_PER_CENT:
        return f"under {LEAST_PER_CENT:g} %"
    if per_cent > 100.0 - LEAST_PER_CENT:
        return f"over {100.0 - LEAST_PER_CENT:g} %"
    return f"{per_cent:.{_decimals(per_cent)}f} %"


def _decimals(per_cent: float) -> int:
    return 1 if 1.0 <= per_cent <= 99.0 else 2


def pair_of_groups(left: str, right: str) -> str:
    """Return how a pair of groups is called.

    >>> pair_of_groups("city", "rural"), pair_of_groups("city", "city")
    ('city × rural', 'within city')
    """
    return f"within {left}" if left == right else f"{left} × {right}"
