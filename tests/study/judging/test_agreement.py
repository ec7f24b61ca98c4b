import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.study.judging.agreement import (
    AlphaInterval,
    Disagreement,
    ExpertShift,
    SelfConsistency,
    alpha_interval,
    disagreements,
    krippendorff_alpha,
    mean_shifts,
    self_consistency,
)

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), section D: four observers, twelve units
KRIPPENDORFF_2011 = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
# the computational example of Wikipedia's article on Krippendorff's alpha: three coders, fifteen units
WIKIPEDIA = [
    ". . . . . 3 4 1 2 1 1 3 3 . 3",
    "1 . 2 1 3 3 4 3 . . . . . . .",
    ". . 2 1 3 4 4 . 2 1 1 3 3 . 4",
]

coarse_values = st.integers(-4, 4).map(float)
fine_values = st.floats(-100.0, 100.0)
units_of = st.lists(st.lists(st.one_of(coarse_values, fine_values), max_size=5), max_size=8)
# without values so close that the squares of the plain implementation vanish
dyadic_values = st.integers(-300, 300).map(lambda value: value / 64.0)
dyadic_units = st.lists(st.lists(st.one_of(coarse_values, dyadic_values), max_size=5), max_size=8)


def units_of_table(rows):
    """One list of values a unit, from one row an observer."""
    return [[float(value) for value in unit if value != "."] for unit in zip(*(row.split() for row in rows))]


def by_coincidences(units, difference=lambda c, k: (c - k) ** 2):
    """α by its definition: 1 − D_o/D_e from the full matrix of coincidences."""
    units = [unit for unit in units if len(unit) >= 2]
    values = sorted({value for unit in units for value in unit})
    place = {value: number for number, value in enumerate(values)}
    matrix = np.zeros((len(values), len(values)))
    for unit in units:
        for i, first in enumerate(unit):
            for j, second in enumerate(unit):
                if i != j:
                    matrix[place[first], place[second]] += 1.0 / (len(unit) - 1)
    totals = matrix.sum(axis=1)
    differences = np.array([[difference(c, k) for k in values] for c in values])
    expected = totals @ differences @ totals if len(values) > 1 else 0.0
    return 1.0 - (totals.sum() - 1.0) * np.sum(matrix * differences) / expected if expected > 0.0 else None


@pytest.mark.parametrize(("table", "published", "digits"), [(KRIPPENDORFF_2011, 0.849, 3), (WIKIPEDIA, 0.810845, 6)])
def test_alpha_is_the_published_interval_value(table, published, digits):
    assert round(krippendorff_alpha(units_of_table(table)), digits) == published


def test_the_plain_implementation_gives_the_published_nominal_and_ratio_values():
    units = units_of_table(KRIPPENDORFF_2011)
    assert round(by_coincidences(units, lambda c, k: float(c != k)), 3) == 0.743
    assert round(by_coincidences(units, lambda c, k: ((c - k) / (c + k)) ** 2), 3) == 0.797


@given(units=dyadic_units)
def test_alpha_is_that_of_the_matrix_of_coincidences(units):
    assert krippendorff_alpha(units) == pytest.approx(by_coincidences(units), abs=1e-12)


@given(units=units_of, shift=st.integers(-10, 10), scale=st.sampled_from([0.25, 3.0, -2.0, 1e-3]))
def test_alpha_does_not_depend_on_the_origin_and_the_scale(units, shift, scale):
    alpha = krippendorff_alpha(units)
    counted = [value for unit in units if len(unit) >= 2 for value in unit]
    # a spread that rounding swallows when the values are shifted is no spread afterwards
    assume(alpha is None or max(counted) - min(counted) > 1e-3)
    changed = krippendorff_alpha([[scale * value + shift for value in unit] for unit in units])
    assert changed == pytest.approx(alpha, abs=1e-9)


@given(units=dyadic_units, data=st.data())
def test_alpha_does_not_depend_on_the_order_of_units_and_experts(units, data):
    shuffled = [data.draw(st.permutations(unit)) for unit in data.draw(st.permutations(units))]
    assert krippendorff_alpha(shuffled) == pytest.approx(krippendorff_alpha(units), abs=1e-12)


@given(units=units_of, lonely=fine_values)
def test_units_with_fewer_than_two_values_do_not_count(units, lonely):
    assert krippendorff_alpha([[], *units, [lonely]]) == krippendorff_alpha(units)


@given(units=units_of)
def test_alpha_is_never_above_one(units):
    alpha = krippendorff_alpha(units)
    assert alpha is None or alpha <= 1.0


