"""All that is done with a study is a verb of it."""

import inspect
import os
import subprocess
import sys

import pytest

import commensurate as cm
from commensurate.errors import CorruptStudy, InvalidInput, InvalidParameter, StudyError, StudyExists
from commensurate.study import fitting, invitations, owner_desk, simulate
from commensurate.study.judging import check, status
from commensurate.study.sheets import exchange
from commensurate.study.study import Study
from worlds.small_study import Clock, answer_all, small_study


@pytest.fixture
def study(tmp_path):
    with small_study(tmp_path) as made:
        yield made


@pytest.fixture
def answered(study):
    study.simulate(noise=0.05)
    return study


def test_a_study_is_opened_by_its_path(study):
    with cm.Study(study.file) as opened, cm.Study(str(study.file)) as again:
        assert repr(opened) == repr(again) == repr(study)
        assert opened.settings == again.settings == study.settings


def test_the_older_way_to_open_a_study_says_what_to_write_instead(study):
    with pytest.warns(DeprecationWarning, match=r"write Study\(place\)") as warned:
        opened = Study.open(study.file)
    with opened:
        assert opened.settings == study.settings
    assert [one.filename for one in warned] == [__file__]


def test_the_constructor_takes_a_clock(study):
    clock = Clock()
    clock.move(minutes=90)
    with Study(study.file, clock=clock) as opened:
        (question,) = opened.next_questions("ana")
        recorded = opened.record(question.question_id, 0.5, expert="ana")
    assert recorded.answered_at == "2026-03-01T10:30:00.000000+00:00"


def test_a_file_that_is_no_study_is_not_opened(tmp_path):
    (tmp_path / "people.db").write_text("no study")
    with pytest.raises(CorruptStudy):
        Study(tmp_path / "people.db")
    with pytest.raises(StudyError):
        Study(tmp_path / "nowhere.db")


def test_a_study_that_cannot_be_read_is_closed_again(study_file, monkeypatch):
    closed = []

    def fails(_connection):
        raise CorruptStudy("settings are gone")

    monkeypatch.setattr("commensurate.study.study.reading.read_settings", fails)
    monkeypatch.setattr("commensurate.study.study.Database.close", lambda database: closed.append(database))
    with pytest.raises(CorruptStudy, match="settings are gone"):
        Study(study_file)
    # the first was opened to see whether the file is a study
    assert [database.file for database in closed] == [study_file, study_file]


def test_status_counts_what_was_answered(study):
    assert (study.status().answers, study.status().answers_left) == (0, 20)
    answer_all(study, "ana")
    assert (study.status().answers, study.status().answers_left) == (20, 0)
    assert study.status() == status.status_of(study)


def test_simulated_experts_answer_all_that_is_open(study):
    rehearsal = study.simulate(noise=0.1, seed=3)
    assert rehearsal.answers == study.status().simulated == 20


def test_a_simulation_is_refused_once_a_person_has_answered(study):
    answer_all(study, "ana")
    with pytest.raises(InvalidInput, match="people have answered"):
        study.simulate()


def test_check_compares_the_answers(answered):
    assert answered.check(worst=3, confidence_level=0.9) == check.check_study(answered, worst=3, confidence_level=0.9)


def test_fit_learns_from_the_answers(answered):
    model = answered.fit(answer_error=0.2)
    assert model.answer_error == 0.2
    assert isinstance(model, cm.BudgetedSimilarity)
    assert model.budget == answered.settings.questions


def test_what_was_exported_is_imported_again(study, tmp_path):
    answer_all(study, "ana")
    assert study.export(tmp_path / "sheet.csv") == 20
    with small_study(tmp_path, name="other.db") as other:
        assert other.import_(tmp_path / "sheet.csv").new == 20
        assert list(other.answers()["answer"]) == list(study.answers()["answer"])


def test_an_exported_history_has_corrected_answers_too(study, tmp_path):
    first, *_ = answer_all(study, "ana")
    study.record(first, 0.9, expert="ana")
    assert study.export(tmp_path / "last.csv") == 20
    assert study.export(tmp_path / "all.csv", history=True) == 21


def test_rows_that_name_nobody_are_answers_of_the_named_expert(study, tmp_path):
    sheet = tmp_path / "sheet.csv"
    study.export(sheet)
    header, first, *_ = sheet.read_text(encoding="utf-8-sig").splitlines()
    cells = dict(zip(header.split(","), first.split(","), strict=True))
    sheet.write_text(f"question_id,answer\n{cells['question_id']},0.4\n")
    study.import_(sheet, expert="ben")
    assert list(study.answers()["expert"]) == ["ben"]


