"""What is decided when a study is made, and stays.

Every option is named once, as a field of `StudySettings`:
Python, a study.toml and the command line are filled from its fields.
"""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import Field, asdict, dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Literal, cast, get_type_hints

from commensurate.errors import CorruptStudy, InvalidParameter
from commensurate.guarantees.population import CLAIMS, NEW_ELEMENTS, Claim
from commensurate.study.kinds.words import GRADES, AnswerKind, QuestionKind, checked_boundaries, checked_grades
from commensurate.study.shown.columns import Columns, checked_columns
from commensurate.study.shown.instructions import checked_instructions
from commensurate.study.shown.labels import checked_labels
from commensurate.study.shown.strips import OWN_GROUP, Strips, checked_strips

LEARNERS = ("auto", "auto-free", "gp")
LONGEST_MINUTES = 366.0 * 24.0 * 60.0

MetricNames = str | Mapping[str, str]
# two groups, and how many rows of known answers about them have an answer, and how many have none
GivenRows = tuple[str, str, int, int]


# decided at the latest when a study is made
DECIDED_LATER = ("seed", "plan_seed", "scale_end", "tolerance")
# names that options had before: stored settings and study.toml files may still have them
OLD_NAMES = {"within": "tolerance"}
KIND_OF_QUESTION: dict[AnswerKind, QuestionKind] = {"grades": "grade", "numbers": "number", "comparisons": "comparison"}
# studies made before there was anything else have numbers
BEFORE_GRADES = {"answer_kind": "numbers", "known_pairs": 0}
# earlier versions did not keep these
ONCE_NOT_KEPT = ("metric", "categories", "missing", "records")


