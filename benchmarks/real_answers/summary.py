"""What all draws say together: means with standard errors, and each learner beside the constant and the best peer."""

from __future__ import annotations

import numpy as np
import pandas as pd

MEASURE = "rmse"
KEYS = ["data", "answers", "test"]
OURS = "ours, auto"


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
