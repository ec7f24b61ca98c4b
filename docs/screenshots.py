"""Takes the pictures of the experts' page that README and docs show: ``make screenshots``.

A made-up lender, a committee of two that judges by how applicants stand within their own group, 160 answers so far.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, expect, sync_playwright

from commensurate.study.study import Study
from worlds.web_browser import OPTIONS, chromium_path
from worlds.web_pages import Served, served

DOCS = Path(__file__).parent
ANSWERS = 160
# milliseconds in which a click may be half of a double click
DOUBLE_CLICK = 600
# of a laptop and of a phone
LAPTOP, PHONE = (1366, 768), (390, 844)
COLUMNS = {
    "age": {"label": "Age", "unit": "years"},
    "income": {"label": "Yearly income", "unit": "€"},
    "degree": {"label": "Education"},
    "years in job": {"label": "Years in job"},
    "job": {"label": "Job"},
    "late payments": {"label": "Late payments"},
}
DEGREES = {1: "school", 2: "apprenticeship", 3: "bachelor", 4: "master"}
JOBS = {"married": ("nurse", "engineer", "welder", "teacher"), "single": ("cook", "engineer", "nurse", "clerk")}


def applicants(n: int = 600) -> pd.DataFrame:
    """Return applicants of two groups whose ages and incomes are not alike."""
    rng = np.random.default_rng(11)
    group = np.where(rng.random(n) < 0.5, "married", "single")
    older = group == "married"
    merit = rng.normal(size=n)
    return pd.DataFrame(
        {
            "group": group,
            "age": (np.where(older, 44, 31) + rng.gamma(3.0, 3.0, n)).round().astype(int),
            "income": np.exp(np.where(older, 10.75, 10.35) + 0.35 * merit).round(-2).astype(int),
            "degree": np.clip(np.round(2.4 + 0.7 * merit + 0.6 * rng.normal(size=n)), 1, 4).astype(int),
            "years in job": np.clip(rng.gamma(1.5, np.where(older, 5.0, 2.5)), 0, 30).round().astype(int),
            "job": [rng.choice(JOBS[name]) for name in group],
            "late payments": rng.poisson(np.exp(-0.4 - 0.8 * merit)),
        }
    )


def make_study(place: Path, kind: str, answers: int) -> None:
    """Make the study, and let two experts answer."""
    people = applicants()
    features = ["age", "income", "degree", "years in job", "late payments"]
    with Study.create(
        place,
        people,
        group="group",
        features=features,
        show=[*features, "job"],
        labels={"degree": DEGREES},
        columns=COLUMNS,
        title="Loans: who is alike?",
        answer_kind=kind,
        # asked like the others, but a picture should show two groups
        known_pairs=0,
        questions=300,
        learner="gp",
        repeats=0.05,
        seed=3,
    ) as study:
        standing = people.groupby("group")[["income", "degree", "late payments"]].rank(pct=True)
        standing = 0.5 * standing["income"] + 0.2 * standing["degree"] - 0.3 * standing["late payments"]
        rng = np.random.default_rng(5)
        for k in range(answers):
            expert = "Ana" if k % 3 else "Ben"
            (asked,) = study.next_questions(expert)
            apart = abs(standing[int(asked.left_id)] - standing[int(asked.right_id)]) + 0.02 * rng.normal()
            value = round(max(0.0, float(apart)) * study.settings.scale_end / 2.0, 2)
            answer = study.settings.grades[min(4, int(4.0 * value))] if asked.kind == "grade" else value
            study.record(asked.question_id, answer, expert=expert, seconds=float(rng.gamma(6.0, 3.0)))


def take_question(browser: Browser, study: Served, kind: str, name: str, size: tuple[int, int]) -> None:
    """A question of some kind, as an expert sees it who has answered a few."""
    # a phone has no keys, and is not told about them
    phone = {"has_touch": True, "is_mobile": True} if size == PHONE else {}
    page = _page(browser, width=size[0], height=size[1], **phone)
    page.goto(study.link("Ana"))
    page.goto(f"{study.url}/question")
    # held-out questions are asked for numbers; and a picture should show a difference that is marked
    while not page.locator(f":has(.record-unusual, .record-unusual-cell) > .answer-{kind}").count():
        page.wait_for_timeout(DOUBLE_CLICK)
        page.click("#skip")
        page.wait_for_load_state()
    page.screenshot(path=DOCS / f"{name}.png")


def take_overview(browser: Browser, study: Served) -> None:
    """The owner's view, once its figures are there."""
    page = _page(browser, width=1100, height=900)
    page.goto(study.owner_link)
    expect(page.get_by_role("img").first).to_be_visible(timeout=180_000)
    expect(page.get_by_text(re.compile("being computed"))).to_have_count(0, timeout=180_000)
    heading = page.get_by_role("heading", name="Do experts agree?").bounding_box()
    assert heading is not None
    page.screenshot(
        path=DOCS / "overview.png", full_page=True, clip={"x": 0, "y": 0, "width": 1100, "height": heading["y"] - 10}
    )


def _page(browser: Browser, height: int, width: int, **options: Any) -> Page:
    return browser.new_context(viewport={"width": width, "height": height}, **options).new_page()


def main() -> None:
    """Take all of them."""
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=OPTIONS)
        for kind, answers in (("numbers", ANSWERS), ("grades", 6), ("comparisons", 0)):
            place = Path(folder) / f"{kind}.db"
            make_study(place, kind, answers)
            with served(place) as study:
                if kind == "grades":
                    take_question(browser, study, "grade", "question", LAPTOP)
                    take_question(browser, study, "grade", "question-phone", PHONE)
                elif kind == "comparisons":
                    take_question(browser, study, "comparison", "comparison", LAPTOP)
                else:
                    take_overview(browser, study)
        browser.close()


if __name__ == "__main__":
    main()
