"""Where a value lies in its own group, in words and as bars: what is usual among married may be rare among single.

An owner may have it shown among the records of all groups instead (``strips`` of the settings).

A column is one of three things in a group. *Numbers*, if at least half of its values are: a value is higher than a
share of them. *Kinds*, if values repeat: a value is that of a share of the records. *Text* that hardly ever repeats has
no place. Values are those that experts see: codes with the same label are one kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from commensurate.records.values import code_of, code_of_number, plain_number
from commensurate.study.messages import Record
from commensurate.study.shown.labels import labelled
from commensurate.study.shown.strips import OWN_GROUP
from commensurate.study.shown.unusual import Differences, Position
from commensurate.study.store import reading
from commensurate.wording import rough_share

if TYPE_CHECKING:
    from commensurate.study.study import Study

# numbers with at most so many different values get a bar for each, others so many bars or one or two fewer
BARS = 24
# of more kinds than this no bars are drawn: nobody could tell them apart
MOST_KINDS_DRAWN = 48
# the outermost bars hold all beyond: one billionaire must not press the others into one bar
TAIL = 0.01
# ties that are rarer than this are not worth the words
LEAST_TIED_SHARE = 0.05
# of larger groups so many records tell which differences are usual
MOST_COMPARED = 2_000
# the name of all groups together, where strips stand for them
EVERYONE = "all records"
# up to here floats hold every whole number
LARGEST_EXACT = 2.0**53


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value lies in its group.

    Attributes
    ----------
    words
        Such as "higher than 83 % of married", "12 % of married".
    short
        The same where there is little room, such as "above 83 %".
    bins
        Heights of the bars, as shares of the tallest; empty if there is nothing to draw.
    here
        Which bar holds the value; None if none does.
    """

    words: str
    short: str
    bins: tuple[float, ...] = ()
    here: int | None = None


class Profiles:
    """What is usual in each group, column by column.

    >>> import pandas as pd
    >>> from tempfile import TemporaryDirectory
    >>> from commensurate.study.study import Study
    >>> people = pd.DataFrame({"married": ["yes", "no"] * 20, "age": range(40)})
    >>> with TemporaryDirectory() as home, Study.create(f"{home}/s.db", people, group="married", questions=10) as study:
    ...     profiles = Profiles.of(study)
    ...     profiles.place("yes", "age", 30).words, profiles.differ_less(("yes", "no"), "age", 0, 39)
    ('higher than 75 % of yes', 0.997)
    """

    def __init__(
        self,
        columns: Mapping[tuple[str, str], _Numbers | _Kinds],
        differences: Differences | None = None,
    ) -> None:
        self._columns = columns
        self._differences = Differences({}) if differences is None else differences

    @classmethod
    def of(cls, study: Study) -> Profiles:
        """Read all records that are remembered, once; what is kept of them are counts."""
        settings = study.settings
        with study._database.reading() as connection:
            groups = reading.read_groups(connection)
        values: dict[tuple[str, str], list[object]] = {}
        for group in groups:
            for name in study.shown[group.name]:
                # what the strip of a value stands for: its group, or all records that have the column
                key = (group.name if settings.strips == OWN_GROUP else EVERYONE, name)
                values.setdefault(key, []).extend(record.get(name) for record in group.records.values())
        profiles = {
            (group, name): profile_of(found, group, settings.labels.get(name, {}))
            for (group, name), found in values.items()
        }
        columns: dict[tuple[str, str], _Numbers | _Kinds] = {}
        positions: dict[tuple[str, str], list[Position]] = {}
        for group in groups:
            for name in study.shown[group.name]:
                profile = profiles[group.name if settings.strips == OWN_GROUP else EVERYONE, name]
                if profile is not None:
                    columns[group.name, name] = profile
                    labels = settings.labels.get(name)
                    records = _drawn(list(group.records.values()))
                    positions[group.name, name] = [
                        profile.position(labelled(record.get(name), labels)) for record in records
                    ]
        return cls(columns, Differences(positions))

    def place(self, group: str, column: str, value: object) -> Place | None:
        """Return where a value lies, as experts see it; None if it is missing or the column is free text."""
        found = self._columns.get((group, column))
        return None if found is None else found.place(value)

    def differ_less(self, between: tuple[str, str], column: str, left: object, right: object) -> float:
        """Return the share of random pairs across these groups that differ less in a column than two values do."""
        one, other = (self._columns.get((group, column)) for group in between)
        if one is None or other is None:
            return 0.0
        return self._differences.differ_less(between, column, one.position(left), other.position(right))


def _drawn(records: Sequence[Record]) -> Sequence[Record]:
    """Return the records that random pairs are drawn from: so many tell what is usual."""
    if len(records) <= MOST_COMPARED:
        return records
    return [records[k] for k in np.random.default_rng(0).choice(len(records), MOST_COMPARED, replace=False)]


def profile_of(values: Sequence[object], group: str, labels: Mapping[str, str]) -> _Numbers | _Kinds | None:
    """Return what is usual among the values of one column, None for free text.

    >>> profile_of(["cook", "cook", "nurse", None, "cook", "nurse"], "married", {}).place("cook").words
    '60 % of married with a value'
    """
    numbers, others = _counted(labelled(value, labels) for value in values) if labels else _counted(values)
    if len(numbers) > 2 and numbers.total() >= others.total():
        return _Numbers.of(numbers, _Kinds.words_only(others, group, len(values)), group, len(values))
    kinds = others + Counter({code_of_number(number): count for number, count in numbers.items()})
    # half of the values are found once: names, notes
    if not labels and len(kinds) > kinds.total() / 2:
        return None
    return _Kinds.of(kinds, group, len(values), labels) if kinds else None


