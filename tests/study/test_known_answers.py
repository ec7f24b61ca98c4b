"""Studies of pairs that were answered before: what they hold, what is learnt from them, and what is refused."""

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.errors import CommensurateError, InvalidAnswer, InvalidInput, InvalidParameter
from commensurate.study.fitting import plan_of
from commensurate.study.known_answers import UNNAMED
from commensurate.study.store import reading
from commensurate.study.study import Study
from worlds.small_study import questions_of

N = 300
CLAIMS = ("new elements", "pairs of these elements")
AGES = np.random.default_rng(0).integers(18, 80, N)
PEOPLE = pd.DataFrame({"married": ["yes", "no"] * (N // 2), "age": AGES}, index=[f"p{k}" for k in range(N)])
AGE = PEOPLE["age"]
EITHER = {name: PEOPLE.index[PEOPLE["married"] == name] for name in ("yes", "no")}


def known(n=100, seed=1, **columns):
    """Return n different pairs, each with an answer of Ana or Ben."""
    rng = np.random.default_rng(seed)
    left, right = np.divmod(rng.choice((N // 2) ** 2, n, replace=False), N // 2)
    table = pd.DataFrame({"left_id": EITHER["yes"][left], "right_id": EITHER["no"][right]})
    apart = np.abs(AGE.loc[table["left_id"]].to_numpy() - AGE.loc[table["right_id"]].to_numpy()) / 60.0
    expert = np.where(np.arange(n) % 3, "Ana", "Ben")
    return table.assign(answer=apart + 0.02 * rng.random(n), expert=expert).assign(**columns)


def study_of(place, table, people=PEOPLE, **options):
    chosen = {"group": "married", "seed": 5, "learner": "gp", **options}
    return Study.create(place, people, known_answers=table, **chosen)


def estimator(**options):
    return cm.BudgetedSimilarity(learner="gp", random_state=5, **options)


def predicted(model):
    left, right = (PEOPLE.loc[EITHER[name], ["age"]] for name in ("yes", "no"))
    return model.predict(left, right)


# --- what is learnt ---


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_study_learns_and_says_what_fit_does_with_the_same_pairs(places, claim):
    rows = known()
    # two experts about one pair, one expert twice, and rows without an answer
    table = pd.concat([rows, rows.iloc[:5].assign(expert="Cat", answer=0.4), rows.iloc[5:9].assign(answer=0.3)])
    table = pd.concat([table, rows.iloc[9:12].assign(answer=np.nan)], ignore_index=True)
    with study_of(places.empty(), table, claim=claim) as study:
        ours = study.fit()
    theirs = estimator(claim=claim).fit(cm.groups_from_table(PEOPLE, "married"), pairs=table)
    np.testing.assert_array_equal(predicted(ours), predicted(theirs))
    assert str(ours.guarantee()) == str(theirs.guarantee())
    assert ours.plan_.given == theirs.plan_.given
    assert str(ours.population_) == str(theirs.population_)
    assert ours.plan_.given["yes", "no"].unanswered == 3
    assert "pairs like those given" in str(ours.guarantee())


def test_a_file_is_read_as_a_table_is(tmp_path):
    known().to_csv(tmp_path / "known.csv", index=False)
    PEOPLE.to_csv(tmp_path / "people.csv", index_label="id")
    with (
        study_of(tmp_path / "a.db", tmp_path / "known.csv", tmp_path / "people.csv", ids="id") as from_file,
        study_of(tmp_path / "b.db", known()) as from_table,
    ):
        assert questions_of(from_file) == questions_of(from_table)
        columns = ["question_id", "answer", "expert"]
        pd.testing.assert_frame_equal(from_file.answers()[columns], from_table.answers()[columns])


def test_a_model_of_a_study_with_known_answers_can_be_kept(tmp_path):
    with study_of(tmp_path / "s.db", known()) as study:
        fitted = study.fit()
    fitted.save(tmp_path / "m.cmz")
    assert str(cm.load(tmp_path / "m.cmz").guarantee()) == str(fitted.guarantee())


def test_three_groups_are_named_and_sides_may_be_turned(tmp_path):
    rng = np.random.default_rng(0)
    tables = {name: pd.DataFrame({"x": rng.random(30)}) for name in "abc"}
    rows = [(*pair, k, (7 * k) % 30, 0.1 * k) for pair in (("a", "b"), ("c", "a"), ("b", "c")) for k in range(20)]
    table = pd.DataFrame(rows, columns=["left_group", "right_group", "left_id", "right_id", "answer"])
    claim = CLAIMS[1]
    with study_of(tmp_path / "s.db", table, tables, group=None, claim=claim) as study:
        ours, answers = study.fit(), study.answers()
    theirs = estimator(claim=claim).fit(cm.groups_from_tables(tables), pairs=table)
    assert str(ours.guarantee()) == str(theirs.guarantee())
    assert set(zip(answers["left_group"], answers["right_group"])) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert set(answers["expert"]) == {UNNAMED}


# --- what the study holds ---


@pytest.fixture
def known_twice(places):
    """A table in which experts answer some pairs twice, and its study."""
    rows = known()
    table = pd.concat([rows, rows.iloc[5:9].assign(answer=0.3), rows.iloc[5:6]], ignore_index=True)
    with study_of(places.empty(), table) as study:
        yield table, study


def test_every_answer_is_in_the_study_in_its_order_and_under_its_expert(known_twice):
    table, study = known_twice
    answers = study.answers(history=True)
    assert answers["answer"].tolist() == table["answer"].tolist()
    assert answers["expert"].tolist() == table["expert"].tolist()
    assert answers[["left_id", "right_id"]].to_numpy().tolist() == table[["left_id", "right_id"]].to_numpy().tolist()
    assert {one.origin for one in study.stored_answers()} == {"known"}
    assert len(study.answers()) == len(table), "no answer corrects another"


def test_one_experts_further_answers_to_a_pair_are_hidden_repeats(known_twice):
    _, study = known_twice
    repeats = [question for question in questions_of(study) if question.repeat_of is not None]
    assert len(repeats) == 5
    assert sum(one.n for one in study.check().repeats) >= 4
    assert len({question.question_id for question in questions_of(study)}) == 105


def test_a_study_whose_pairs_are_all_answered_is_done(known_twice):
    _, study = known_twice
    status = study.status()
    assert (status.answers_left, status.questions - status.answered) == (0, 0)
    assert status.questions + status.aside == 100
    assert status.aside > 0
    assert status.repeats == status.repeats_answered
    assert status.hours_left is None
    assert study.next_questions("Ana") == study.next_questions("Eve") == []


def test_pairs_that_share_a_record_with_a_held_out_one_are_kept_and_neither_asked_nor_learnt_from(places, tmp_path):
    with study_of(places.empty(), known(), answers_per_question=2) as study:
        questions = questions_of(study)
        aside = {one.question_id for one in questions if one.aside}
        judging = {name for one in questions if one.held_out for name in (one.left_id, one.right_id)}
        for one in questions:
            if not one.held_out:
                assert one.aside == bool({one.left_id, one.right_id} & judging)
        assert 0 < len(aside) < 34
        assert {question.question_id for question in plan_of(study).questions} == {
            q.question_id for q in questions
        } - aside
        # an expert who is unsure now takes the number away, and it is still not asked
        name = sorted(aside)[0]
        (first,) = [one for one in study.stored_answers() if one.question_id == name]
        study.record(name, None, unsure=True, expert=first.expert)
        asked = {question.question_id for question in study.next_questions("Eve", 200)}
        assert asked == {question.question_id for question in questions} - aside
        assert study.counts("Dan").open + study.counts("Dan").with_others == len(asked)
        study.export(tmp_path / "sheet.csv")
        exported = pd.read_csv(tmp_path / "sheet.csv")
        assert aside <= set(exported["question_id"])
        assert exported["answer"].notna().sum() == 99


def test_experts_answer_the_same_pairs_in_random_order_where_more_answers_are_wanted(tmp_path):
    with study_of(tmp_path / "s.db", known(40), answers_per_question=2, claim=CLAIMS[1]) as study:
        assert study.status().answers_left == 40
        asked = study.next_questions("Eve", 40)
        order = {one.question_id: k for k, one in enumerate(study.stored_answers())}
        places = [order[one.question_id] for one in asked]
        assert places != sorted(places)
        study.record(asked[0].question_id, 0.5, expert="Eve")
        assert study.status().answers_left == 39
        assert len(study.fit().logs_["yes", "no"]) == 41


def test_repeats_are_asked_if_they_are_wanted(tmp_path):
    rows = known(40)
    table = pd.concat([rows, rows.iloc[:10]], ignore_index=True)
    with study_of(tmp_path / "s.db", table, claim=CLAIMS[1], repeats=0.25) as study:
        assert (study.status().repeats, study.status().repeats_answered) == (20, 10)
        assert study.settings.repeats == 0.25
    with study_of(tmp_path / "t.db", table, claim=CLAIMS[1]) as study:
        assert (study.status().repeats, study.settings.repeats) == (10, 0.0)


def test_answers_without_an_expert_have_a_name_of_their_own(tmp_path):
    table = known(40).astype({"expert": object})
    table.loc[3:5, "expert"] = [None, np.nan, " "]
    table.loc[6, "expert"] = 7.0
    with study_of(tmp_path / "s.db", table, claim=CLAIMS[1]) as study:
        experts = study.answers()["expert"]
    assert experts[3:7].tolist() == [UNNAMED] * 3 + ["7"]
    with study_of(tmp_path / "t.db", known(40).drop(columns="expert"), claim=CLAIMS[1]) as study:
        assert set(study.answers()["expert"]) == {UNNAMED} == {"known answers"}


def test_records_with_known_answers_are_kept_whatever_is_drawn(tmp_path):
    table = known(30)
    named = set(table["left_id"]) | set(table["right_id"])
    for records in (5, 40):
        with study_of(tmp_path / f"{records}.db", table, claim=CLAIMS[1], records=records) as study:
            with study._database.reading() as connection:
                kept = {group.name: set(group.records) for group in reading.read_groups(connection)}
            needed = {name: named & set(EITHER[name]) for name in kept}
            assert all(needed[name] <= kept[name] for name in kept)
            assert {name: len(ids) for name, ids in kept.items()} == {
                name: max(records, len(ids)) for name, ids in needed.items()
            }
            theirs = estimator(claim=CLAIMS[1]).fit(cm.groups_from_table(PEOPLE, "married"), pairs=table)
            np.testing.assert_array_equal(predicted(study.fit()), predicted(theirs))


def test_a_forgotten_record_takes_its_pairs_along_and_the_rest_stays_as_it_was(tmp_path):
    with study_of(tmp_path / "s.db", known()) as study:
        before, gone = plan_of(study), next(one for one in questions_of(study) if one.held_out)
        n_aside = study.status().aside
        study.forget(gone.left_id)
        after = plan_of(study)
        names = {question.question_id for question in before.questions}
        assert {question.question_id for question in after.questions} == names - {gone.question_id}
        # some of the pairs that shared the record are forgotten with it, and none comes back
        counts = after.given["yes", "no"]
        assert counts.dropped == study.status().aside <= n_aside
        assert counts.pairs == len(after.questions) + counts.dropped
        assert "pairs like those given" in str(study.fit().guarantee())


def test_simulated_experts_do_not_mix_with_known_answers(tmp_path):
    with study_of(tmp_path / "s.db", known()) as study, pytest.raises(InvalidInput, match="must not mix"):
        study.simulate()


def test_a_study_with_known_answers_is_copied_with_them(tmp_path):
    with study_of(tmp_path / "s.db", known()) as study:
        study.backup(tmp_path / "copy.db")
        with Study(tmp_path / "copy.db") as copy:
            assert copy.stored_answers() == study.stored_answers()
            assert copy.settings == study.settings
            assert str(copy.fit().guarantee()) == str(study.fit().guarantee())


# --- what is refused ---


def changed(row, **cells):
    table = known(40).astype(object)
    for column, value in cells.items():
        table.loc[row, column] = value
    return table


GROUPED = {"left_group": "yes", "right_group": "no"}
BAD = {
    "unknown id": (
        changed(3, left_id="p999"),
        "row 3 of known_answers, column left_id: .* no element with the id 'p999'",
    ),
    "other group": (
        changed(3, right_id="p0"),
        "row 3 of known_answers, column right_id: group 'no' has no element .*'p0'",
    ),
    "negative": (
        changed(4, answer=-0.5),
        "row 4 of known_answers, column answer: .* at least 0 .*got -0.5; correct it",
    ),
    "no number": (changed(4, answer="far"), "row 4 of known_answers, column answer: .*got 'far'; correct it"),
    "infinite": (changed(4, answer=np.inf), "row 4 of known_answers, column answer: .*got inf"),
    "expert": (changed(2, expert="A\nB"), "row 2 of known_answers, column expert: .*one line of text"),
    "no column": (known(40).drop(columns="answer"), "known_answers must have the columns .*; missing: answer"),
    "one group": (known(40, left_group="yes"), "known_answers must have the columns .*; missing: right_group"),
    "same group": (
        known(40, left_group="yes", right_group="yes"),
        "row 0 of known_answers is about two elements of 'yes'",
    ),
    "strange group": (
        known(40, **{**GROUPED, "left_group": "maybe"}),
        "row 0 .*, column left_group, names a group 'maybe'",
    ),
    "no rows": (known(40).head(0), "known_answers has no answer between 'yes' and 'no'"),
    "no answers": (known(40, answer=np.nan), "known_answers has no answer between 'yes' and 'no'"),
    "few": (known(4), "known_answers must be about more than 4 different pairs, got 4"),
    "number": (5, "known_answers must be a DataFrame or a mapping of columns .* got int"),
    "too many shared": (
        known(9000).query("left_id in @EITHER['yes'][:30]"),
        "more than a third.*use claim='pairs of these elements'",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_with_a_table_is_told_and_nothing_remains(tmp_path, name):
    table, message = BAD[name]
    with pytest.raises(CommensurateError, match=message):
        study_of(tmp_path / "s.db", table)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", InvalidInput, "known.csv is empty; its first line must name the columns"),
        ("left_id,right_id,answer\n", InvalidInput, "known.csv has no answers, only the header"),
        (
            "left_id,answer\np0,1\n",
            InvalidInput,
            "known.csv must have the columns left_id, right_id, answer; missing: right",
        ),
        (
            "left_id,right_id,answer\np0,p1,0.5\n\np2,p1,far\n",
            InvalidAnswer,
            "line 4 of .*known.csv, column answer: .*'far'",
        ),
        ("left_id,right_id,answer\np0,p1,-1\n", InvalidAnswer, "line 2 of .*known.csv, column answer: .*got '-1'"),
        ("left_id,right_id,answer\np0,p999,0\n", InvalidInput, "line 2 of .*known.csv, column right_id: .*'p999'"),
        ("left_id,right_id,answer\np0,,0\n", InvalidInput, "line 2 of .*known.csv, column right_id: "),
        ("left_id,right_id,answer,answer\np0,p1,0,0\n", InvalidInput, "two columns named 'answer'"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line_and_nothing_remains(places, tmp_path, text, error, message):
    (tmp_path / "known.csv").write_text(text)
    place, files = places.empty(), set(tmp_path.iterdir())
    with pytest.raises(error, match=message):
        study_of(place, tmp_path / "known.csv")
    assert set(tmp_path.iterdir()) == files
    # nor is anything left on a server: a study can be made there
    study_of(place, known(40), claim=CLAIMS[1]).close()


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InvalidInput, match="cannot read .*absent.csv: the file does not exist"):
        study_of(tmp_path / "s.db", tmp_path / "absent.csv")


def test_questions_are_not_counted_where_they_are_given(tmp_path):
    with pytest.raises(InvalidParameter, match="questions must be left out with known_answers"):
        study_of(tmp_path / "s.db", known(), questions=50)
    with pytest.raises(InvalidParameter, match=r"unknown option 'known_answer'; did you mean 'known_answers'\?"):
        Study.create(tmp_path / "s.db", PEOPLE, group="married", known_answer=known())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("options", [{"calibration": 1.5}, {"answer_error": -1.0}, {"answer_error": "some"}], ids=str)
def test_options_are_checked_as_for_other_studies(tmp_path, options):
    with pytest.raises(InvalidParameter):
        study_of(tmp_path / "s.db", known(), **options)
    assert list(tmp_path.iterdir()) == []


def test_a_study_that_fails_while_answers_are_recorded_is_not_made(places, monkeypatch):
    from commensurate.study.store import making

    recorded, record = [], making.record_answer

    def failing(*given):
        if len(recorded) == 7:
            raise OSError(28, "No space left on device")
        recorded.append(given)
        return record(*given)

    place = places.empty()
    with monkeypatch.context() as patch:
        patch.setattr(making, "record_answer", failing)
        with pytest.raises(OSError, match="No space"):
            study_of(place, known())
    with study_of(place, known()) as study:
        assert len(study.answers()) == 100
