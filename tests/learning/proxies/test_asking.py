"""Who is asked what, when, and what happens when asking goes wrong."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import InvalidAnswer, InvalidInput, InvalidParameter, MissingAnswers
from worlds.small_world import GROUPS, A, B, Person, Recorder, naive, sigma


@pytest.mark.parametrize("estimator", [cm.NaiveSimilarity, cm.ClusterSimilarity])
def test_the_same_question_is_never_put_twice(estimator):
    recorder = Recorder()
    est = estimator(epsilon=0.02, delta=0.05, random_state=0).fit(GROUPS, recorder)
    assert len(recorder.pairs) == len(set(recorder.pairs)) == est.n_questions_


def test_all_three_counts_are_reported():
    est = naive().fit(GROUPS, sigma)
    n = cm.sample_size(0.1)
    distinct = [len(sample.elements) for sample in est.samples_.values()]
    assert all(size < n for size in distinct)
    counts = est.question_counts_
    assert (counts.ordered_with_repeats, counts.unordered_with_repeats) == (2 * n * n, n * n)
    assert counts.distinct == est.n_questions_ == distinct[0] * distinct[1]
    assert est.n_paper_queries_ == 2 * n * n


def test_cluster_counts_representatives_which_never_repeat():
    est = cm.ClusterSimilarity(epsilon=0.05, delta=0.1, random_state=0).fit(GROUPS, sigma)
    left, right = (len(sample.representatives) for sample in est.samples_.values())
    assert est.question_counts_ == cm.guarantees.theorem.QuestionCounts(2 * left * right, left * right, left * right)


def test_on_demand_asks_when_a_prediction_first_needs_it_and_remembers():
    recorder = Recorder()
    est = naive(ask="on_demand").fit(GROUPS, recorder)
    assert recorder.pairs == []
    first = est.predict(A[:5], B[:5])
    asked = len(recorder.pairs)
    assert 1 <= asked <= 5
    np.testing.assert_array_equal(est.predict(A[:5], B[:5]), first)
    assert len(recorder.pairs) == asked == est.n_questions_
    np.testing.assert_array_equal(est.predict(A, B), naive().fit(GROUPS, sigma).predict(A, B))
    assert len(recorder.pairs) == len(set(recorder.pairs))


def test_on_demand_intervals_first_ask_what_predict_would_ask():
    recorder = Recorder()
    est = naive(ask="on_demand").fit(GROUPS, recorder)
    lower, upper = est.predict_interval(A[:3], B[:3])
    assert recorder.pairs
    assert (lower <= sigma(A[:3], B[:3])).all()
    assert (sigma(A[:3], B[:3]) <= upper).all()
    asked = len(recorder.pairs)
    est.predict(A[:3], B[:3])
    assert len(recorder.pairs) == asked


def test_on_demand_matrices_ask_for_every_pair_once():
    recorder = Recorder()
    est = naive(ask="on_demand").fit(GROUPS, recorder)
    np.testing.assert_array_equal(
        est.predict_matrix(A[:6], B[:9]), naive().fit(GROUPS, sigma).predict_matrix(A[:6], B[:9])
    )
    assert len(recorder.pairs) == len(set(recorder.pairs))


def test_later_answers_tighten_earlier_intervals():
    est = naive(ask="on_demand").fit(GROUPS, sigma)
    before = est.predict_interval(A[:1], B[:1])
    est.predict(A, B)
    after = est.predict_interval(A[:1], B[:1])
    assert before[0] <= after[0]
    assert after[1] <= before[1]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("the line went dead")])
def test_an_interrupted_fit_keeps_its_answers_and_goes_on(error, monkeypatch):
    monkeypatch.setattr("commensurate.asking.oracle.FUNCTION_BLOCK", 100)
    recorder = Recorder(fail_after=250, error=error)
    est = naive()
    with pytest.raises(type(error)):
        est.fit(GROUPS, recorder)
    answered = est.n_questions_
    assert answered == len(recorder.pairs) > 0
    known = est.samples_["a"].elements.points[:1], est.samples_["b"].elements.points[:1]
    assert est.predict(*known) == sigma(*known)
    recorder.fail_after = None
    est.resume()
    assert len(recorder.pairs) == len(set(recorder.pairs)) == est.n_questions_
    np.testing.assert_array_equal(est.predict(A, B), naive().fit(GROUPS, sigma).predict(A, B))


def test_an_interrupted_estimator_says_what_it_does_not_know(monkeypatch):
    monkeypatch.setattr("commensurate.asking.oracle.FUNCTION_BLOCK", 50)
    est = naive()
    with pytest.raises(RuntimeError):
        est.fit(GROUPS, Recorder(fail_after=50, error=RuntimeError()))
    with pytest.raises(MissingAnswers, match=r"never answered.*resume\(oracle\)"):
        est.predict(A, B)
    lower, upper = est.predict_interval(A, B)
    assert (lower <= sigma(A, B)).all()
    assert (sigma(A, B) <= upper).all()


def test_asking_both_ways_keeps_two_answers():
    def lopsided(left, right, between):
        return sigma(left, right) + (between == ("b", "a"))

    est = naive(symmetric=False).fit(GROUPS, lopsided)
    assert set(est.n_questions_by_pair_) == {("a", "b"), ("b", "a")}
    assert est.question_counts_.distinct == est.n_questions_
    np.testing.assert_array_equal(
        est.predict(GROUPS["b"], GROUPS["b"], between=("b", "a")) >= 1.0, np.ones(len(GROUPS["b"]), dtype=bool)
    )


def test_an_oracle_object_sees_whole_questions():
    person = Person()
    table = {name: pd.DataFrame(points, columns=["u", "v"]) for name, points in GROUPS.items()}
    est = naive().fit(table, person)
    assert len(person.questions) == est.n_questions_
    question = person.questions[0]
    assert question.between == ("a", "b")
    assert set(question.left_record) == {"u", "v"}
    assert question.left_record["u"] == table["a"].loc[int(question.left_id), "u"]
    function = naive().fit(table, lambda left, right, between: np.abs(left[:, 0] - right[:, 1]))
    np.testing.assert_array_equal(
        est.predict(table["a"][:9], table["b"][:9]), function.predict(table["a"][:9], table["b"][:9])
    )


@pytest.mark.parametrize(
    ("oracle", "message"),
    [
        (lambda left, right, between: np.zeros(3), r"shape \(\d+,\).*got \(3,\)"),
        (lambda left, right, between: np.zeros((len(left), 1)), r"got \(\d+, 1\)"),
        (
            lambda left, right, between: np.where(np.arange(len(left)) == 4, np.nan, 0.0),
            "finite.*got nan for element '.*no question may be left unanswered here",
        ),
        (lambda left, right, between: np.full(len(left), -1.0), "got -1.0 for element"),
        (lambda left, right, between: ["near"] * len(left), "must be real numbers"),
        (lambda left, right, between: ["0.5"] * len(left), "must be real numbers"),
        (lambda left, right, between: np.zeros(len(left), "m8[s]"), "must be real numbers"),
        (lambda left, right, between: np.full(len(left), 1j), "must be real numbers"),
        (lambda left, right, between: np.ma.masked_all(len(left)), "must be real numbers"),
        (lambda left, right, between: None, r"got \(\)"),
    ],
)
def test_a_wrong_answer_names_what_is_wrong(oracle, message):
    with pytest.raises(InvalidAnswer, match=message):
        naive().fit(GROUPS, oracle)


def test_nan_in_answers_to_a_plan_means_unanswered():
    est = naive()
    plan = est.plan(GROUPS)
    answers = {question.question_id: 0.5 for question in plan.questions}
    first, *_ = answers
    for given in ({**answers, first: np.nan}, [cm.Answer(name, np.nan if name == first else 0.5) for name in answers]):
        with pytest.raises(MissingAnswers, match="1 of the plan.s questions have no answer"):
            est.fit(plan=plan, answers=given)


def test_the_first_offending_pair_is_named():
    est = naive()
    with pytest.raises(InvalidAnswer, match="got inf") as caught:
        est.fit(GROUPS, lambda left, right, between: np.where(np.arange(len(left)) == 1, np.inf, 0.0))
    first, second = est.samples_["a"].elements.ids[0], est.samples_["b"].elements.ids[1]
    assert f"element {first!r} of 'a' and {second!r} of 'b'" in str(caught.value)


def test_an_unanswered_question_from_an_oracle_object_is_found():
    class Forgetful:
        def ask(self, questions):
            return [cm.Answer(q.question_id, 0.5) for q in questions[1:]]

    with pytest.raises(InvalidAnswer, match="one number per pair"):
        naive().fit(GROUPS, Forgetful())


@pytest.mark.parametrize("estimator", [naive(), cm.BudgetedSimilarity(budget=40, learner="gp", random_state=0)])
def test_what_a_person_answered_before_an_interrupt_is_kept_and_not_asked_again(estimator):
    class Person:
        asked = 0

        def ask(self, questions):
            for _ in questions:
                self.asked += 1
                if self.asked == 8:
                    raise KeyboardInterrupt
            return [np.abs(question.left - question.right).sum() for question in questions]

    person = Person()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(GROUPS, person)
    assert estimator.n_questions_ == 7
    estimator.resume()
    assert person.asked == estimator.n_questions_ + 1


def test_a_refit_that_fails_before_its_first_answer_keeps_what_was_known():
    est = naive().fit(GROUPS, sigma)
    before = est.predict(A, B)
    with pytest.raises(InvalidAnswer):
        est.fit({name: points + 1.0 for name, points in GROUPS.items()}, lambda left, right, between: -left[:, 0])
    np.testing.assert_array_equal(est.predict(A, B), before)


def test_an_interrupt_between_keeping_an_answer_and_counting_it_does_no_harm():
    class Interrupting(np.ndarray):
        """An array that is interrupted right after an assignment, as a signal handler may do."""

        armed = False

        def __setitem__(self, key, value):
            super().__setitem__(key, value)
            if self.armed:
                raise KeyboardInterrupt

    est = naive(ask="on_demand").fit(GROUPS, sigma)
    table = est.tables_["a", "b"]
    table.values = table.values.view(Interrupting)
    table.values.armed = True
    with pytest.raises(KeyboardInterrupt):
        est.predict(A, B)
    table.values = np.asarray(table.values)
    assert table.n_answered == np.count_nonzero(~np.isnan(table.values)) > 0
    est.resume()
    assert table.complete


def test_a_person_is_never_asked_more_than_a_handful_at_once():
    sizes = []

    class Patient(Person):
        def ask(self, questions):
            sizes.append(len(questions))
            return super().ask(questions)

    naive(ask="on_demand").fit(GROUPS, Patient()).predict(np.repeat(A, 9, 0), np.tile(B, (9, 1)))
    naive().fit(GROUPS, Patient())
    assert max(sizes) <= 64


def test_an_answer_to_a_question_that_was_not_asked_is_an_error():
    class Chatty(Person):
        def ask(self, questions):
            return [*super().ask(questions), cm.Answer("unasked", 0.5)]

    with pytest.raises(InvalidAnswer, match="'unasked', which it was not asked"):
        naive().fit(GROUPS, Chatty())


def test_what_people_answer_is_kept_exactly_however_large_the_table(monkeypatch):
    monkeypatch.setattr("commensurate.learning.proxies.answer_table.EXACT_ANSWERS", 100)
    assert naive().fit(GROUPS, sigma).tables_["a", "b"].values.dtype == np.float32
    assert naive().fit(GROUPS, Person()).tables_["a", "b"].values.dtype == np.float64
    assert naive(ask="on_demand").fit(GROUPS, sigma).tables_["a", "b"].values.dtype == np.float64


def test_an_answer_too_large_for_float32_is_refused(monkeypatch):
    monkeypatch.setattr("commensurate.learning.proxies.answer_table.EXACT_ANSWERS", 100)
    with pytest.raises(InvalidAnswer, match="must be at most 3.4e\\+38 here, got 1e\\+39"):
        naive().fit(GROUPS, lambda left, right, between: np.full(len(left), 1e39))


def test_rounded_tables_are_no_contradiction_and_widen_the_guarantee(monkeypatch):
    exact = naive().fit(GROUPS, sigma)
    monkeypatch.setattr("commensurate.learning.proxies.answer_table.EXACT_ANSWERS", 100)
    rounded = naive().fit(GROUPS, sigma)
    assert rounded.check_answers().consistent
    table = rounded.tables_["a", "b"]
    (one,), (other,) = exact.guarantee().pairs, rounded.guarantee().pairs
    assert other.table_tolerance - one.table_tolerance == pytest.approx(table.rounding)
    assert table.rounding > 0.0


def test_fit_says_what_it_needs():
    with pytest.raises(InvalidInput, match="needs groups"):
        naive().fit(oracle=sigma)
    with pytest.raises(InvalidInput, match="needs an oracle"):
        naive().fit(GROUPS)
    with pytest.raises(InvalidInput, match="the plan that they belong to"):
        naive().fit(GROUPS, sigma, answers={})
    with pytest.raises(InvalidParameter, match="got int"):
        naive().fit(GROUPS, 7)
    est = naive(ask="on_demand")
    est.fit(plan=est.plan(GROUPS), answers={})
    with pytest.raises(MissingAnswers, match="there is no oracle to ask"):
        est.resume()


def test_large_tables_are_kept_as_float32_and_say_by_how_much_that_rounds(monkeypatch):
    monkeypatch.setattr("commensurate.learning.proxies.answer_table.EXACT_ANSWERS", 100)
    est = naive().fit(GROUPS, sigma)
    table = est.tables_["a", "b"]
    assert table.values.dtype == np.float32
    exact = naive().fit(GROUPS, sigma)
    assert np.abs(est.predict(A, B) - exact.predict(A, B)).max() <= table.rounding
    lower, upper = est.predict_interval(A, B)
    assert (lower <= exact.predict_interval(A, B)[0]).all()
    assert (exact.predict_interval(A, B)[1] <= upper).all()