def _option(default: Any, meaning: str) -> Any:
    """Return a field that users may fill; the command's help and the documentation of the class say what it means."""
    return field(default=default, metadata={"meaning": meaning})


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """The settings of a study.

    What is None by default is decided when the study is made: a study's own settings have numbers there. ``metric``,
    ``categories``, ``missing`` and ``records`` are None in a study
    that an earlier version made, which did not keep them.
    """

    title: str = _option("", "Title that experts see above the questions.")
    questions: int = _option(400, "How many different pairs to ask about.")
    answers_per_question: int = _option(1, "How many experts answer each question.")
    repeats: float = _option(0.05, "Share of questions to ask each expert twice, without telling them.")
    calibration: float = _option(0.2, "Share of questions whose answers are held out to measure the error.")
    second_answers: float = _option(
        0.5,
        "Share of held-out questions that a second expert answers too, once there are two: that tells the error of "
        "estimates from that of answers.",
    )
    metric: MetricNames = _option(  # noqa: RUF009  # a field, as for the others
        "euclidean", "Metric within groups, such as gower, manhattan or minkowski(3)."
    )
    categories: Literal["integer", "one_hot"] = _option(
        "integer", "How to encode categories as numbers: integer or one_hot."
    )
    missing: Literal["error", "drop", "median"] = _option(
        "error",
        "What to do about missing values: stop with an error (error), drop the rows (drop) or fill in the median "
        "(median).",
    )
    learner: str = _option("auto", "How to learn from the answers: auto, auto-free or gp.")
    answer_error: float | Literal["auto", "noise"] = _option(
        "auto",
        "How far answers may be off: auto if nobody knows, noise if experts err at random, or the largest error that an "
        "answer can have, 0 if answers are exact.",
    )
    claim: Claim = _option(  # noqa: RUF009  # a field, as for the others
        NEW_ELEMENTS,
        'Which pairs statements are about: "new elements" like these records, or other "pairs of these elements".',
    )
    answer_kind: AnswerKind = _option(  # noqa: RUF009  # a field, as for the others
        "grades",
        "What experts answer: grades, which are words; numbers; or comparisons with pairs of known distance. Held-out "
        "questions are asked for numbers in any case, as errors can only be stated in numbers.",
    )
    grades: Sequence[str] = _option(
        GRADES,
        f"The words of grades, from alike to different, separated by commas where they are typed: {', '.join(GRADES)}.",
    )
    boundaries: Sequence[float] = _option(
        None,
        "The dissimilarities between one grade and the next, increasing; by default distances of pairs within groups that "
        "make every grade about as frequent.",
    )
    known_pairs: int = _option(
        None,
        "How many pairs within groups, whose distance is known, to ask every expert like the others, so that their scale "
        "and attention are measured; 10 by default, 0 where answers are numbers.",
    )
    scale_end: float = _option(None, "Largest value on the slider; twice the largest distance in the ruler by default.")
    tolerance: float = _option(None, "Tolerance of the stopping rule; 1/20 of the scale by default.")
    share: float = _option(0.9, "Share of pairs that must be within the tolerance of the stopping rule.")
    confidence_level: float = _option(0.95, "Confidence of the stopping rule and of intervals.")
    lease_minutes: float = _option(30.0, "Minutes for which a question shown to one expert is reserved for them.")
    records: int = _option(10_000, "Largest number of records to keep per group, chosen at random.")
    seed: int = _option(None, "Seed for every random choice; random by default.")
    labels: Mapping[str, Mapping[Any, str]] = field(
        default_factory=dict,
        metadata={"meaning": "What experts read instead of a value, by column and value; stored by column and code."},
    )
    columns: Columns = field(
        default_factory=dict,
        metadata={
            "meaning": "How experts read columns: a label, a unit, and whether to set thousands apart, by column."
        },
    )
    instructions: str = _option(
        "", "What the study is for and what alike means here, in a little Markdown; a text for any study by default."
    )
    strips: Strips = _option(  # noqa: RUF009  # a field, as for the others
        OWN_GROUP, 'Where experts see a value: among the records of its "own group", or among "all records".'
    )
    # what learning starts its random choices from: drawn with the questions, never chosen
    plan_seed: int = cast(int, None)
    # held-out questions up to this digest are for a second expert too: which ones, only their names decide
    second_until: str = ""
    # where the questions were given with known answers, what was given; None where they were drawn
    given: tuple[GivenRows, ...] | None = None

    def __post_init__(self) -> None:
        counts = {"questions": 4, "answers_per_question": 1, "records": 1, "seed": 0, "known_pairs": 0}
        for name, least in counts.items():
            if getattr(self, name) is not None or name not in (*DECIDED_LATER, *ONCE_NOT_KEPT, "known_pairs"):
                object.__setattr__(self, name, _whole_number(name, getattr(self, name), least))
        for name in ("scale_end", "tolerance"):
            value = getattr(self, name)
            if not (value is None or (is_number(value) and math.isfinite(value) and value > 0.0)):
                raise InvalidParameter(f"{name} must be a finite number above 0, got {value!r}")
        if not (is_number(self.lease_minutes) and 0.0 < self.lease_minutes <= LONGEST_MINUTES):
            raise InvalidParameter(
                f"lease_minutes must be a number above 0, and at most one year ({LONGEST_MINUTES:,.0f}), got "
                f"{self.lease_minutes!r}"
            )
        for name in ("repeats", "second_answers"):
            if not (is_number(getattr(self, name)) and 0.0 <= getattr(self, name) <= 1.0):
                raise InvalidParameter(f"{name} must be a share from 0 to 1, got {getattr(self, name)!r}")
        for name in ("share", "confidence_level"):
            share = getattr(self, name)
            if not (is_number(share) and 0.0 < share < 1.0):
                raise InvalidParameter(f"{name} must lie strictly between 0 and 1, got {share!r}; write 95 % as 0.95")
        if not isinstance(self.title, str):
            raise InvalidParameter(f"title must be text, got {self.title!r}")
        if self.claim not in CLAIMS:
            raise InvalidParameter(f"claim must be one of {', '.join(map(repr, CLAIMS))}, got {self.claim!r}")
        if self.learner not in LEARNERS:
            raise InvalidParameter(f"learner must be one of {', '.join(LEARNERS)}, got {self.learner!r}")
        if self.answer_kind not in KIND_OF_QUESTION:
            raise InvalidParameter(
                f"answer_kind must be one of {', '.join(KIND_OF_QUESTION)}, got {self.answer_kind!r}"
            )
        object.__setattr__(self, "grades", checked_grades(self.grades))
        if self.boundaries is not None:
            if self.answer_kind != "grades":
                raise InvalidParameter(
                    f"boundaries are those of grades; leave them out with answer_kind={self.answer_kind!r}"
                )
            object.__setattr__(self, "boundaries", checked_boundaries(self.boundaries, self.grades))
        if isinstance(self.metric, Mapping):
            object.__setattr__(self, "metric", {str(group): metric for group, metric in self.metric.items()})
        object.__setattr__(self, "labels", checked_labels(self.labels))
        object.__setattr__(self, "columns", checked_columns(self.columns))
        object.__setattr__(self, "instructions", checked_instructions(self.instructions))
        object.__setattr__(self, "strips", checked_strips(self.strips))
        if self.given is not None:
            # JSON knows lists only
            object.__setattr__(self, "given", tuple(tuple(rows) for rows in self.given))

    @classmethod
    def of(cls, options: Mapping[str, Any], *, besides: Sequence[str] = (), given: bool = False) -> StudySettings:
        """Return the settings with these options;
        ``besides`` are options of the caller's own, which may be meant too.

        ``given`` questions come with known answers: nobody chooses how many there are, or is asked them again.
        """
        # not above: the help of the command needs no NumPy
        from commensurate.checks import renamed

        check_known(options, [*OPTIONS, *OLD_NAMES, *besides])
        if given and options.get("questions") is not None:
            raise InvalidParameter(
                "questions must be left out with known_answers=…, because the pairs with known answers are the questions: "
                "others would be drawn otherwise, and no statement would cover both"
            )
        if given and options.get("answer_kind") not in (None, "numbers"):
            raise InvalidParameter(
                "answer_kind must be left out with known_answers=…, because known answers are numbers, and the questions "
                f"still open are asked like them, got {options['answer_kind']!r}"
            )
        said: dict[str, Any] = {"repeats": 0.0, "second_answers": 0.0, "answer_kind": "numbers"} if given else {}
        said.update({name: value for name, value in options.items() if value is not None or name != "answer_kind"})
        for old, new in OLD_NAMES.items():
            said[new] = renamed(old, said.pop(old, None), new, said.get(new))
        return cls(**said)

    def answers_wanted(self, question_id: str, *, held_out: bool) -> int:
        """Return how many experts are to answer a question that is no hidden repeat.

        >>> settings = StudySettings(second_until="7f")
        >>> [settings.answers_wanted(name, held_out=held_out) for name in ("7a", "8a") for held_out in (True, False)]
        [2, 1, 1, 1]
        """
        twice = held_out and question_id <= self.second_until
        return max(2 if twice else 1, self.answers_per_question)

    def kind_of(self, *, held_out: bool) -> QuestionKind:
        """Return what a question asks for: held-out ones for numbers, since errors can only be stated in numbers.

        >>> StudySettings().kind_of(held_out=True), StudySettings().kind_of(held_out=False)
        ('number', 'grade')
        """
        return "number" if held_out else KIND_OF_QUESTION[self.answer_kind]

    def to_json(self) -> str:
        """Return the settings as text."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> StudySettings:
        """Read the settings of a study; what a later version has added is left out."""
        try:
            stored = json.loads(text)
        except ValueError as error:
            raise CorruptStudy(f"the study's settings cannot be read: {error}") from error
        stored = by_present_names(stored) if isinstance(stored, dict) else stored
        if not isinstance(stored, dict) or any(stored.get(name) is None for name in DECIDED_LATER):
            raise CorruptStudy(f"the study's settings cannot be read: {', '.join(DECIDED_LATER)} are incomplete")
        known = {one.name: stored[one.name] for one in fields(cls) if one.name in stored}
        try:
            settings = cls(**{**dict.fromkeys(ONCE_NOT_KEPT), "second_answers": 0.0, **BEFORE_GRADES, **known})
        except InvalidParameter as error:
            raise CorruptStudy(f"the study's settings cannot be read: {error}") from error
        if settings.labels != known.get("labels", {}):
            raise CorruptStudy(f"the study's settings cannot be read: labels are not by code, got {known['labels']!r}")
        return settings


def by_present_names(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return options that were written down earlier, by the names that they have now."""
    present = {OLD_NAMES.get(name, name): value for name, value in said.items()}
    return {**present, **{name: said[name] for name in present if name in said}}


