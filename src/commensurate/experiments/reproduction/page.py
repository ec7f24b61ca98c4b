"""The page of a report: the paper's figures and ours side by side, and what explains the difference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from commensurate.experiments.paper.published import (
    ALGORITHMS,
    AS_IN_THE_PAPER,
    BASELINES,
    MEASURES,
    PAPER,
    PROXY_ALGORITHMS,
    TESTS,
    UNSEEN_ROWS,
)
from commensurate.experiments.reproduction import tables
from commensurate.experiments.reproduction.figures import curve_figure_name, error_figure_name
from commensurate.experiments.reproduction.findings import COUNTINGS, Findings
from commensurate.report.html.comparison import Spread
from commensurate.report.html.page import (
    Block,
    ComparisonTable,
    Note,
    Paragraph,
    Picture,
    PlainTable,
    Section,
    render_page,
)
from commensurate.report.svg.figure_files import svg_of
from commensurate.wording import percent

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Comparing Apples to Oranges, reproduced"
LEAST_SIGMA = "smallest σ"

ON_THE_TEST = {
    AS_IN_THE_PAPER: (
        "Test pairs are drawn from the same table as the samples, as in the paper. Some test rows are then samples "
        "themselves, and where both are, NAIVE is exact: so it was in {naive} of the test pairs (median over draws)."
    ),
    UNSEEN_ROWS: (
        "Test pairs are drawn from rows whose element was never sampled, neither as this row nor as an equal one; this is what "
        "a user meets. Baselines were trained on pairs of sampled rows, so these test pairs are new to all five. The paper has "
        "no such figures; its own figures are shown for comparison."
    ),
}


def page_of(findings: Findings, figures: Mapping[str, Figure]) -> str:
    """Return the page as HTML with everything in it."""
    sections = []
    if findings.datasets:
        sections += [_errors(findings, name, figures) for name in findings.datasets]
        sections += [_queries(findings), _readings(findings), _sigma(findings, figures), _curves(findings, figures)]
    if findings.has_suite:
        sections += [_suite(findings, figures), _hard_worlds(findings, figures)]
    return render_page(TITLE, lead(findings), sections, provenance_in_words(findings))


def provenance_in_words(findings: Findings) -> dict[str, str]:
    """Return seed, settings, versions and digests as text; only of what was run."""
    settings, provenance = findings.settings, findings.provenance
    words = {"seed": str(provenance["seed"])}
    if findings.datasets:
        words["draws of (α, β, θ, samples)"] = str(settings.repeats)
        words["points given to each baseline"] = (
            f"{settings.baseline_points:,}; in the curves up to {settings.curve_points:,}"
        )
    if findings.has_suite:
        words["draws of each synthetic world"] = str(settings.suite_repeats)
    return words | {
        "versions": ", ".join(f"{name} {version}" for name, version in provenance["versions"].items()),
        "code (SHA-256)": provenance["code"],
        **{f"content of {PAPER[name].title} (SHA-256)": digest for name, digest in provenance["data"].items()},
    }


def lead(findings: Findings) -> str:
    """Say in a few sentences how the paper's figures lie among ours."""
    text = (
        "These are the experiments of “Comparing Apples to Oranges: Learning Similarity Functions for Data Produced by "
        "Different Distributions”, run again. "
    )
    if not findings.datasets:
        return text + "This run has the synthetic suite only."
    text += f"The paper reports one draw of (α, β, θ, samples); this run has {findings.settings.repeats}. "
    for names, algorithms in (("NAIVE and CLUSTER", PROXY_ALGORITHMS), ("the baselines", BASELINES)):
        seen, unseen = (findings.errors(test, algorithms) for test in TESTS)
        text += (
            f"Of its {len(seen)} errors of {names}, {sum(cell.inside for cell in seen)} lie within our range when tested as in "
            f"the paper, {sum(cell.inside for cell in unseen)} when tested on unseen rows. "
        )
    return text.rstrip()


