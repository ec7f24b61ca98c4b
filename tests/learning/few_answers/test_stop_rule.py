import math

import numpy as np
import pytest

from commensurate import NaiveSimilarity
from commensurate.errors import InvalidInput, InvalidParameter, UnknownGroup
from commensurate.guarantees.stopping import proved_share
from commensurate.learning.few_answers.stop_rule import StopRule


class Judged:
    """Stands in for an estimator: nothing but errors on held-out answers, by pair of groups."""

    def __init__(self, **errors):
        self.errors = {tuple(name): np.asarray(found, dtype=float) for name, found in errors.items()}

    @property
    def n_questions_by_pair_(self):
        return {pair: 5 * len(found) for pair, found in self.errors.items()}

    def held_out_errors(self, between):
        return self.errors[between]


def errors(n, misses=0, hit=0.01):
    return [9.0] * misses + [hit] * (n - misses)


def test_a_rule_stops_when_the_share_is_proved():
    look = StopRule(share=0.9, tolerance=0.05).look(Judged(ab=errors(60)))
    assert look.stop
    assert (look.number, look.n_held_out, look.misses, look.more_needed) == (1, 60, 0, 0)
    assert look.level == pytest.approx(0.025)
    assert look.proved == pytest.approx(proved_share(0, 60, 0.025))


def test_a_rule_goes_on_when_misses_are_too_many():
    look = StopRule(share=0.9, tolerance=0.05).look(Judged(ab=errors(60, misses=4)))
    assert not look.stop
    assert look.proved < 0.9
    assert (look.more_needed, look.more_if_misses_remain) == (0, 55), "learning may turn every miss into a hit, or none"


def test_as_many_further_hits_as_the_look_asks_for_stop_at_the_next_look_and_one_less_does_not():
    for short, stops in ((0, True), (1, False)):
        rule = StopRule()
        more = rule.look(Judged(ab=errors(60, misses=4))).more_if_misses_remain
        assert rule.look(Judged(ab=errors(60 + more - short, misses=4))).stop == stops


def test_with_all_misses_turned_into_hits_the_least_number_of_further_answers_stops_and_one_less_does_not():
    for short, stops in ((0, True), (1, False)):
        rule = StopRule()
        more = rule.look(Judged(ab=errors(36, misses=2))).more_needed
        assert rule.look(Judged(ab=errors(36 + more - short))).stop == stops


def test_as_many_hits_as_a_look_that_is_too_early_asks_for_stop():
    rule = StopRule()
    more = rule.look(Judged(ab=errors(10))).more_needed
    assert rule.look(Judged(ab=errors(10 + more))).stop
    assert len(rule.looks) == 1


def test_an_error_of_exactly_the_tolerance_is_within_it():
    assert StopRule(tolerance=0.5).look(Judged(ab=errors(60, hit=0.5))).misses == 0
    assert StopRule(tolerance=0.5).look(Judged(ab=errors(60, hit=math.nextafter(0.5, 1.0)))).misses == 60


def test_an_error_that_is_no_number_is_a_miss():
    assert StopRule().look(Judged(ab=[math.nan] * 60)).misses == 60


def test_a_look_that_could_not_stop_is_not_counted():
    rule = StopRule(share=0.9)
    early = rule.look(Judged(ab=errors(35)))
    assert (early.stop, early.number, early.level, early.proved) == (False, 0, 0.0, 0.0)
    assert rule.looks == ()
    assert rule.look(Judged(ab=errors(36))).number == 1


def test_a_look_at_nothing_new_is_the_earlier_look_and_spends_nothing():
    rule = StopRule()
    first = rule.look(Judged(ab=errors(60, misses=4)))
    assert rule.look(Judged(ab=errors(60, misses=4))) is first
    changed_model = rule.look(Judged(ab=errors(60, misses=4, hit=0.02)))
    assert changed_model.number == 2
    assert rule.looks == (first, changed_model)


def test_every_further_look_is_stricter():
    rule = StopRule()
    proved = [rule.look(Judged(ab=errors(60, misses=4, hit=hit))).proved for hit in (0.01, 0.02, 0.03)]
    assert proved[0] > proved[1] > proved[2]


def test_a_claim_about_all_pairs_of_groups_needs_every_one():
    good, bad = errors(60), errors(60, misses=9)
    assert StopRule().look(Judged(ab=good, ac=good, bc=good)).stop
    look = StopRule().look(Judged(ab=good, ac=bad, bc=good))
    assert not look.stop
    assert [pair.misses for pair in look.pairs] == [0, 9, 0]
    assert look.proved == pytest.approx(proved_share(9, 60, 0.025))


def test_a_named_pair_of_groups_is_judged_alone_whichever_side_is_named_first():
    est = Judged(ab=errors(60), ac=errors(60, misses=9))
    assert StopRule().look(est, between=("b", "a")).stop
    assert not StopRule().look(est, between=("a", "c")).stop


