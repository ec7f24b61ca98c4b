"""The report of an audit is one safe page, and says what the audit found."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import commensurate as cm
from commensurate.applications.fairness.audit import audit_fairness
from commensurate.applications.fairness.context import AuditContext
from commensurate.applications.fairness.repair import repair_scores
from commensurate.applications.fairness.without_experts import compare_without_experts
from commensurate.applications.fairness.words import NO_PAIRS, NO_PEOPLE, nobody_listed_in_words
from commensurate.applications.fairness.worst import COLUMNS
from commensurate.guarantees.population import NEW_PAIRS
from commensurate.report.audit import page as audit_page
from commensurate.report.audit.page import lead, render_audit
from worlds.page_reader import Reader
from worlds.small_audit import WORST, small_audit

pytestmark = pytest.mark.slow

HOSTILE = '<script>alert("1")</script>&'
IDS = {"a": ["anna", "alex"], "b": ["bert", "bill"]}
ORIGIN = {"model": "people.cmz", "seed": "0"}
JUDGED = SimpleNamespace(population_=NEW_PAIRS, answer_error_=0.0)
SEARCHED, NOT_SEARCHED = (AuditContext(JUDGED, "certified", {}, True, {}, wanted) for wanted in (True, False))


@pytest.fixture(scope="module")
def real():
    """An audit of points on a line, with the same pairs judged without experts."""
    points = {"a": np.linspace(0.0, 1.0, 12)[:, None], "b": np.linspace(2.0, 3.0, 10)[:, None]}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    est.fit(points, lambda left, right, between: abs(left + 2.0 - right)[:, 0])
    rng = np.random.default_rng(0)
    scores = {name: rng.random(len(rows)) for name, rows in points.items()}
    audit = audit_fairness(est, points, scores=scores, pairs="all", lipschitz=2.0)
    return audit, compare_without_experts(audit, random_state=0)


@pytest.fixture(scope="module")
def repaired(real):
    """The repair of that audit's scores, the audit after it, and its price."""
    audit, _ = real
    model, people = audit.context.model, audit.context.people
    points = {name: each.points for name, each in people.items()}
    repair = repair_scores(model, points, scores={name: each.scores for name, each in people.items()}, lipschitz=2.0)
    after = audit_fairness(model, points, scores=repair.scores, pairs="all", lipschitz=2.0)
    outcomes = {name: np.arange(len(rows)) % 2 for name, rows in points.items()}
    return {"repair": repair, "repaired_audit": after, "price": repair.price(outcomes)}


def test_a_report_has_all_its_sections_and_is_balanced_and_self_contained(real):
    audit, without = real
    page = render_audit(audit, without=without, questions=audit.next_questions(3), provenance=ORIGIN)
    reader = Reader(page)
    anchors = ["found", "shares", "worst", "people", "passing", "questions", "without-experts", "guaranteed"]
    assert [value for value in reader.values("href") if not value.startswith("#m")][: len(anchors)] == [
        f"#{anchor}" for anchor in anchors
    ]
    assert "<script" not in page
    assert not re.search(r"https?://", page)
    assert not reader.values("src")
    ids = reader.values("id")
    assert len(ids) == len(set(ids))


def test_the_same_audit_gives_the_same_page(real):
    audit, without = real
    first, second = (render_audit(audit, without=without, provenance=ORIGIN) for _ in range(2))
    assert first == second


def test_what_was_not_given_has_no_section():
    page = render_audit(small_audit(), provenance=ORIGIN)
    assert 'id="repair"' not in page
    assert 'id="without-experts"' not in page
    assert 'id="questions"' not in page


def test_the_lead_says_what_is_certain_and_what_is_not():
    assert lead(small_audit()) == (
        "The scores of two people may differ by at most their dissimilarity; if they differ by more, the pair is violated. "
        "Across groups, of 3 pairs compared, 1 is violated for certain, and 1 is undecided. Within groups, of 2 pairs "
        "compared, 1 is violated for certain. Based on all pairs, 1 of 4 people is treated worse than someone else by more "
        "than the limit allows."
    )


def test_nothing_is_certain_across_groups_if_estimates_are_taken_for_the_truth():
    words = lead(small_audit(interval="estimate", lipschitz=2.0, exhaustive=False, context=SEARCHED))
    assert "at most 2 times their dissimilarity" in words
    assert "Across groups, of 3 pairs compared, 1 is violated if the estimates are true" in words
    assert "Based on all pairs within groups and those compared across" in words


