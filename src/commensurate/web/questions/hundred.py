"""The scale that experts see, from 0 to 100, and the study's own, which ends where its settings say.

What is stored is on the study's scale; whoever comes back to an answer finds the number that was typed.
"""

from __future__ import annotations

END = 100.0
# more than anybody types, and fewer than what multiplying and dividing leave over
DIGITS = 12


def in_the_study(number: float, scale_end: float) -> float:
    """Return a number from 0 to 100 on the study's scale.

    >>> in_the_study(35.5, 1.3), in_the_study(100, 2.4)
    (0.4615, 2.4)
    """
    return float(f"{number * scale_end / END:.{DIGITS}g}")


def on_the_page(value: float, scale_end: float) -> str:
    """Return a number of the study as an expert would have typed it.

    >>> on_the_page(0.4615, 1.3), on_the_page(2.4, 2.4)
    ('35.5', '100')
    """
    # written out: experts do not read 1e-05
    text = f"{float(f'{END * value / scale_end:.{DIGITS - 2}g}'):.10f}".rstrip("0").rstrip(".")
    return text


def rounded(value: float, scale_end: float) -> str:
    """Return where a distance lies on the scale, for a glance.

    >>> rounded(0.32, 1.3), rounded(0.001, 1.3)
    ('25', '0.08')
    """
    number = END * value / scale_end
    return f"{number:.0f}" if number >= 1.0 else f"{number:.1g}"
