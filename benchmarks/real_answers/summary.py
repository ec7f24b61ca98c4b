"""What all draws say together: means with standard errors, and each learner beside the constant and the best peer."""

from __future__ import annotations

import numpy as np
import pandas as pd

from commensurate.report.tables import markdown_rows

MEASURE = "rmse"
KEYS = ["data", "answers", "test"]
OURS, FIFTH_HELD_OUT = "ours, auto", "ours, a fifth held out"
CONSTANT = "constant"


def ratios(draws: pd.DataFrame, measure: str = MEASURE) -> pd.DataFrame:
    """Return for every cell and learner the mean over draws of its error beside the constant's, and its standard error.

    Lower is better; 1 is as good as the mean of the answers.
    """
    wide = draws.pivot_table(index=[*KEYS, "draw"], columns="learner", values=measure)
    beside = wide.div(wide["constant"], axis=0).reset_index().melt([*KEYS, "draw"], value_name="ratio").dropna()
    found = beside.groupby([*KEYS, "learner"])["ratio"].agg(["mean", "std", "count"]).reset_index()
    found["error"] = found["std"] / np.sqrt(found["count"])
    return found.drop(columns="std")


def cells(draws: pd.DataFrame, ours: str = OURS, measure: str = MEASURE) -> pd.DataFrame:
    """Return for every cell ours beside the constant and the best peer: paired over draws, in shares of the peer's."""
    rows = []
    for key, cell in draws.groupby(KEYS):
        wide = cell.pivot_table(index="draw", columns="learner", values=measure)
        peers = [name for name in wide.columns if not name.startswith("ours")]
        best = str(wide[peers].mean().idxmin())
        row = dict(zip(KEYS, key)) | {"draws": len(wide), "ours": wide[ours].mean(), "best peer": best}
        for name, peer in (("constant", "constant"), ("best", best)):
            more = (wide[ours] - wide[peer]) / wide[peer].mean()
            row |= {f"behind {name}": more.mean(), f"± {name}": more.std() / np.sqrt(len(more))}
        rows.append(row)
    return pd.DataFrame(rows)


def text(found: pd.DataFrame) -> str:
    """Return what `ratios` found as one table a set and test, a line a learner and a column a number of answers."""
    parts = []
    for key, part in found.groupby(["data", "test"]):
        shown = part.assign(cell=[f"{m:.3f} ± {e:.3f}" for m, e in zip(part["mean"], part["error"])])
        table = shown.pivot_table(index="learner", columns="answers", values="cell", aggfunc="first")
        parts.append(f"{key[0]}, {key[1]}\n{table.fillna('–').to_string()}\n")
    return "\n".join(parts)


# what each set is, as a reader knows it
TITLES = {
    "kiba": "drugs and proteins (KIBA)",
    "lectures": "lectures (InstEval)",
    "situations": "annoying situations (VerbAgg)",
    "films": "films (MovieLens)",
}


def averages(draws: pd.DataFrame) -> pd.DataFrame:
    """Return for every learner the mean over cells of its errors beside the constant's, and of its concordance.

    ``behind`` is the error beside the constant's in the cell where that is largest.
    """
    beside = {measure: ratios(draws, measure) for measure in ("rmse", "mae")}
    order = draws.groupby([*KEYS, "learner"])["concordance"].mean().groupby("learner").mean()
    found = {measure: one.groupby("learner")["mean"].mean() for measure, one in beside.items()}
    worst = beside[MEASURE].groupby("learner")["mean"].max()
    return pd.DataFrame(found | {"concordance": order, "worst": worst}).sort_values(MEASURE)


def generated_parts(draws: pd.DataFrame) -> dict[str, str]:
    """Return the tables of the documents by the name of their place: ours beside the constant and the best peer."""
    # only cells and draws that every learner was measured on
    every = draws.groupby([*KEYS, "draw"])["learner"].transform("nunique") == draws["learner"].nunique()
    draws = draws[every]
    found, one, held_out = ratios(draws), cells(draws), cells(draws, FIFTH_HELD_OUT)
    mean_of = found.set_index([*KEYS, "learner"])["mean"]
    behind_all = held_out.set_index(KEYS)
    rows = []
    for _, cell in one.sort_values(["data", "test", "answers"]).iterrows():
        key = tuple(cell[name] for name in KEYS)
        other = behind_all.loc[key]
        rows.append(
            [
                TITLES.get(str(cell["data"]), str(cell["data"])),
                str(cell["test"]),
                f"{int(cell['answers']):,}",
                str(int(cell["draws"])),
                f"{mean_of[(*key, OURS)]:.3f}",
                f"{mean_of[(*key, cell['best peer'])]:.3f} {cell['best peer']}",
                _percent(cell),
                _percent(other),
            ]
        )
    heading = ["answers about", "test", "answers", "draws", "ours", "best of twelve peers"]
    heading += ["ours beside the best", "ours with a fifth held out"]
    learners = [
        [str(name), *(f"{line[column]:.3f}" for column in ("rmse", "mae", "concordance", "worst"))]
        for name, line in averages(draws).iterrows()
    ]
    columns = ["mean over all cells", "RMSE", "MAE", "concordance index", "RMSE in its worst cell"]
    return {
        "real answers": f"{markdown_rows(heading, rows)}\n\n{in_words(one)}",
        "real learners": markdown_rows(columns, learners),
    }


def _percent(cell: pd.Series) -> str:
    return f"{100.0 * cell['behind best']:+.1f} ± {100.0 * cell['± best']:.1f} %"


def in_words(one: pd.DataFrame) -> str:
    """Say in how many cells ours is as good as the best peer, and as the constant."""
    near = (one["behind best"] <= 2.0 * one["± best"]).sum()
    worse = ((one["behind constant"] > 0.01) & (one["behind constant"] - 0.01 > 2.0 * one["± constant"])).sum()
    return (
        f"Within two standard errors of the best peer in {near} of {len(one)} cells; furthest behind by "
        f"{100.0 * one['behind best'].max():.1f} %. More than 1 % worse than the mean of the answers, beyond two standard "
        f"errors, in {worse} of {len(one)}."
    )
