"""Takes the pictures of the experts' page that README and docs show: ``make screenshots``.

A made-up lender, a committee of two that judges by how applicants stand within their own group, 160 answers so far.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, expect, sync_playwright

from commensurate.study.study import Study
from worlds.web_browser import OPTIONS, chromium_path
from worlds.web_pages import Served, served

DOCS = Path(__file__).parent
ANSWERS = 160
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


def make_study(place: Path) -> None:
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
        title="Loans: who is alike?",
        questions=300,
        learner="gp",
        repeats=0.05,
        seed=3,
    ) as study:
        standing = people.groupby("group")[["income", "degree", "late payments"]].rank(pct=True)
        standing = 0.5 * standing["income"] + 0.2 * standing["degree"] - 0.3 * standing["late payments"]
        rng = np.random.default_rng(5)
        for k in range(ANSWERS):
            expert = "Ana" if k % 3 else "Ben"
            (asked,) = study.next_questions(expert)
            apart = abs(standing[int(asked.left_id)] - standing[int(asked.right_id)]) + 0.02 * rng.normal()
            answer = round(max(0.0, float(apart)) * study.settings.scale_end / 2.0, 2)
            study.record(asked.question_id, answer, expert=expert, seconds=float(rng.gamma(6.0, 3.0)))


def take_question(browser: Browser, study: Served) -> None:
    """A question with an answer on its way."""
    page = _page(browser, height=1010)
    page.goto(study.link("Ana"))
    page.locator("#number").fill("0.4")
    page.locator("h1").click()
    page.screenshot(path=DOCS / "question.png")


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


def _page(browser: Browser, height: int, width: int = 1000) -> Page:
    return browser.new_context(viewport={"width": width, "height": height}).new_page()


def main() -> None:
    """Take both."""
    with TemporaryDirectory() as folder:
        place = Path(folder) / "loans.db"
        make_study(place)
        with served(place) as study, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=OPTIONS)
            take_question(browser, study)
            take_overview(browser, study)
            browser.close()


if __name__ == "__main__":
    main()