def test_people_are_named_in_cards_and_tables():
    text = Reader(render_audit(small_audit(), ids=IDS, provenance=ORIGIN)).text
    assert "anna (a)" in text
    assert "bert (b)" in text
    assert "row 0" not in text


def test_pairs_across_groups_have_cards_of_their_own_before_those_within():
    page = render_audit(small_audit(), ids=IDS, provenance=ORIGIN)
    assert re.findall(r"<h3>([^<]*)</h3>", page) == ["Across groups", "Within groups"]
    assert page.index("Scores differ by <strong>0.5</strong>") < page.index("Scores differ by <strong>0.4</strong>")


def test_that_none_of_the_worst_is_across_groups_is_said():
    assert "None of the listed pairs is across groups." in render_audit(small_audit(worst=WORST[:1]), provenance=ORIGIN)
    assert "is across groups" not in render_audit(small_audit(), provenance=ORIGIN)


def test_an_audit_without_violations_says_so():
    people = pd.DataFrame({"group": ["a"], "people": [2], "violated": [0]})
    audit = small_audit(worst=[], people=people, context=SEARCHED)
    text = Reader(render_audit(audit, provenance=ORIGIN)).text
    assert "Of all pairs, none is violated for certain." in text
    assert "0 of 2 people" in text


def test_a_list_that_was_not_asked_for_is_not_said_to_be_empty():
    audit = small_audit(worst=[], exhaustive=False, context=NOT_SEARCHED)
    text = Reader(render_audit(audit, provenance=ORIGIN)).text
    assert "You did not ask for a list of the worst pairs." in text
    assert "none is violated" not in text


@pytest.mark.parametrize("listed", [[], WORST[:1]])
def test_where_too_few_answers_name_nobody_across_groups_that_is_said_and_nobody_is_counted(listed):
    audit = small_audit(worst=listed, interval="calibrated", exhaustive=False, context=SEARCHED)
    page = render_audit(audit, provenance=ORIGIN)
    worst = page.partition('id="worst"')[2].partition("</section>")[0]
    assert nobody_listed_in_words(audit) in worst
    assert "none is" not in worst.replace(nobody_listed_in_words(audit), "")
    assert "treated worse, within the group only" in page
    assert "Based on the pairs within groups only, 1 of 4 people" in page


@pytest.mark.parametrize(("pairs", "persons", "words"), [(WORST, WORST[:1], NO_PEOPLE), (WORST[:1], WORST, NO_PAIRS)])
def test_where_only_pairs_or_only_people_are_listed_across_groups_that_is_said(pairs, persons, words):
    persons = pd.DataFrame(persons, columns=COLUMNS)
    audit = small_audit(worst=pairs, treated_worst=persons, interval="calibrated", exhaustive=False, context=SEARCHED)
    page = render_audit(audit, provenance=ORIGIN)
    assert words in page.partition('id="worst"')[2].partition("</section>")[0]
    assert words in str(audit)
    assert nobody_listed_in_words(audit) not in page
    assert words not in str(small_audit(worst=pairs, treated_worst=persons))


def test_that_a_calibrated_list_is_promised_as_a_whole_is_said():
    words = "The guarantee is for the list of 1 pair across groups as a whole, not for those at the top"
    calibrated = small_audit(interval="calibrated", exhaustive=False, context=SEARCHED)
    assert words in render_audit(calibrated, provenance=ORIGIN)
    assert words not in render_audit(small_audit(), provenance=ORIGIN)


def test_of_two_people_who_were_compared_both_ways_the_worse_way_is_shown():
    other_way = (*WORST[1][:10], 0.1, *WORST[1][11:])
    audit = small_audit(worst=[*WORST, other_way])
    both = pd.concat([audit.shares, audit.shares[:1].assign(left_group="b", right_group="a")], ignore_index=True)
    page = render_audit(replace(audit, shares=both), provenance=ORIGIN)
    assert page.count("Scores differ by <strong>0.5</strong>") == 1
    assert "if a pair is listed both ways, only the worse one is shown" in page
    assert "listed both ways" not in render_audit(small_audit(), provenance=ORIGIN)


