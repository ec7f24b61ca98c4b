"""What all draws say together: ours beside the constant and the best peer, and where it is too far behind."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from commensurate.arrays import FloatArray
from commensurate.report.tables import markdown_rows

KEYS = ["world", "answers", "test"]
MEASURES = ("rmse", "mae")
OURS, CONSTANT = "ours, auto", "constant"
# how far behind the best peer, and, where there is nothing to learn, behind the constant, is too far
BEHIND_BEST, BEHIND_CONSTANT = 0.10, 0.05
STANDARD_ERRORS = 2.0
COLUMNS = [*KEYS, "measure", "draws", "ours", "constant", "best", "best peer"]
COLUMNS += [f"{what} {whom}" for whom in ("best", "constant") for what in ("behind", "±")] + [
    "about new answers",
    "noise",
]
# errors below this share of σ count as this large: nobody cares which of two estimates is the more exact one
NEGLIGIBLE = 1e-3


def cells(draws: pd.DataFrame, noise_only: Collection[str] = (), ours: str = OURS) -> pd.DataFrame:
    """Return for every world, number of answers, test and measure ours beside the constant and the best peer.

    ``behind best`` is the mean over draws of the logarithm of our error over that of the peer which is best over all
    draws, and ``± best`` its standard error; so for the constant. A cell is ``too far`` if ours is more than 10 %
    behind the best peer, or in a world named in ``noise_only`` more than 5 % behind the constant, by the mean over
    draws. It is ``flagged`` if that is beyond two standard errors. ``about new answers`` is how far ours is behind the
    constant in predicting noisy answers instead of σ, by root mean squares.
    """
    rows = []
    for key, cell in draws.groupby(KEYS, sort=False):
        for measure in MEASURES:
            errors = _errors(cell, measure)
            if ours in errors and CONSTANT in errors:
                row = dict(zip(KEYS, key)) | {"measure": measure} | _beside(errors, ours)
                new = {"about new answers": _about_new_answers(cell, ours), "noise": cell["noise"].mean()}
                rows.append(row | new)
    found = pd.DataFrame(rows, columns=COLUMNS)
    of_noise = found["world"].isin(list(noise_only)).to_numpy()
    for column, slack in (("too far", 0.0), ("flagged", STANDARD_ERRORS)):
        # where there is nothing to learn, no peer counts that is better than the constant by luck
        found[column] = np.where(
            of_noise,
            _behind(found, "constant", BEHIND_CONSTANT, slack),
            _behind(found, "best", BEHIND_BEST, slack),
        )
    return found


def _errors(cell: pd.DataFrame, measure: str) -> pd.DataFrame:
    """Return one row a draw and one column a learner; of draws that all learners were measured on."""
    wide = cell.pivot_table(index="draw", columns="learner", values=measure)
    size = cell.groupby("draw")["size"].first()
    least = np.maximum(NEGLIGIBLE * size, np.finfo(np.float64).tiny)
    floored: pd.DataFrame = wide.clip(lower=least, axis=0).dropna()
    return floored


def _beside(errors: pd.DataFrame, ours: str) -> dict[str, object]:
    logs = np.log(errors)
    peers = logs[[name for name in errors.columns if not str(name).startswith("ours")]].mean()
    best = str(peers.idxmin())
    row: dict[str, object] = {
        "draws": len(errors),
        "ours": errors[ours].mean(),
        "constant": errors[CONSTANT].mean(),
        "best": errors[best].mean(),
        "best peer": best,
    }
    for name, peer in (("best", best), ("constant", CONSTANT)):
        behind: FloatArray = (logs[ours] - logs[peer]).to_numpy()
        error = behind.std(ddof=1) / np.sqrt(len(behind)) if len(behind) > 1 else np.nan
        row |= {f"behind {name}": behind.mean(), f"± {name}": error}
    return row


def _about_new_answers(cell: pd.DataFrame, ours: str) -> float:
    errors, noise = _errors(cell, "rmse"), cell.groupby("draw")["noise"].first()
    squares = errors[[ours, CONSTANT]].pow(2.0).add(noise.loc[errors.index] ** 2, axis=0)
    return float(0.5 * np.log(squares[ours] / squares[CONSTANT]).mean())


def _behind(found: pd.DataFrame, whom: str, share: float, errors: float) -> NDArray[np.bool_]:
    """Return where ours is behind by more than this share, so many standard errors beyond it."""
    beyond = found[f"behind {whom}"].to_numpy() - np.log1p(share)
    # one draw does not tell its error: NaN, and nothing is beyond that
    slack = errors * found[f"± {whom}"].to_numpy() if errors else np.zeros(len(found))
    far: NDArray[np.bool_] = beyond > slack
    return far


def text(found: pd.DataFrame) -> str:
    """Return the cells in which ours is too far behind, the worst first, and in how many it is not."""
    lines = []
    for measure, of_measure in found.groupby("measure", sort=False):
        far = of_measure[of_measure["too far"]]
        lines.append(
            f"{str(measure).upper()}: {len(far)} of {len(of_measure)} cells too far behind, "
            f"{int(of_measure['flagged'].sum())} of them beyond two standard errors (marked !)"
        )
        for _, cell in far.sort_values("behind best", ascending=False).iterrows():
            lines.append(_line(cell))
        lines.append("")
    return "\n".join(lines)


def _line(cell: pd.Series) -> str:
    best = f"{_percent(cell['behind best'], cell['± best'])} behind {cell['best peer']} ({cell['best']:.3g})"
    constant = f"{_percent(cell['behind constant'], cell['± constant'])} beside the constant ({cell['constant']:.3g})"
    # where experts do not err, an answer is σ
    about = f"{100.0 * np.expm1(cell['about new answers']):+.1f} % about new answers, " if cell["noise"] else ""
    where = f"{'!' if cell['flagged'] else ' '} {cell['world']}, {cell['answers']} answers, {cell['test']}"
    return f"{where:75s} ours {cell['ours']:.3g}, {best}, {constant}, {about}{cell['draws']} draws"


def _percent(log: float, error: float) -> str:
    """Return a mean log-ratio as a share, and its standard error, which one draw does not tell.

    >>> _percent(0.0953102, 0.02), _percent(0.0953102, float("nan"))
    ('+10 ± 2 %', '+10 %')
    """
    slack = f" ± {100.0 * error * np.exp(log):.0f}" if np.isfinite(error) else ""
    return f"{100.0 * np.expm1(log):+.0f}{slack} %"


def best_parts(parts: pd.DataFrame, draws: pd.DataFrame, measure: str = "rmse") -> pd.DataFrame:
    """Return for every cell the best part of ours on its own, beside ours: whether other weights would have done."""
    rows = []
    for key, cell in parts.groupby(KEYS, sort=False):
        same = draws[(draws[KEYS] == pd.Series(dict(zip(KEYS, key)))).all(axis=1)]
        alone, all_of_it = _errors(cell, measure), _errors(same, measure)
        common = alone.index.intersection(all_of_it.index)
        best = str(np.log(alone.loc[common]).mean().idxmin())
        behind = np.log(all_of_it.loc[common, OURS]) - np.log(alone.loc[common, best])
        rows.append(
            dict(zip(KEYS, key))
            | {"draws": len(common), "best part": best, "alone": alone.loc[common, best].mean(), "mix": behind.mean()}
        )
    return pd.DataFrame(rows, columns=[*KEYS, "draws", "best part", "alone", "mix"])


def generated_parts(draws: pd.DataFrame, kinds: Mapping[str, str], noise_only: Collection[str]) -> dict[str, str]:
    """Return the table of the documents by the name of its place: ours beside the best peer, for each kind of world.

    ``kinds`` says what is awkward about each world; where there is only noise, ours is compared with the constant.
    """
    found = cells(draws, noise_only)
    found = found[found["measure"] == MEASURES[0]]
    rows = []
    for kind in dict.fromkeys(kinds.values()):
        some = found[found["world"].map(kinds) == kind]
        if len(some):
            rows.append([kind, *_of_kind(some, bool(set(some["world"]) & set(noise_only)))])
    heading = [
        "what is awkward",
        "worlds",
        "cells",
        "draws",
        "compared with",
        "ours beside it, median",
        "furthest behind",
    ]
    table = markdown_rows([*heading, "too far behind"], rows)
    only_noise = found[found["world"].isin(list(noise_only))]
    return {"awkward worlds": f"{table}\n\n{_in_words(found)}{_new_answers_in_words(only_noise)}"}


def _of_kind(some: pd.DataFrame, only_noise: bool) -> list[str]:
    whom = CONSTANT if only_noise else "best"
    behind = some[f"behind {whom}"]
    worst = some.iloc[int(behind.to_numpy().argmax())]
    shown = f"{_percent(worst[f'behind {whom}'], worst[f'± {whom}'])}: {worst['world']}, {worst['answers']} answers"
    return [
        str(some["world"].nunique()),
        str(len(some)),
        " to ".join(str(n) for n in sorted({int(some["draws"].min()), int(some["draws"].max())})),
        "the constant" if only_noise else "the best peer",
        f"{100.0 * np.expm1(behind.median()):+.0f} %",
        shown,
        f"{int(some['too far'].sum())}, {int(some['flagged'].sum())} beyond two standard errors",
    ]


def _in_words(found: pd.DataFrame) -> str:
    """Say in how many cells ours is as good as it should be."""
    return (
        f"Too far behind is more than {100.0 * BEHIND_BEST:.0f} % behind the best peer, or, where there is only noise, "
        f"{100.0 * BEHIND_CONSTANT:.0f} % behind the constant, by the mean over draws: {int(found['too far'].sum())} of "
        f"{len(found)} cells, {int(found['flagged'].sum())} of them beyond two standard errors."
    )


def _new_answers_in_words(only_noise: pd.DataFrame) -> str:
    """Say how well new answers are predicted where nothing but noise is in them."""
    if not len(only_noise):
        return ""
    worst = 100.0 * float(np.expm1(only_noise["about new answers"].max()))
    return (
        " Where there is only noise, that is about σ, which the constant misses by chance alone; about new answers, ours "
        f"errs at most {worst:.1f} % more than the constant."
    )