OPTIONS: dict[str, Field[Any]] = {one.name: one for one in fields(StudySettings) if "meaning" in one.metadata}


def meaning_of(name: str) -> str:
    """Return what an option means, and its default.

    >>> meaning_of("questions")
    'How many different pairs to ask about; 400 by default.'
    """
    option = OPTIONS[name]
    meaning, default = str(option.metadata["meaning"]), option.default
    if not isinstance(default, (str, int, float)) or default == "":
        return meaning
    return f"{meaning.removesuffix('.')}; {default if isinstance(default, str) else f'{default:,g}'} by default."


StudySettings.__doc__ = "\n".join(
    [
        str(StudySettings.__doc__),
        "    Attributes\n    ----------",
        *(f"    {name}\n        {meaning_of(name)}" for name in OPTIONS),
    ]
)


def check_known(options: Mapping[str, Any], known: Sequence[str]) -> None:
    """Raise if an option is none of those known; say which one is nearest."""
    for name in options:
        if name not in known:
            near = get_close_matches(name, known, n=1)
            meant = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
            raise InvalidParameter(f"unknown option {name!r}; {meant}")


def _whole_number(name: str, count: Any, least: int) -> int:
    """Return a count as Python's own int, whichever library it comes from."""
    try:
        whole = operator.index(count)
    except TypeError:
        whole = least - 1
    if whole < least or isinstance(count, bool):
        raise InvalidParameter(f"{name} must be a whole number, at least {least}, got {count!r}")
    return whole


def is_number(value: object) -> bool:
    """Tell whether a value is a number; True and False are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def type_of_option(name: str) -> type[int] | type[float] | type[str]:
    """Return what an option is where it is typed: a whole number, a number or text.

    >>> type_of_option("questions"), type_of_option("share"), type_of_option("metric")
    (<class 'int'>, <class 'float'>, <class 'str'>)
    """
    hint = get_type_hints(StudySettings)[name]
    return int if hint is int else float if hint is float else str