def _errors(findings: Findings, name: str, figures: Mapping[str, Figure]) -> Section:
    paper, settings = PAPER[name], findings.settings
    cut_short = findings.networks_cut_short(name)
    blocks: list[Block] = [
        Note(
            f"Each baseline learnt from {settings.baseline_points:,} points (x, y, σ), pairs of sampled rows; in the paper, "
            "from N + Q, about 10⁸. The section “Error against number of questions” shows what more points change. The MLP "
            "learnt from standardised values of σ, so that scikit-learn's stopping rule does not end its training early; in "
            f"{cut_short} of {settings.repeats} draws, its training stopped at the limit of passes."
        )
    ]
    for test in TESTS:
        exact = Spread(tuple(findings.draws(name, test, "NAIVE", "exact"))).median
        blocks.append(_error_table(findings, name, test, ON_THE_TEST[test].format(naive=percent(exact))))
        caption = (
            f"Figure {paper.figure}, {test}: the height of a bar is the share of test pairs whose error is at most the value "
            "under it; median over the draws, with the range as a whisker."
        )
        blocks.append(Picture(svg_of(figures[error_figure_name(name, test)]), caption))
    return Section(f"Table {paper.table}, Figure {paper.figure}: {paper.title}", name, blocks)


def _error_table(findings: Findings, name: str, test: str, caption: str) -> ComparisonTable:
    cells = {
        (algorithm, label): findings.error(name, test, algorithm, measure)
        for algorithm in ALGORITHMS
        for measure, label in MEASURES.items()
    }
    title = f"Table {PAPER[name].table}, {test}"
    return ComparisonTable(title, caption, ALGORITHMS, tuple(MEASURES.values()), cells)


def _queries(findings: Findings) -> Section:
    titles = {name: PAPER[name].title for name in findings.datasets}
    cells = {
        (counting, title): findings.decrease(name, counting) for counting in COUNTINGS for name, title in titles.items()
    }
    return Section(
        "Table 4: fewer questions",
        "table-4",
        [
            Paragraph(
                "The paper prints by how many per cent CLUSTER needs fewer queries than NAIVE. Our figures are near the paper's if "
                "we charge NAIVE for both orders of the two groups and for every repeated draw (γ(γ−1)N² = 2N² queries), and "
                "CLUSTER for each pair of representatives once (|R₁|·|R₂|). If we count both alike, ordered or unordered, "
                "CLUSTER saves less. If we count as an expert would (distinct: an expert never answers the same question twice, "
                "and σ(x, y) answers σ(y, x)), it saves the least."
            ),
            ComparisonTable(
                "Table 4 in every way of counting",
                "Per cent by which CLUSTER asks less than NAIVE. Representatives never repeat, so CLUSTER's distinct questions "
                "are half of its ordered ones.",
                tuple(COUNTINGS),
                tuple(titles.values()),
                cells,
                decimals=2,
            ),
            PlainTable(tables.question_table(findings)),
        ],
    )


def _readings(findings: Findings) -> Section:
    return Section(
        "What the paper leaves open",
        "readings",
        [
            Paragraph(
                "The paper does not say which columns are features, or what happens to missing values. Table 4 and the minimum of "
                "Figure 1 depend on this. The defaults of the loaders are among the readings that come as close to Table 4 as "
                "draws can tell apart. We tried many readings, so a close match is weak evidence. The order in which categories "
                "become integers is open too; we did not vary it."
            ),
            PlainTable(tables.reading_table(findings)),
        ],
    )


def _sigma(findings: Findings, figures: Mapping[str, Figure]) -> Section:
    titles = {name: PAPER[name].title for name in findings.datasets}
    cells = {(LEAST_SIGMA, title): findings.least_sigma(name) for name, title in titles.items()}
    return Section(
        "Figure 1: how large σ is",
        "figure-1",
        [
            Picture(
                svg_of(figures["figure-1-sigma"]),
                "σ(x, y) in 10,000 trials, with α, β, θ, x and y drawn anew in every trial. The paper chose ε an order of "
                "magnitude below the smallest value that it saw.",
            ),
            ComparisonTable(
                "The smallest σ in 10,000 trials",
                "A minimum of 10,000 values varies much from one set of trials to the next; a draw here is one such set.",
                (LEAST_SIGMA,),
                tuple(titles.values()),
                cells,
                decimals=4,
            ),
        ],
    )


