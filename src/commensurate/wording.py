"""Numbers and text in sentences, in one place: the same number is written the same way wherever a reader meets it.

Bounds are rounded up and promises down, so that every sentence stays true. Text from records, files and keyboards is
made harmless to print: what a terminal would obey is shown instead.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def counted(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "answer"), counted(1200, "answer")
    ('1 answer', '1,200 answers')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_or_are(number: int) -> str:
    """Return the verb that goes with so many.

    >>> f"{counted(1, 'answer')} {is_or_are(1)} simulated", f"{counted(2, 'answer')} {is_or_are(2)} simulated"
    ('1 answer is simulated', '2 answers are simulated')
    """
    return "is" if number == 1 else "are"


def duration(hours: float) -> str:
    """Say how long something takes, roughly.

    >>> duration(0.02), duration(0.5), duration(3.2)
    ('2 min', '30 min', '3.2 h')
    """
    return f"{max(1, math.ceil(60.0 * hours))} min" if hours < 1.5 else f"{hours:.1f} h"


def age(seconds: float) -> str:
    """Say how old something is; other than in a forecast, as :func:`duration` is, single seconds count.

    >>> age(12.3), age(300.0), age(7200.0)
    ('12 s', '5 min', '2.0 h')
    """
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def minute(moment: str) -> str:
    """Return a time of a study to the minute.

    >>> minute("2025-03-01T09:00:12.000000+00:00")
    '2025-03-01 09:00'
    """
    return moment[:16].replace("T", " ")


def readable(cell: str | float) -> str:
    """Return a cell as a person wants to read it: four significant digits, whole numbers in groups of three.

    >>> readable(190_909_489), readable(0.123456), readable(1234.5), readable("Adult")
    ('190,909,489', '0.1235', '1,234', 'Adult')
    """
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if math.isnan(cell):
        return "n/a"
    if math.isinf(cell):
        return "∞" if cell > 0 else "−∞"
    return f"{cell:,.0f}" if abs(cell) >= 1000 else f"{cell:.4g}"


def short_number(value: float) -> str:
    """Return a number on the scale as an expert would type it: rounded like :func:`readable`, but without commas.

    >>> short_number(0.123456), short_number(25_000.4)
    ('0.1235', '25000')
    """
    return f"{value:.4g}" if value < 10_000 else f"{value:.0f}"


def axis_number(value: float) -> str:
    """Return a number as it is written along an axis: readable, as long as there is room for all its digits.

    >>> axis_number(0.05), axis_number(1500.0), axis_number(2e7)
    ('0.05', '1,500', '2e+07')
    """
    return readable(value) if value < 1e7 else f"{value:g}"


def short_count(count: float) -> str:
    """Return a number of questions in few signs, for a logarithmic axis.

    >>> short_count(50), short_count(20_000), short_count(190_000_000)
    ('50', '20k', '190M')
    """
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:g}{letter}"
    return f"{count:g}"


def or_dash(value: float | None, digits: int = 3) -> str:
    """Return an estimate in a table with few digits, a dash where it is not known or not finite.

    >>> or_dash(0.12345), or_dash(None), or_dash(math.nan)
    ('0.123', '–', '–')
    """
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}g}"


def signed(value: float, decimals: int) -> str:
    """Return a difference with its sign, a minus sign and not a hyphen.

    >>> signed(-0.345, 2), signed(12.0, 0)
    ('−0.34', '+12')
    """
    return f"{value:+.{decimals}f}".replace("-", "−")


def interval(lower: float, upper: float) -> str:
    """Return the two ends of an interval of estimates.

    >>> interval(0.123456, 1234.5)
    '0.1235 to 1,234'
    """
    return f"{readable(lower)} to {readable(upper)}"


def limits_of_sum(lower: float, upper: float) -> str:
    """Return limits of a sum in words, rounded outwards, so that they still hold; one number if they are the same.

    >>> limits_of_sum(12.34567, 15.00011), limits_of_sum(0.0, math.inf), limits_of_sum(2.0, 2.0)
    ('between 12.34 and 15.01', 'at least 0', '2')
    """
    if lower == upper:
        return readable(lower)
    low = readable(_to_digits(max(0.0, lower), 4, ROUND_FLOOR))
    if math.isinf(upper):
        return f"at least {low}"
    return f"between {low} and {readable(_to_digits(upper, 4, ROUND_CEILING))}"


def rounded_up(value: float, digits: int = 3) -> str:
    """Write a bound with few digits, never below its value.

    >>> rounded_up(0.30411), rounded_up(2.0), rounded_up(math.inf)
    ('0.305', '2', 'infinite')
    """
    return f"{_to_digits(value, digits, ROUND_CEILING):g}" if math.isfinite(value) else "infinite"


def rounded_down(value: float, digits: int = 3) -> str:
    """Write a bound from below with few digits, never above its value.

    >>> rounded_down(0.30491), rounded_down(2.0)
    ('0.304', '2')
    """
    return f"{_to_digits(value, digits, ROUND_FLOOR):g}"


def percent_up(share: float) -> str:
    """Write a share that something stays below, such as a probability of failure.

    >>> percent_up(0.123456)
    '12.35 %'
    """
    return f"{rounded_up(100.0 * share, 4)} %"


def percent_down(share: float) -> str:
    """Write a share that is promised, such as a confidence.

    >>> percent_down(0.95), percent_down(0.999999)
    ('95 %', '99.99 %')
    """
    return f"{rounded_down(100.0 * share, 4)} %"


def percent(share: float, decimals: int = 0) -> str:
    """Write a share to the nearest per cent; no statement hangs on its last digit.

    >>> percent(0.666), percent(0.12345, 1)
    ('67 %', '12.3 %')
    """
    return f"{100.0 * share:.{decimals}f} %"


def percent_done(done: int, total: int) -> str:
    """Write how far work is, in whole per cent: 100 only when all is done, 0 where there is nothing to do.

    >>> percent_done(9_999, 10_000), percent_done(0, 0)
    ('99 %', '0 %')
    """
    return f"{100 * done // total if total else 0} %"


LEAST_PER_CENT = 0.01


def share_in_words(count: int, total: int) -> str:
    """Return a counted share; what is there is never rounded to nothing, and nothing less than all to all.

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
    return f"{per_cent:.{1 if 1.0 <= per_cent <= 99.0 else 2}f} %"


