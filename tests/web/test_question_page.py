"""The page where experts answer, asked as a browser without a script would ask."""

from __future__ import annotations

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from commensurate.study.invitations import revoke
from commensurate.study.owner_desk import ask_again
from commensurate.study.shown.columns import PLAIN
from commensurate.study.store import reading
from commensurate.study.store.database import Database
from commensurate.study.study import Study
from worlds.web_pages import ExpertClient, form_of

SignIn = Callable[[str], ExpertClient]


def standing(study: Study) -> list[tuple[str, float | None, str | None]]:
    return [(one.expert, one.value, one.comment) for one in study.stored_answers()]


def history(study: Study) -> list[float | None]:
    return [one.value for one in study.stored_answers(history=True)]


def test_a_link_leads_to_the_first_question(ana: ExpertClient) -> None:
    assert (ana.entered.status_code, ana.entered.headers["location"]) == (303, "/begin")
    # before the first answer the instructions come first
    begun = ana.client.get("/begin", follow_redirects=False)
    assert (begun.status_code, begun.headers["location"]) == (303, "/start")
    page = ana.question()
    assert page.status_code == 200
    assert re.fullmatch(r"/question/[0-9a-f]{32}", page.url.path)
    assert "How different are these two records?" in page.text
    assert "0 answered, 60 left" in page.text


def test_the_question_shows_both_records_their_labels_and_where_values_lie(ana: ExpertClient, study: Study) -> None:
    page = ana.question()
    question = study.question(page.url.path.rpartition("/")[2], expert="Ana")
    for record in (question.left_record, question.right_record):
        assert record["degree"] in ("school", "bachelor", "master")
        for value in record.values():
            assert PLAIN.value(value) in page.text
    assert " of married" in page.text
    assert " of single" in page.text
    assert "strip-here" in page.text


def test_the_page_tells_neither_ids_nor_estimates_nor_what_is_held_out(ana: ExpertClient) -> None:
    page = ana.question()
    assert not re.search(r"\bp\d\d\d\b", page.text)
    for word in ("held", "estimate", "predict", "calibrat"):
        assert word not in page.text.lower()