def _counted(values: Iterable[object]) -> tuple[Counter[float], Counter[str]]:
    """Count numbers, and the codes of all else that is not missing."""
    numbers: Counter[float] = Counter()
    others: Counter[str] = Counter()
    # True and 1 are one key of a dictionary, but not one value
    for value, count in Counter(
        "True" if value is True else "False" if value is False else value for value in values
    ).items():
        number = plain_number(value)
        if number is not None:
            numbers[float(number)] += count
        elif (code := code_of(value)) is not None:
            others[code] += count
    return numbers, others


@dataclass(frozen=True, slots=True)
class _Kinds:
    """How many records have each value; ``bars`` in the order in which they are drawn."""

    counts: Mapping[str, int]
    total: int
    scope: str
    bars: Mapping[str, int]
    bins: tuple[float, ...]

    @classmethod
    def of(cls, counts: Counter[str], group: str, n_records: int, labels: Mapping[str, str]) -> _Kinds:
        scope = group if counts.total() == n_records else f"{group} with a value"
        drawn = _in_order(counts, labels) if len(counts) <= MOST_KINDS_DRAWN else []
        bars = {code: k for k, code in enumerate(drawn)}
        return cls(dict(counts), counts.total(), scope, bars, _heights(counts[code] for code in drawn))

    @classmethod
    def words_only(cls, counts: Counter[str], group: str, n_records: int) -> _Kinds:
        """Return the values of a column of numbers that are none: "unknown", a label."""
        return cls(dict(counts), n_records, group, {}, ())

    def place(self, value: object) -> Place | None:
        code = code_of(value)
        if code is None:
            return None
        share = rough_share(self.counts.get(code, 0) / self.total)
        here = self.bars.get(code)
        return Place(f"{share} of {self.scope}", share, () if here is None else self.bins, here)

    def position(self, value: object) -> Position:
        """Return what tells two values of the column apart."""
        return code_of(value)


@dataclass(frozen=True, slots=True)
class _Numbers:
    """Different numbers in ascending order, and how many records lie below each; one more entry counts all."""

    values: NDArray[np.float64]
    below: NDArray[np.int64]
    scope: str
    # where a bar ends and the next begins
    borders: NDArray[np.float64]
    bins: tuple[float, ...]
    others: _Kinds

    @classmethod
    def of(cls, counts: Mapping[float, int], others: _Kinds, group: str, n_records: int) -> _Numbers:
        values = np.fromiter(counts, np.float64, len(counts))
        order = np.argsort(values)
        values = values[order]
        how_many = np.fromiter(counts.values(), np.int64, len(counts))[order]
        below = np.fromiter(accumulate(how_many, initial=0), np.int64, len(values) + 1)
        borders = _borders(values, below)
        bars = np.searchsorted(borders, values, side="right")
        heights = np.bincount(bars, weights=how_many, minlength=len(borders) + 1)
        scope = group if below[-1] == n_records else f"{group} with a number"
        return cls(values, below, scope, borders, _heights(heights.tolist()), others)

    def place(self, value: object) -> Place | None:
        number = plain_number(value)
        if number is None:
            return self.others.place(value)
        number = float(number)
        k = int(self.values.searchsorted(number))
        found = k < len(self.values) and float(self.values[k]) == number
        below, total = int(self.below[k]), int(self.below[-1])
        same = int(self.below[k + 1]) - below if found else 0
        here = int(self.borders.searchsorted(number, side="right"))
        short = "highest" if below + same == total else f"above {rough_share(below / total)}" if below else "lowest"
        words = f"{short.replace('above', 'higher than')} of {self.scope}"
        if same > 1 and same >= LEAST_TIED_SHARE * total:
            words += f", the same as {rough_share(same / total)}"
        return Place(words, short, self.bins, here)

    def position(self, value: object) -> Position:
        """Return the share of numbers below one, half of those equal to it among them."""
        number = plain_number(value)
        if number is None:
            return self.others.position(value)
        low, high = (int(self.values.searchsorted(float(number), side)) for side in ("left", "right"))
        return float(self.below[low] + self.below[high]) / (2.0 * float(self.below[-1]))


def _borders(values: NDArray[np.float64], below: NDArray[np.int64]) -> NDArray[np.float64]:
    if len(values) <= BARS:
        return values[1:]
    tail = TAIL * int(below[-1])
    low, high = values[np.searchsorted(below[1:], [tail, below[-1] - tail])]
    if low == high:
        low, high = values[0], values[-1]
    if low > -LARGEST_EXACT and high < LARGEST_EXACT and bool((np.floor(values) == values).all()):
        # as many whole numbers in each bar, else some would stand out
        width = np.ceil((high - low + 1.0) / BARS)
        return np.arange(low + width, high + 1.0, width)
    shares = np.arange(1, BARS) / BARS
    # not low + shares * (high - low), which may be beyond every float
    borders: NDArray[np.float64] = low * (1.0 - shares) + high * shares
    return borders


def _in_order(counts: Counter[str], labels: Mapping[str, str]) -> list[str]:
    """Return kinds as they are drawn: labels as they were listed, then numbers by size,
    then the most frequent first.
    """
    listed = {code_of(label): k for k, label in reversed(list(enumerate(labels.values())))}

    def key(code: str) -> tuple[int, float, str]:
        if code in listed:
            return 0, listed[code], ""
        number = plain_number(code)
        return (2, -counts[code], code) if number is None else (1, number, "")

    return sorted(counts, key=key)


def _heights(counts: Iterable[float]) -> tuple[float, ...]:
    found = list(counts)
    tallest = max(found, default=1.0)
    return tuple(count / tallest for count in found)