def rough_share(share: float) -> str:
    """Return a share in whole per cent, for a glance beside a record; what is rounded is neither none nor all.

    >>> rough_share(0.334), rough_share(0.001), rough_share(0.999), rough_share(1.0)
    ('33 %', 'under 1 %', 'over 99 %', 'all')
    """
    if share in (0.0, 1.0):
        return "all" if share else "none"
    rounded = round(100.0 * share)
    return "under 1 %" if rounded == 0 else "over 99 %" if rounded == 100 else f"{rounded} %"


def limits_of_share(lower: float, upper: float) -> str:
    """Return limits of a share, rounded outwards, so that they still hold; one number if they are the same.

    >>> limits_of_share(0.00796, 0.4012), limits_of_share(0.0, 0.0), limits_of_share(0.22258, 0.22258)
    ('0.796 % to 40.12 %', '0 %', '22.26 %')
    """
    if lower == upper:
        near = f"{100.0 * lower:.4g} %"
        return percent_down(lower) if near == "100 %" else near
    return f"{percent_down(lower)} to {percent_up(upper)}"


def _to_digits(value: float, digits: int, direction: str) -> float:
    # 15 digits first: 100 * 0.07 is 7.000000000000001, which nobody means
    exact = Context(prec=15).create_decimal(Decimal(value))
    return float(Context(prec=digits, rounding=direction).create_decimal(exact))


# control, format (directions of writing among them), lone surrogates, line and paragraph separators
CONTROL_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# the joiners spell words in many scripts and hold emoji together; a new line is what it says
HARMLESS_CONTROLS = frozenset("\n\u200c\u200d")


def visible_text(text: str) -> str:
    r"""Return ``text`` with every character that a terminal would obey written out.

    >>> print(visible_text("\x1b[2Jgone\a, and a\ttab"))
    \x1b[2Jgone\x07, and a\ttab
    """
    if text.isprintable():
        # as nearly all are: then there is nothing to obey
        return text
    text = text.replace("\r\n", "\n")
    # few characters make a long text: each is looked at once
    return text.translate({ord(character): _visible(character) for character in set(text)})


def one_line(text: str) -> str:
    r"""Return ``text`` as one visible line.

    >>> one_line("two\n  lines")
    'two lines'
    """
    return visible_text(" ".join(text.split()))


def _visible(character: str) -> str:
    if character in HARMLESS_CONTROLS or unicodedata.category(character) not in CONTROL_CATEGORIES:
        return character
    return character.encode("unicode_escape").decode("ascii")


def short_name(name: str, longest: int = 28) -> str:
    """Return a name as one line that fits into a picture or a heading.

    >>> short_name("customers of the old town", 14)
    'customers of …'
    """
    line = one_line(name)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def some(names: Iterable[str], most: int = 8) -> str:
    """Return the first few names, for a message.

    >>> some(["age", "income", "job"], most=2)
    "'age', 'income' and 1 more"
    """
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(repr(name) for name in listed[:most]) + more


def in_a_row(parts: Sequence[str]) -> str:
    """Return parts of a sentence, one after the other.

    >>> in_a_row(["in 1", "above it in 2", "below it in 3"])
    'in 1, above it in 2 and below it in 3'
    """
    return " and ".join(([", ".join(parts[:-1])] if parts[:-1] else []) + list(parts[-1:]))


def capitalized(clause: str) -> str:
    """Return a clause as the beginning of a sentence.

    >>> capitalized("the rows of A differ")
    'The rows of A differ'
    """
    return clause[:1].upper() + clause[1:]


def pair_of_groups(left: str, right: str) -> str:
    """Return how a pair of groups is called.

    >>> pair_of_groups("city", "rural"), pair_of_groups("city", "city")
    ('city × rural', 'within city')
    """
    return f"within {left}" if left == right else f"{left} × {right}"