def test_a_long_list_is_cut_and_says_so(monkeypatch):
    monkeypatch.setattr(audit_page, "MOST_ROWS", 1)
    assert "All listed pairs, worst first: 1 of 2" in render_audit(small_audit(), provenance=ORIGIN)


def test_notes_stand_at_the_top():
    page = render_audit(small_audit(), notes=["3 of 9 <questions> were never answered"], provenance=ORIGIN)
    assert '<p class="note">3 of 9 &lt;questions&gt; were never answered</p>' in page


def test_where_every_l_fails_there_is_no_scale_of_l():
    page = render_audit(small_audit(passing=(np.inf, np.inf)), provenance=ORIGIN)
    assert "No L passes" in page
    assert "audited: L = 1" not in page


def test_names_ids_records_and_provenance_are_escaped():
    audit = small_audit()
    hostile = {"a": HOSTILE, "b": "b"}
    for name in ("verdicts", "shares", "worst", "treated_worst", "people"):
        table = getattr(audit, name)
        for column in table.columns[[column.endswith("group") for column in table.columns]]:
            table[column] = table[column].map(hostile)
    table = pd.DataFrame({HOSTILE: [HOSTILE, "x"]})
    page = render_audit(
        audit,
        ids={HOSTILE: [HOSTILE, HOSTILE], "b": [HOSTILE, HOSTILE]},
        records={HOSTILE: table, "b": table.iloc[::-1]},
        title=HOSTILE,
        provenance={HOSTILE: HOSTILE},
    )
    assert "<script" not in page
    Reader(page)
    assert page.count("&lt;script&gt;") > 20


def test_verdicts_with_and_without_experts_stand_side_by_side(real):
    audit, without = real
    text = Reader(render_audit(audit, without=without, provenance=ORIGIN)).text
    changed = without.changed.set_index("baseline")
    for baseline in ("euclidean", "transported"):
        row = changed.loc[baseline]
        assert f"Of {row['decided']:.0f} pairs that the experts' answers decide, {row['changed']:.0f} (" in text


def test_with_three_groups_verdicts_without_experts_are_told_for_each_pair_of_groups_too():
    points = {name: np.linspace(start, start + 1.0, 4)[:, None] for start, name in enumerate("abc")}
    est = cm.NaiveSimilarity(epsilon=0.1, delta=0.2, samples="given")
    est.fit(points, lambda left, right, between: abs(left - right)[:, 0])
    audit = audit_fairness(est, points, scores={name: [0.1, 0.9, 0.1, 0.5] for name in points}, pairs="all")
    text = Reader(render_audit(audit, without=compare_without_experts(audit, random_state=0), provenance=ORIGIN)).text
    assert "The same for each pair of groups" in text
    assert all(pair in text for pair in ("a × b", "a × c", "b × c", "within c"))


def test_limits_under_calibrated_intervals_are_said_to_allow_for_wrong_verdicts():
    words = "allow for the share of verdicts that may be wrong"
    assert words in render_audit(small_audit(interval="calibrated"), provenance=ORIGIN)
    assert words not in render_audit(small_audit(), provenance=ORIGIN)


def test_shares_before_and_after_a_repair_and_its_price_are_shown(real, repaired):
    page = render_audit(real[0], **repaired, provenance=ORIGIN)
    text = Reader(page).text
    assert "Before the repair" in text
    assert "After the repair" in text
    assert str(repaired["repair"]).splitlines()[0] in text
    assert "What the repair costs in accuracy" in text
    before, after = repaired["price"].loc["AUC"]
    assert f'<td>AUC</td><td class="number">{before:.4g}</td><td class="number">{after:.4g}</td>' in page


def test_a_collapse_is_set_apart(real, repaired):
    def notes(repair):
        page = render_audit(real[0], repair=repair, provenance=ORIGIN)
        return re.findall(r'<p class="note">', page.partition('id="repair"')[2].partition("</section>")[0])

    assert not notes(repaired["repair"])
    assert len(notes(replace(repaired["repair"], collapsed=True))) == 1


def test_the_interval_that_was_used_and_what_it_promises_are_said():
    text = Reader(render_audit(small_audit(interval="estimate"), provenance=ORIGIN)).text
    assert "estimate intervals" not in text
    assert "without any guarantee" in text