def test_an_answer_is_in_the_study_before_the_next_question_is_named(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    recorded = ana.send(first, choice="number", number="0,25", seconds="12.5", comment="close\r\nenough ")
    assert recorded.status_code == 303
    assert standing(study) == [("Ana", 0.25, "close\nenough")]
    (answer,) = study.stored_answers()
    assert (answer.seconds, answer.origin) == (12.5, "page")
    assert recorded.headers["location"] not in (first.url.path, "/question")
    assert ana.client.get("/begin", follow_redirects=False).headers["location"] == "/question"
    assert "1 answered, 59 left" in ana.client.get(recorded.headers["location"]).text


def test_a_page_looks_into_the_study_as_seldom_as_it_can(ana: ExpertClient, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ana.question()
    looks: list[str] = []
    reading_before, writing_before = Database.reading, Database.writing
    monkeypatch.setattr(Database, "reading", lambda one: looks.append("read") or reading_before(one))
    monkeypatch.setattr(Database, "writing", lambda one: looks.append("write") or writing_before(one))
    recorded = ana.send(first, choice="number", number="0.25")
    # who is asking; the question and what stands; the answer, which is kept before the next question is handed out
    assert looks == ["read", "read", "write", "write"]
    looks.clear()
    assert ana.client.get(recorded.headers["location"]).status_code == 200
    # who is asking; the question; the ruler; how far they are
    assert looks == ["read"] * 4


def test_unsure_is_recorded_as_unsure_and_loses_no_number_that_was_typed(ana: ExpertClient, study: Study) -> None:
    page = ana.send(ana.question(), choice="unsure", number="0.4", comment="ages are guessed")
    assert page.status_code == 422
    assert "You typed 0.4" in page.text
    assert not study.stored_answers()
    ana.send(page, choice="unsure", number="")
    assert standing(study) == [("Ana", None, "ages are guessed")]


@pytest.mark.parametrize("number", ["", "  ", "-1", "abc", "1e999", "nan", "0x10", "1_000", "٣", "9" * 41])
def test_what_is_no_answer_is_asked_again_with_all_that_was_typed(ana: ExpertClient, study: Study, number: str) -> None:
    first = ana.question()
    page = ana.send(first, choice="number", number=number, comment="keep me")
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    again = form_of(page)
    assert again["comment"] == "keep me"
    assert again["key"] != form_of(first)["key"]
    assert not study.stored_answers()


def test_a_number_beyond_the_scale_is_recorded_once_it_is_confirmed(ana: ExpertClient, study: Study) -> None:
    beyond = f"{10 * study.settings.scale_end:g}"
    page = ana.send(ana.question(), choice="number", number=beyond)
    assert page.status_code == 422
    assert "beyond the end of the scale" in page.text
    # another number beyond the end is asked about too
    other = ana.send(page, choice="number", number=f"{beyond}1")
    assert other.status_code == 422
    assert ana.send(page, choice="number").status_code == 303
    assert history(study) == [float(beyond)]


def test_a_form_sent_twice_is_one_answer(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    sent = [ana.send(first, choice="number", number="0.3") for _ in range(2)]
    assert [one.status_code for one in sent] == [303, 303]
    assert history(study) == [0.3]


def test_a_form_sent_ten_times_at_once_is_one_answer(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    with ThreadPoolExecutor(10) as pool:
        sent = list(pool.map(lambda _: ana.send(first, choice="number", number="0.3", json=True), range(10)))
    assert {one.status_code for one in sent} == {200}
    assert history(study) == [0.3]


def test_a_form_sent_again_with_another_number_is_asked_about_and_loses_nothing(
    ana: ExpertClient, study: Study
) -> None:
    first = ana.question()
    ana.send(first, choice="number", number="0.3")
    changed = ana.send(first, choice="number", number="0.5", comment="on second thoughts")
    assert changed.status_code == 409
    assert "You have already answered this question" in changed.text
    assert history(study) == [0.3]
    assert form_of(changed)["number"] == "0.5"
    assert ana.send(changed, choice="number").status_code == 303
    assert history(study) == [0.3, 0.5]


def test_a_second_tab_replaces_nothing_unseen(ana: ExpertClient, study: Study) -> None:
    one, other = ana.question(), ana.question()
    assert one.url == other.url
    ana.send(one, choice="number", number="0.3")
    # the same answer again is no change, whichever tab it comes from
    assert ana.send(other, choice="number", number="0.3").status_code == 303
    assert ana.send(other, choice="number", number="0.9").status_code == 409
    assert ana.send(other, choice="unsure").status_code == 409
    assert history(study) == [0.3]


def test_back_shows_the_answer_before_and_replaces_it(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    ana.send(first, choice="number", number="0.3", comment="first")
    ana.answer("0.4")
    third = ana.question()
    second = ana.client.get(f"{third.url.path}/before")
    assert form_of(second)["number"] == "0.4"
    back = ana.client.get(f"{second.url.path}/before")
    assert back.url == first.url
    assert (form_of(back)["number"], form_of(back)["comment"]) == ("0.3", "first")
    assert ana.send(back, choice="number", number="0.35").headers["location"] == third.url.path
    assert history(study) == [0.3, 0.4, 0.35]
    assert sorted(value for _, value, _ in standing(study)) == [0.35, 0.4]


def test_back_from_the_first_answer_leads_on(ana: ExpertClient) -> None:
    first = ana.question()
    ana.send(first, choice="number", number="0.3")
    assert ana.client.get(f"{first.url.path}/before").url.path != first.url.path


def test_what_she_came_back_to_can_be_kept(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    ana.send(first, choice="number", number="0.3")
    back = ana.client.get(first.url.path)
    assert ana.send(back, to="/skip", choice="skip").status_code == 303
    assert history(study) == [0.3]


def test_a_skipped_question_comes_again_last(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    skipped = ana.send(first, to="/skip", choice="skip")
    assert skipped.headers["location"] != first.url.path
    for _ in range(59):
        assert ana.answer("0.5").status_code == 303
    assert ana.question().url == first.url


def test_skipping_never_loses_what_was_typed(ana: ExpertClient, study: Study) -> None:
    first = ana.question()
    for typed in ({"number": "0.2"}, {"comment": "wait"}):
        page = ana.send(first, to="/skip", choice="skip", **typed)
        assert page.status_code == 422
        assert typed.items() <= form_of(page).items()
    assert ana.question().url == first.url


@pytest.mark.slow
def test_the_last_answer_leads_to_a_page_that_says_so(ana: ExpertClient) -> None:
    for _ in range(60):
        recorded = ana.answer("0.5")
    assert recorded.headers["location"] == "/question"
    page = ana.question()
    assert (page.status_code, page.url.path) == (200, "/question")
    assert "that was the last question" in page.text
    assert "Back to your last answer" in page.text


def test_two_experts_never_see_the_same_question_at_once(sign_in: SignIn, study: Study) -> None:
    ana, ben = sign_in("Ana"), sign_in("Ben")
    for _ in range(5):
        assert ana.question().url != ben.question().url
        ana.answer("0.1")
        ben.answer("0.2")
    assert sorted(value for _, value, _ in standing(study)) == [0.1] * 5 + [0.2] * 5


def test_an_expert_sees_only_what_she_was_asked(sign_in: SignIn) -> None:
    ana, ben = sign_in("Ana"), sign_in("Ben")
    of_ana = ana.question()
    assert ben.client.get(of_ana.url.path).status_code == 404
    ben.question()
    mine = ben.send(ben.question(), choice="number", number="0.1")
    assert mine.status_code == 303
    stolen = ben.client.post(of_ana.url.path, data={**form_of(ben.question()), "choice": "number", "number": "0.1"})
    assert stolen.status_code == 404


def test_nobody_can_use_the_key_of_another_experts_form(sign_in: SignIn, study: Study) -> None:
    ana, ben = sign_in("Ana"), sign_in("Ben")
    page = ana.question()
    ana.send(page, choice="number", number="0.123")
    taken = ben.send(ben.question(), choice="number", number="0.4", key=form_of(page)["key"])
    assert taken.status_code == 303
    assert "0.123" not in taken.text
    assert sorted(value for _, value, _ in standing(study)) == [0.123, 0.4]


def test_a_question_that_is_asked_again_hides_the_earlier_answer(ana: ExpertClient, study: Study) -> None:
    with study._database.reading() as connection:
        held_out = {one.question_id for one in reading.read_questions(connection) if one.held_out}
    first = ana.question()
    while first.url.path.rpartition("/")[2] in held_out:
        ana.answer("0.1")
        first = ana.question()
    ana.send(first, choice="number", number="0.777")
    ask_again(study, first.url.path.rpartition("/")[2])
    again = ana.question()
    assert again.url == first.url
    assert "judge them afresh" in again.text
    assert "0.777" not in again.text
    assert ana.send(again, choice="number", number="0.6").status_code == 303
    assert history(study)[-2:] == [0.777, 0.6]
    assert ana.question().url != first.url


def test_a_forgotten_record_closes_its_question(ana: ExpertClient, study: Study) -> None:
    page = ana.question()
    question = study.question(page.url.path.rpartition("/")[2], expert="Ana")
    study.forget(question.left_id, group=question.between[0])
    sent = ana.send(page, choice="number", number="0.3")
    assert sent.status_code == 404
    assert "This question is closed" in sent.text
    assert '<a class="button" href="/question">Continue</a>' in sent.text
    assert not study.stored_answers()
    assert ana.question().status_code == 200


def test_a_revoked_link_ends_at_once(ana: ExpertClient, study: Study) -> None:
    page = ana.question()
    revoke(study, "Ana")
    assert ana.client.get("/question").status_code == 403
    assert ana.send(page, choice="number", number="0.3").status_code == 403
    assert not study.stored_answers()


def test_what_waits_in_her_browser_is_hers_under_a_new_link(sign_in: SignIn) -> None:
    def who(expert: str) -> str:
        (found,) = re.findall(r'data-who="([0-9a-f]+)"', sign_in(expert).question().text)
        return found

    assert who("Ana") == who("Ana") != who("Ben")


def test_a_script_is_told_where_to_go_next(ana: ExpertClient) -> None:
    first = ana.question()
    sent = ana.send(first, json=True, choice="number", number="0.3")
    assert sent.json()["next"] not in (first.url.path, "/question")
    wrong = ana.send(ana.question(), json=True, choice="number", number="x")
    assert wrong.status_code == 422


def test_forms_that_are_not_ours_are_refused(ana: ExpertClient, study: Study) -> None:
    page = ana.question()
    for changed in (
        {"form_token": ""},
        {"form_token": "0" * 64},
        {"key": "short"},
        {"instead_of": "-1"},
        {"instead_of": "9" * 18},
        {"instead_of": "9" * 400},
    ):
        assert ana.send(page, choice="number", number="0.3", **changed).status_code in (400, 403)
    assert not study.stored_answers()