def test_alpha_is_one_exactly_if_all_experts_agree():
    assert krippendorff_alpha([[0.1] * 3, [0.7] * 3, [0.3] * 2]) == 1.0


def test_alpha_is_negative_where_experts_contradict_each_other():
    assert krippendorff_alpha([[0.0, 1.0], [1.0, 0.0]]) == pytest.approx(-0.5)


@pytest.mark.parametrize("units", [[], {}, [[], [0.3]], [[0.1, 0.1, 0.1], [0.1, 0.1, 0.1]], [[0.2, 0.2], [0.9]]])
def test_alpha_is_none_without_pairs_or_without_variation(units):
    assert krippendorff_alpha(units) is None
    assert alpha_interval(units, 0.95, np.random.default_rng(0)) is None


@pytest.mark.parametrize("size", [1e-200, 5e-324, 1e140])
def test_answers_of_any_size_neither_vanish_nor_overflow(size):
    assert krippendorff_alpha([[0.0, 0.0], [size, size], [0.0, size]]) == pytest.approx(4.0 / 9.0)


def test_units_may_be_a_mapping_a_list_or_an_array():
    rows = [[0.1, 0.2], [0.8, 0.8], [0.5, 0.4]]
    alpha = krippendorff_alpha(rows)
    assert krippendorff_alpha(dict(enumerate(rows))) == krippendorff_alpha(np.array(rows)) == alpha
    assert alpha == pytest.approx(by_coincidences(rows))


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ({"q7": [0.1, math.nan]}, "values of unit 'q7' must be finite .* got nan; leave missing answers out"),
        ([[0.1, 0.2], [math.inf, 0.1]], "values of unit 1 must be finite .* got inf"),
        ([[0.1, -1e200]], "at most 1e\\+150 in size, got -1e\\+200"),
        ([[0.1, "0.2"]], "values of unit 0 must be real numbers"),
        ([0.1, 0.2], "values of unit 0 must be a list of numbers, got 0 dimensions; pass one list per unit"),
    ],
)
def test_values_that_are_no_answers_are_named(units, message):
    with pytest.raises(InvalidAnswer, match=message):
        krippendorff_alpha(units)


def drawn_units(rng, n_units, n_experts=3, noise=0.5):
    """A world where α is 1/(1 + noise²): questions of variance 1, answers with independent errors."""
    return rng.normal(size=(n_units, 1)) + noise * rng.normal(size=(n_units, n_experts))


def test_the_interval_is_made_of_alphas_of_units_drawn_again():
    units, seed, n_resamples = drawn_units(np.random.default_rng(1), 12).tolist(), 5, 200
    found = alpha_interval(units, 0.8, np.random.default_rng(seed), n_resamples=n_resamples)
    rng = np.random.default_rng(seed)
    alphas = [by_coincidences([units[u] for u in rng.integers(12, size=12)]) for _ in range(n_resamples)]
    assert found.alpha == pytest.approx(by_coincidences(units))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(alphas, [0.1, 0.9])))
    assert (found.confidence_level, found.n_units, found.n_values) == (0.8, 12, 36)


def test_the_interval_covers_the_true_alpha_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    intervals = [alpha_interval(drawn_units(rng, 80), 0.9, rng, n_resamples=150) for _ in range(150)]
    covered = np.mean([found.low <= 0.8 <= found.high for found in intervals])
    assert 0.82 <= covered <= 0.96


