"""``commensurate study invite`` and ``revoke`` as a user types them."""

import json
import re
import shutil

import pytest

from commensurate.study.invitations import invitations, invited_expert
from commensurate.study.study import Study
from worlds.study_places import create_small


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "people.db"
    create_small(path).close()
    return path


@pytest.fixture
def place(made, tmp_path):
    return str(shutil.copy(made, tmp_path / "people.db"))


def expert_of(place, link):
    with Study(place) as study:
        return invited_expert(study, link.rpartition("/enter/")[2].strip())


def test_the_link_stands_alone_on_stdout_and_works(run, place):
    done = run("study", "invite", place, "Ana")
    assert done.returncode == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:8765/enter/[\w-]{22}\n", done.stdout)
    assert done.stderr == "this link for Ana is shown only once; it works until you run `commensurate study revoke`\n"
    assert expert_of(place, done.stdout) == "Ana"


def test_a_second_link_ends_the_first_and_says_so(run, place):
    first = run("study", "invite", place, "Ana").stdout
    assert "earlier" not in run("study", "invite", place, "Bob").stderr
    second = run("study", "invite", place, "Ana")
    assert second.stderr.count("\n") == 1
    assert "; the previous link no longer works" in second.stderr
    assert (expert_of(place, first), expert_of(place, second.stdout)) == (None, "Ana")


def test_the_url_is_the_one_that_experts_reach(run, place):
    done = run("study", "invite", place, "Ana", "--url", "https://Study.example.org:8443/")
    assert done.stdout.startswith("https://study.example.org:8443/enter/")


@pytest.mark.parametrize("url", ["study.example.org", "https://example.org/deep", "https://ana:s3cret@example.org"])
def test_a_url_that_cannot_be_is_one_line_and_nobody_is_invited(run, place, url):
    done = run("study", "invite", place, "Ana", "--url", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("commensurate: the URL must be like https://study.example.org")
    assert done.stderr.count("\n") == 1
    assert "s3cret" not in done.stderr
    with Study(place) as study:
        assert invitations(study) == []


def test_json_holds_the_link_and_nothing_else_is_printed(run, place):
    told = [run("study", "invite", place, "Zoë 🦊", "--json") for _ in range(2)]
    first, second = (json.loads(done.stdout) for done in told)
    assert [done.stderr for done in told] == ["", ""]
    assert (first["expert"], first["earlier_link_ended"], second["earlier_link_ended"]) == ("Zoë 🦊", False, True)
    assert expert_of(place, second["link"]) == "Zoë 🦊"
    done = run("study", "revoke", place, "Zoë 🦊", "--json")
    assert json.loads(done.stdout) == {"expert": "Zoë 🦊", "revoked": True}


def test_a_revoked_link_no_longer_works(run, place):
    link = run("study", "invite", place, "Ana").stdout
    done = run("study", "revoke", place, " Ana ")
    assert (done.returncode, done.stdout) == (0, "the link for Ana no longer works; all answers are kept\n")
    assert expert_of(place, link) is None


def test_who_has_no_link_is_told_who_has(run, place):
    run("study", "invite", place, "Bob")
    done = run("study", "revoke", place, "Ana")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "commensurate: 'Ana' has no valid link; experts with a link: 'Bob'\n"


@pytest.mark.parametrize("command", ["invite", "revoke"])
def test_a_study_or_name_that_cannot_be_is_one_line(run, place, command):
    for words in ((place, " "), (f"{place}.none", "Ana")):
        done = run("study", command, *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["invite", "revoke"])
def test_both_commands_have_help_and_json(run, command):
    done = run("study", command, "--help")
    assert f"Usage: commensurate study {command}" in done.stdout
    assert "--json" in done.stdout