def test_looks_at_different_pairs_of_groups_share_the_levels():
    rule, est = StopRule(), Judged(ab=errors(60), ac=errors(60))
    assert [rule.look(est, between=pair).number for pair in (("a", "b"), ("a", "c"), ("a", "b"))] == [1, 2, 1]


def test_words_tell_what_was_found_and_what_it_rests_on():
    rule = StopRule(share=0.9, tolerance=0.05)
    early, more, stop = (rule.look(Judged(ab=found)) for found in (errors(20), errors(60, 4), errors(160, 4)))
    assert "Too early to tell" in str(early)
    assert "does not count" in str(early)
    assert str(more).startswith(
        "Not yet proved that at least 90 % of pairs of new elements like these are within 0.05. Check 1: of the held-out "
        "answers, 4 of 60"
    )
    assert f"To stop, {more.more_if_misses_remain} further held-out answers are needed" in str(more)
    assert "fewer, or none, if further learning turns misses into hits" in str(more)
    assert f"To stop, at least {early.more_needed} further held-out answers are needed, none of them a miss." in str(
        early
    )
    assert str(stop).startswith(
        "Experts have answered enough: with confidence 95 %, at least 90 % of pairs of new elements like these are within "
        "0.05."
    )
    for assumption in (
        "each drawn at random like those of its group",
        "never learnt from held-out answers",
        "first stop",
        "a new answer",
    ):
        assert assumption in str(stop)


def test_words_name_the_pairs_of_groups_where_there_are_several():
    text = str(StopRule().look(Judged(ab=errors(60), ac=errors(60, 1))))
    assert "in each of the 2 pairs of groups" in text
    assert "1 of 60 about a and c is a miss" in text


@pytest.mark.parametrize("tolerance", [-0.1, math.nan, math.inf, "0.1"])
def test_a_tolerance_that_is_none_is_refused(tolerance):
    with pytest.raises(InvalidParameter, match="tolerance must be a finite number"):
        StopRule(tolerance=tolerance)


def test_groups_that_were_not_asked_about_are_named():
    with pytest.raises(UnknownGroup, match="no question was asked between 'a' and 'z'"):
        StopRule().look(Judged(ab=errors(60)), between=("a", "z"))
    with pytest.raises(InvalidParameter, match="between must be a pair of group names"):
        StopRule().look(Judged(ab=errors(60)), between="ab")


def test_errors_that_are_no_vector_are_refused():
    with pytest.raises(InvalidInput, match="one error per answer, got shape"):
        StopRule().look(Judged(ab=np.zeros((60, 2))))


def test_an_estimator_without_held_out_answers_cannot_be_judged():
    with pytest.raises(InvalidInput, match="NaiveSimilarity holds none out; pass a BudgetedSimilarity"):
        StopRule().look(NaiveSimilarity())


def test_a_rule_tells_its_claim_and_how_many_looks_were_taken():
    assert repr(StopRule(tolerance=0.1, earlier_looks=2)) == (
        "StopRule(share=0.9, tolerance=0.1, confidence_level=0.95, earlier_looks=2)"
    )


def test_the_tolerance_by_its_old_name_is_taken_with_a_warning():
    with pytest.warns(DeprecationWarning, match="within= is now tolerance="):
        assert StopRule(within=0.2).tolerance == 0.2


# --- whether the tolerance tells anything ---


class JudgedBesideOneGuess(Judged):
    """Also knows what one guess for every pair would do."""

    def __init__(self, share_within, **errors):
        super().__init__(**errors)
        self.share_within = share_within

    def one_guess_within(self, tolerance, between):
        return self.share_within[between[1]]


def test_a_stop_says_in_its_first_sentence_that_one_guess_meets_the_claim():
    look = StopRule(tolerance=0.075).look(JudgedBesideOneGuess({"b": 1.0}, ab=errors(60)))
    assert look.stop
    assert look.asks_for_little
    assert str(look).startswith(
        "Experts have answered enough, but a tolerance of 0.075 asks for little: one guess for every pair, the median of "
        "the answers, is within it of 100 % of the answers. With confidence 95 %, at least 90 % of pairs"
    )


def test_a_look_that_does_not_stop_says_so_too():
    for n, misses in ((60, 10), (10, 0)):
        look = StopRule().look(JudgedBesideOneGuess({"b": 0.9}, ab=errors(n, misses)))
        assert not look.stop
        assert "Besides, a tolerance of 0.05 asks for little" in str(look)


def test_nothing_is_said_where_one_guess_does_not_meet_the_claim_in_every_pair_of_groups():
    judged = JudgedBesideOneGuess({"b": 1.0, "c": 0.89}, ab=errors(60), ac=errors(60))
    assert "asks for little" not in str(StopRule().look(judged))
    assert "asks for little" in str(StopRule().look(judged, ("a", "b")))
    assert "asks for little" not in str(StopRule().look(Judged(ab=errors(60))))