def test_the_same_seed_gives_the_same_interval():
    units = drawn_units(np.random.default_rng(3), 10)
    first, again, other = (alpha_interval(units, 0.95, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert first == again != other


def test_draws_without_variation_are_left_out_of_the_interval():
    # half of the draws take one unit twice
    found = alpha_interval([[0.0, 0.0], [1.0, 1.0]], 0.95, np.random.default_rng(0))
    assert (found.low, found.high) == (1.0, 1.0)
    # the only draw of this seed is such a one
    seed = next(seed for seed in range(100) if len(set(np.random.default_rng(seed).integers(2, size=2))) == 1)
    assert alpha_interval([[0.0, 0.0], [1.0, 1.0]], 0.95, np.random.default_rng(seed), n_resamples=1) is None


def test_there_is_no_interval_from_a_single_question():
    assert krippendorff_alpha([[0.1, 0.9], [0.5]]) == 0.0
    assert alpha_interval([[0.1, 0.9], [0.5]], 0.95, np.random.default_rng(0)) is None


def test_an_interval_needs_a_level_a_generator_and_a_count():
    units, rng = [[0.1, 0.9], [0.5, 0.4]], np.random.default_rng(0)
    with pytest.raises(InvalidParameter, match="confidence_level"):
        alpha_interval(units, 95, rng)
    with pytest.raises(InvalidParameter, match="rng must be a numpy Generator, got 7"):
        alpha_interval(units, 0.95, 7)
    with pytest.raises(InvalidParameter, match="n_resamples"):
        alpha_interval(units, 0.95, rng, n_resamples=-1)


def test_a_shift_is_the_mean_of_own_value_minus_mean_of_the_others():
    answers = [
        *[("p", "ana", 1.0), ("p", "ben", 2.0), ("p", "cid", 6.0)],
        *[("q", "cid", 3.0), ("q", "ana", 2.0)],
        *[("r", "ana", 50.0), ("s", "dora", 9.0)],
    ]
    assert mean_shifts(answers) == [
        ExpertShift("ana", 2, -2.0, pytest.approx(1.0)),
        ExpertShift("ben", 1, -1.5, None),
        ExpertShift("cid", 2, 2.75, pytest.approx(1.75)),
    ]


@given(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.sampled_from("abcd")), st.one_of(coarse_values, fine_values), max_size=20
    )
)
def test_shifts_are_those_of_the_definition(table):
    expected = {}
    for (question, expert), value in table.items():
        others = [other for (q, e), other in table.items() if q == question and e != expert]
        if others:
            expected.setdefault(expert, []).append(value - np.mean(others))
    found = mean_shifts((question, expert, value) for (question, expert), value in table.items())
    assert [(one.expert, one.n_questions) for one in found] == [
        (name, len(expected[name])) for name in sorted(expected)
    ]
    for one in found:
        own = expected[one.expert]
        assert one.shift == pytest.approx(np.mean(own), abs=1e-9)
        error = np.std(own, ddof=1) / math.sqrt(len(own)) if len(own) > 1 else None
        assert one.standard_error == pytest.approx(error, abs=1e-9)


def test_equal_answers_have_a_shift_of_exactly_zero():
    answers = [(question, expert, 0.1 * question) for question in range(1, 8) for expert in ("ana", "ben", "cid")]
    assert {(one.shift, one.standard_error) for one in mean_shifts(answers)} == {(0.0, 0.0)}


def test_two_answers_of_one_expert_to_one_question_are_refused():
    answers = [(1, "ana", 0.2), (1, "ben", 0.3), (1, "ana", 0.4)]
    for function in (mean_shifts, disagreements):
        with pytest.raises(InvalidInput, match="two of 'ana' to question 1; pass only the latest"):
            function(answers)


def test_an_answer_that_is_no_number_is_named():
    for function in (mean_shifts, disagreements):
        with pytest.raises(InvalidAnswer, match="the answer of 'ana' to question 'q' must be finite .* got nan"):
            function([("q", "ana", None)])
        with pytest.raises(InvalidAnswer, match="the answer of 'ana' to question 'q' must be real numbers"):
            function([("q", "ana", "0.2")])


def test_the_widest_spread_comes_first_and_ties_stay_in_the_order_given():
    answers = [
        *[("narrow", "ana", 0.25), ("narrow", "ben", 0.5)],
        *[("wide", "cid", 1.0), ("wide", "ana", 0.0), ("wide", "ben", 0.0)],
        *[("too", "ben", 1.0), ("too", "ana", 0.75)],
        *[("agreed", "ana", 0.5), ("agreed", "ben", 0.5), ("alone", "ana", 0.9)],
    ]
    found = disagreements(answers)
    assert [one.question for one in found] == ["wide", "narrow", "too"]
    assert found[0] == Disagreement("wide", 3, 0.0, 1.0, 1.0, (("ana", 0.0), ("ben", 0.0), ("cid", 1.0)))
    assert disagreements(answers, worst=1) == found[:1]
    assert disagreements(answers, worst=0) == []
    with pytest.raises(InvalidParameter, match="worst"):
        disagreements(answers, worst=-1)


def test_ten_disagreements_are_listed_unless_told_otherwise():
    answers = [
        (question, expert, float(question * (expert == "ana"))) for question in range(15) for expert in ("ana", "ben")
    ]
    assert [one.question for one in disagreements(answers)] == list(range(14, 4, -1))


