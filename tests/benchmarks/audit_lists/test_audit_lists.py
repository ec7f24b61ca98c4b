"""What was measured of an audit's lists: the committed figures, and that they can be measured."""

import json
from dataclasses import asdict

import pytest

from benchmarks.audit_lists.measure import ALL_PAIRS, AVERAGED, MATCHED, RATE, measured, summed
from benchmarks.audit_lists.tables import generated_parts
from benchmarks.audit_lists.worlds import WORLDS, surprising
from benchmarks.bench_audit_lists import RESULT

ROWS = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]


def mean(way, name):
    rows = [row[name] for row in ROWS if row["way"] == way]
    return sum(rows) / len(rows)


def test_of_no_list_is_more_than_the_promised_share_no_violation():
    for row in ROWS:
        assert row["wrong_pairs"] <= RATE
        assert row["wrong_people"] <= RATE


def test_the_list_that_audits_make_has_more_pairs_than_the_other_at_the_same_guarantee():
    assert mean(ALL_PAIRS, "pairs") > 50 * mean(MATCHED, "pairs")


def test_people_are_listed_in_the_way_that_lists_anybody_most_often():
    assert mean(ALL_PAIRS, "names") > mean(AVERAGED, "names")


def test_every_world_is_in_the_figures():
    assert {row["world"] for row in ROWS} == set(WORLDS)


@pytest.mark.slow
def test_a_draw_is_measured_and_makes_a_table():
    rows = [{"world": "one", "held_out": 79, **asdict(one)} for one in measured(surprising(0, 160))]
    means = summed(rows).to_dict("records")
    table = generated_parts({"rows": means, "draws": 1})["audit lists"].partition("\n\n")[0]
    assert table.count("\n") == 2
    assert "→ 100 %" in table
