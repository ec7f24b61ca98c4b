"""Personal links: made, ended, and never kept in the clear."""

import pytest

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.study.invitations import invitations, invite, invited_expert, revoke
from commensurate.study.owner_desk import back_up
from commensurate.study.study import Study
from worlds.small_study import Clock, small_study


@pytest.fixture
def study(place):
    with Study(place) as opened:
        yield opened


def working(study):
    return [one.expert for one in invitations(study) if one.revoked_at is None]


def test_a_token_lets_its_expert_in_and_nobody_else(study):
    tokens = {name: invite(study, name) for name in ("Ana", "Bob")}
    assert {name: invited_expert(study, token) for name, token in tokens.items()} == {"Ana": "Ana", "Bob": "Bob"}
    assert working(study) == ["Ana", "Bob"]


def test_a_token_works_in_every_process_that_opens_the_study(study, place):
    token = invite(study, "Ana")
    with Study(place) as other:
        assert invited_expert(other, token) == "Ana"
        revoke(other, "Ana")
    assert invited_expert(study, token) is None


def test_tokens_have_128_random_bits_and_fit_into_a_url(tmp_path):
    with small_study(tmp_path) as study:
        tokens = {invite(study, "Ana") for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) == 22 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_a_new_link_ends_the_earlier_one(study):
    first, second = invite(study, "Ana"), invite(study, "Ana")
    assert invited_expert(study, first) is None
    assert invited_expert(study, second) == "Ana"
    assert working(study) == ["Ana"]
    assert len(invitations(study)) == 2


def test_a_revoked_link_ends_at_once_and_for_good(study):
    token, other = invite(study, "Ana"), invite(study, "Bob")
    revoke(study, "Ana")
    assert invited_expert(study, token) is None
    new = invite(study, "Ana")
    assert (invited_expert(study, token), invited_expert(study, new)) == (None, "Ana")
    assert invited_expert(study, other) == "Bob"


def test_times_are_those_of_the_studys_clock(tmp_path):
    clock = Clock()
    with small_study(tmp_path, clock=clock) as study:
        invite(study, "Ana")
        clock.move(5.0)
        revoke(study, "Ana")
        (link,) = invitations(study)
    assert link.made_at == "2026-03-01T09:00:00.000000+00:00"
    assert link.revoked_at == "2026-03-01T09:05:00.000000+00:00"


def test_a_link_that_does_not_work_cannot_be_revoked_and_those_that_do_are_named(study):
    with pytest.raises(InvalidInput, match="'Ana' has no valid link; nobody has"):
        revoke(study, "Ana")
    for name in ("Bob", "Eve", "Ana"):
        invite(study, name)
    revoke(study, "Ana")
    with pytest.raises(InvalidInput, match="'Ana' has no valid link; experts with a link: 'Bob', 'Eve'"):
        revoke(study, "Ana")


def test_wrong_tokens_are_nobodys(study):
    token = invite(study, "Ana")
    wrong = [
        "",
        "x",
        token[:-1],
        token + "A",
        token.swapcase(),
        f" {token}",
        "\0",
        "é",
        "\ud800",
        "a" * 100_000,
        "' OR 1=1 --",
    ]
    assert [invited_expert(study, one) for one in wrong] == [None] * len(wrong)


def test_the_digest_is_no_token(study):
    invite(study, "Ana")
    from sqlalchemy import text

    with study._database.reading() as connection:
        (digest,) = connection.execute(text("SELECT digest FROM invitations")).scalars()
    assert len(digest) == 64
    assert invited_expert(study, digest) is None


def test_no_token_stands_in_any_file(tmp_path):
    with small_study(tmp_path) as study:
        tokens = [invite(study, "Ana"), invite(study, "Ana"), invite(study, "Bob")]
        back_up(study, tmp_path / "copy.db")
        content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"Bob" in content
    assert not [token for token in tokens if token.encode() in content]


def test_a_backup_keeps_links_that_work_and_those_that_have_ended(study, tmp_path):
    ended, token = invite(study, "Ana"), invite(study, "Ana")
    back_up(study, tmp_path / "copy.db")
    with Study(tmp_path / "copy.db") as copy:
        assert (invited_expert(copy, ended), invited_expert(copy, token)) == (None, "Ana")
        assert invitations(copy) == invitations(study)


@pytest.mark.parametrize("name", ["Zoë Ünal", "李小龍", "عائشة", "🦊", "O'Brien; DROP TABLE experts --", "a" * 200])
def test_names_of_all_scripts_are_invited(study, name):
    token = invite(study, f"  {name} ")
    assert invited_expert(study, token) == name
    revoke(study, name)
    assert invited_expert(study, token) is None


def test_a_name_is_the_same_however_a_keyboard_spells_it(study):
    composed, spelled = "Zo\u00eb", "Zoe\u0308"
    assert invited_expert(study, invite(study, spelled)) == composed
    revoke(study, composed)
    assert working(study) == []


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "a" * 201, "\0"])
def test_what_is_no_name_is_not_invited(study, name):
    with pytest.raises(InvalidParameter, match="expert's name"):
        invite(study, name)
    assert invitations(study) == []


def test_who_is_invited_answers_as_the_expert_that_she_was_before(study):
    (asked,) = study.next_questions("Ana")
    study.record(asked.question_id, 0.5, expert="Ana")
    name = invited_expert(study, invite(study, "Ana"))
    assert study.counts(name).answered == 1