def _curves(findings: Findings, figures: Mapping[str, Figure]) -> Section:
    blocks: list[Block] = []
    for test in reversed(TESTS):
        caption = (
            f"Mean relative error, tested {test}, against the number of distinct questions, on one draw. NAIVE and CLUSTER get "
            "more through a smaller δ, down to the paper's 0.001; a baseline through more points."
        )
        blocks.append(Picture(svg_of(figures[curve_figure_name(test)]), caption))
        blocks.append(Note(" ".join(overtaking(findings, name, test) for name in findings.datasets)))
    return Section(
        "Error against number of questions", "questions", [*blocks, PlainTable(tables.curve_table(findings))]
    )


def overtaking(findings: Findings, name: str, test: str) -> str:
    """Say which baseline errs less than NAIVE with all its questions, if any does, and from how many on."""
    naive, overtaken = findings.curve(name, "NAIVE", test)[-1], findings.overtaken(name, test)
    where = f"On {PAPER[name].title}, tested {test},"
    if overtaken is None:
        return f"{where} no baseline reaches NAIVE's error with as many points as it was given."
    algorithm, questions = overtaken
    return f"{where} {algorithm} errs less with {questions:,} points than NAIVE with its {naive.questions:,} questions."


def _suite(findings: Findings, figures: Mapping[str, Figure]) -> Section:
    cell = findings.suite_cell
    refuting = [f"{row.algorithm} in {row.world}" for row in findings.suite if row.refutes_the_theorem]
    verdict = (
        f"Above the theorem's bound by more than three standard errors: {'; '.join(refuting)}."
        if refuting
        else "In no world is the measured failure rate above the theorem's bound by more than three standard errors."
    )
    return Section(
        "Synthetic suite",
        "synthetic",
        [
            Paragraph(
                "Worlds where σ and the rare mass p are known exactly: two to five groups, same or different columns, six families of "
                f"σ that obey M1 and M2, from concentrated (p = 0) to spread (p = 1). ε = {cell['epsilon']:g}, δ = {cell['delta']:g}, "
                f"dilation {cell['dilation']:g}, {cell['n_samples']} samples per group, {cell['repeats']} independent draws of "
                f"each world, {cell['n_pairs']} fresh test pairs for each pair of groups."
            ),
            Picture(
                svg_of(figures["synthetic-suite"]),
                "How often an error exceeds the theorem's error bound (6ε for NAIVE, 14ε for CLUSTER), against the theorem's bound "
                "on that probability, min(1, 2δ + p + p′), which says nothing where it is 1. Points above the line by more than "
                "chance would refute it.",
            ),
            Note(verdict),
            PlainTable(tables.suite_table(findings)),
        ],
    )


def _hard_worlds(findings: Findings, figures: Mapping[str, Figure]) -> Section:
    sizes = findings.hard_worlds
    return Section(
        "The paper's impossible worlds",
        "impossible",
        [
            Paragraph(
                f"In the world of its lower bound each group has {sizes['atoms']} elements, all equally far apart, and "
                "σ is independent for every pair: an answer tells nothing about another pair, and a learner has to ask nearly "
                f"all {sizes['pairs']} pairs."
            ),
            Picture(
                svg_of(figures["lower-bound"]),
                "How often the estimate is off by more than 6ε, against the number of questions. On average over σ no learner "
                "can be in the shaded region; a single measurement may be, by chance.",
            ),
            PlainTable(tables.lower_bound_table(findings)),
            Paragraph(
                f"In its no-free-lunch world one group has {sizes['elements']:,} such elements, of which {sizes['samples']} are "
                "sampled: all are rare, and nothing can be learnt about those never sampled."
            ),
            PlainTable(tables.no_free_lunch_table(findings)),
        ],
    )