def test_a_worksheet_keeps_its_questions_from_others(study, tmp_path):
    assert study.export_worksheet(tmp_path / "ana.csv", expert="ana", n=15, days=2) == 15
    assert len(study.next_questions("ben", 20)) == 5


def test_an_invited_expert_is_let_in_until_her_link_is_revoked(study):
    token = study.invite("ana")
    assert invitations.invited_expert(study, token) == "ana"
    study.revoke("ana")
    assert invitations.invited_expert(study, token) is None
    with pytest.raises(InvalidInput, match="no valid link"):
        study.revoke("ana")


def test_an_answered_question_is_put_again(tmp_path):
    with small_study(tmp_path, calibration=0.0) as study:
        first, *_ = answer_all(study, "ana")
        assert study.ask_again(first) == ("ana",)
        assert [(one.question_id, one.again) for one in study.next_questions("ana")] == [(first, True)]


def test_a_forgotten_record_is_gone_and_the_answers_about_it_stay(answered):
    (about, *_) = answered.stored_answers()
    done = answered.forget(about.left_id, group=about.left_group)
    assert done.answers >= 1
    assert about.left_id not in {one.left_id for one in answered.stored_answers()}
    assert len(answered.answers()) == 20
    with pytest.raises(InvalidInput, match="has no record"):
        answered.forget(about.left_id)


def test_a_backup_is_a_study_with_the_same_answers(study, tmp_path):
    answer_all(study, "ana")
    target = study.backup(tmp_path / "copy.db")
    with Study(target) as copy:
        assert copy.answers().equals(study.answers())
    with pytest.raises(StudyExists):
        study.backup(target)
    assert study.backup(target, force=True) == target


@pytest.mark.parametrize(
    ("verb", "function", "left_out"),
    [
        (Study.fit, fitting.fit_study, set()),
        (Study.status, status.status_of, {"history"}),
        (Study.check, check.check_study, {"history", "model"}),
        (Study.export, exchange.export_study, set()),
        (Study.export_worksheet, exchange.export_worksheet, set()),
        (Study.import_, exchange.import_sheet, set()),
        (Study.invite, invitations.invite, set()),
        (Study.revoke, invitations.revoke, set()),
        (Study.ask_again, owner_desk.ask_again, set()),
        (Study.backup, owner_desk.back_up, set()),
        (Study.forget, owner_desk.forget, set()),
        (Study.simulate, simulate.simulate_study, set()),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
def test_a_verb_takes_what_its_function_takes(verb, function, left_out):
    """What is left out spares the page a second reading; whoever uses the library reads once."""

    def options(one):
        found = list(inspect.signature(one).parameters.values())[1:]
        return {each.name: (each.kind, each.default) for each in found if each.name not in left_out}

    assert options(verb) == options(function)


def test_what_looks_public_is_for_users():
    public = {name for name in vars(Study) if not name.startswith("_")}
    assert not public & {"database", "now", "recording", "visible"}


VERBS = """
import sys
import commensurate as cm
with cm.Study(sys.argv[1]) as study:
    study.status(), study.invite("ana"), study.revoke("ana"), study.backup(sys.argv[2]), study.export(sys.argv[3])
print(*sorted({"sklearn", "numba", "scipy"} & set(sys.modules)))
"""


def test_verbs_that_learn_nothing_load_nothing_that_learning_needs(study_file, tmp_path):
    command = [sys.executable, "-c", VERBS, os.fspath(study_file), str(tmp_path / "copy.db"), str(tmp_path / "all.csv")]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    assert done.stdout == "\n"


# --- misspelt options ---


@pytest.mark.parametrize(
    ("misspelt", "meant"),
    [
        ("question", "questions"),
        ("quetsions", "questions"),
        ("confidence", "confidence_level"),
        ("feature", "features"),
    ],
)
def test_a_misspelt_option_is_told_with_the_nearest_one(tmp_path, misspelt, meant):
    with pytest.raises(InvalidParameter, match=f"^unknown option '{misspelt}'; did you mean '{meant}'\\?$"):
        small_study(tmp_path, **{misspelt: 10})
    assert list(tmp_path.iterdir()) == []


def test_an_option_like_no_other_is_told_with_all_that_are_known(tmp_path):
    with pytest.raises(InvalidParameter, match="^unknown option 'zzz'; known: .*questions, "):
        small_study(tmp_path, zzz=10)


def test_an_option_that_only_create_takes_may_be_the_one_that_was_meant(tmp_path):
    with pytest.raises(InvalidParameter, match="^unknown option 'grupo'; did you mean 'group'\\?$"):
        small_study(tmp_path, grupo="married")