def test_self_consistency_is_that_of_the_definition():
    pairs = [("ben", 2.0, 1.0), ("ana", 1.0, 1.5), ("ana", 2.0, 1.0), ("ana", 0.0, 2.0)]
    differences = np.array([0.5, -1.0, 2.0])
    assert self_consistency(pairs) == [
        SelfConsistency(
            "ana",
            3,
            pytest.approx(3.5 / 3.0),
            pytest.approx(math.sqrt(5.25 / 3.0 / 2.0)),
            pytest.approx(0.5),
            pytest.approx(differences.std(ddof=1) / math.sqrt(3.0)),
        ),
        SelfConsistency("ben", 1, 1.0, pytest.approx(math.sqrt(0.5)), -1.0, None),
    ]


def test_the_deviation_of_a_single_answer_is_recovered():
    rng = np.random.default_rng(6)
    truth = rng.random(5000)
    first, repeated = truth + 0.3 * rng.normal(size=5000), truth + 0.3 * rng.normal(size=5000)
    (found,) = self_consistency(zip(["ana"] * 5000, first, repeated))
    assert found.answer_deviation == pytest.approx(0.3, rel=0.05)
    assert abs(found.drift) < 4.0 * found.drift_standard_error


def test_a_repeated_answer_that_is_no_number_is_named():
    with pytest.raises(InvalidAnswer, match="a repeated answer of expert 'ana' must be finite"):
        self_consistency([("ana", 0.1, math.inf)])


def test_no_answers_give_empty_lists():
    assert mean_shifts([]) == disagreements([]) == self_consistency([]) == []


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (
            AlphaInterval(0.8491, 0.5, 1.0, 0.95, 11, 1040),
            "Krippendorff's α is 0.849 (95 % interval 0.500 to 1.000), from 1,040 answers to 11 questions.",
        ),
        (
            ExpertShift("ana", 1, -0.25, None),
            "ana answers 0.25 lower than the others on average (standard error unknown), over 1 question.",
        ),
        (
            ExpertShift("ana", 2, 0.0, 0.5),
            "ana answers neither higher nor lower than the others on average (standard error 0.5), over 2 questions.",
        ),
        (
            Disagreement("q7", 2, 0.0, 0.5, 0.5, (("ben", 0.0), ("ana", 0.5))),
            "The 2 answers to question q7 are up to 0.5 apart: ben 0, ana 0.5.",
        ),
        (
            SelfConsistency("ana", 1, 0.1, 0.0707, -0.1, None),
            "ana repeated 1 answer, 0.1 from the first on average and 0.1 lower (standard error unknown): "
            "a single answer has a standard deviation of about 0.0707.",
        ),
    ],
)
def test_every_finding_is_one_sentence(found, sentence):
    assert str(found) == sentence


# --- ordinal data ---

PUBLISHED = [[float(one) for one in unit if one != "."] for unit in zip(*(row.split() for row in KRIPPENDORFF_2011))]


def test_alpha_for_ordinal_data_is_the_published_one():
    assert round(krippendorff_alpha(PUBLISHED, "ordinal"), 3) == 0.815


def plain_ordinal_alpha(units):
    """Return α by its definition: every two values compared, by the values that lie between them."""
    units = [unit for unit in units if len(unit) > 1]
    values = sorted(value for unit in units for value in unit)
    count = Counter(values)

    def difference(one, other):
        low, high = min(one, other), max(one, other)
        between = sum(n for value, n in count.items() if low <= value <= high)
        return (between - (count[low] + count[high]) / 2.0) ** 2

    observed = sum(
        difference(one, other) / (len(unit) - 1) for unit in units for one, other in permutations(unit, 2)
    ) / len(values)
    expected = sum(difference(one, other) for one, other in permutations(values, 2)) / (len(values) * (len(values) - 1))
    return 1.0 - observed / expected


def test_alpha_for_ordinal_data_is_that_of_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        units = [rng.integers(0, 5, rng.integers(1, 5)).tolist() for _ in range(15)]
        assert krippendorff_alpha(units, "ordinal") == pytest.approx(plain_ordinal_alpha(units))


def test_alpha_for_ordinal_data_does_not_depend_on_how_far_apart_values_are():
    stretched = [[value**3 for value in unit] for unit in PUBLISHED]
    assert krippendorff_alpha(stretched, "ordinal") == pytest.approx(krippendorff_alpha(PUBLISHED, "ordinal"))
    assert krippendorff_alpha(stretched) != pytest.approx(krippendorff_alpha(PUBLISHED), abs=1e-3)


def test_the_interval_of_an_ordinal_alpha_says_what_it_is_of():
    found = alpha_interval(PUBLISHED, 0.95, np.random.default_rng(0), metric="ordinal")
    assert found.low < found.alpha < found.high
    assert str(found).startswith("Krippendorff's α for ordinal data is 0.815")
