"""What all forecasts say together: how often bands held, and by how much they must be widened."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from commensurate.guarantees.new_world import Band, Widening, plain_band, widened, widening_needed
from commensurate.learning.forecasting.from_simulations import QUICK_SIMULATIONS
from commensurate.learning.forecasting.track_record import BAND_SHARE, Basis, Measured
from commensurate.report.tables import markdown_rows
from commensurate.wording import percent

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
BEFORE, AFTER = "before any answer", "after the first answers"
ALL = "all"
BASES: Mapping[str, Basis] = {BEFORE: "simulated experts", AFTER: "your answers"}


def ahead(found: pd.DataFrame, learner: str, when: str) -> pd.DataFrame:
    """Return the forecasts of one kind that were about more answers than they rested on."""
    kept = (
        (found["learner"] == learner) & (found["budget"] > found["asked"]) & ((found["asked"] == 0) == (when == BEFORE))
    )
    return found[kept]


def kinds(found: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield which learners were measured, and when."""
    for when in (AFTER, BEFORE):
        for learner in ("gp", "auto"):
            if len(ahead(found, learner, when)):
                yield learner, when


def measured(found: pd.DataFrame, learner: str, when: str) -> Measured:
    """Return what the track record of such forecasts says; widenings are rounded up."""
    these = ahead(found, learner, when)
    needed = {share: widening_needed(_bands(these), these["outcome"], these["world"], share) for share in SHARES}
    rests_on = these["asked"].where(these["asked"] > 0, QUICK_SIMULATIONS.questions[-1])
    return Measured(
        learner,
        these["world"].nunique(),
        len(these),
        float((these["budget"] / rests_on).max()),
        when == AFTER,
        {
            share: Widening(*(math.ceil(100.0 * side) / 100.0 for side in one))
            for share, one in needed.items()
            if np.isfinite(one).all()
        },
    )


def held_alone(these: pd.DataFrame) -> pd.Series:
    """Return by world the share of forecasts that the curves' own bands held."""
    return ((these["low"] <= these["outcome"]) & (these["outcome"] <= these["high"])).groupby(these["world"]).mean()


def held_elsewhere(these: pd.DataFrame, share: float = BAND_SHARE) -> pd.Series:
    """Return by world the share of forecasts that bands held, widened by what was measured in all other worlds."""
    return elsewhere(these, share)["held"]


def elsewhere(these: pd.DataFrame, share: float = BAND_SHARE) -> pd.DataFrame:
    """Return by world the shares that came out inside and above bands, widened by all other worlds."""
    found = {}
    for world in these["world"].unique():
        own, others = these[these["world"] == world], these[these["world"] != world]
        low, high = widened(_bands(own), widening_needed(_bands(others), others["outcome"], others["world"], share))
        above = own["outcome"] > high
        found[world] = {"held": float(np.mean((low <= own["outcome"]) & ~above)), "above": float(np.mean(above))}
    return pd.DataFrame.from_dict(found, orient="index")


def _bands(these: pd.DataFrame) -> Band:
    """Return the bands that are widened: the curves' own, but before any answer those of a factor of e."""
    if (these["asked"] == 0).all():
        return plain_band(these["expected"].to_numpy())
    return Band(*(these[name].to_numpy() for name in Band._fields))


def generated_parts(found: pd.DataFrame) -> dict[str, str]:
    """Return the tables of the documents by the name of their place."""
    return {"forecasts": forecast_table(found), "forecast worlds": worlds_table(found)}


def forecast_table(found: pd.DataFrame) -> str:
    """Return a row for each kind of forecast."""
    heading = ["forecast", "learner", "worlds", "forecasts", "furthest", "outcome / forecast: 10 %, 50 %, 90 %"]
    heading += ["held by the curves' own band", "by the widened band of 80 %", "above that", "its ends, median"]
    rows = []
    for learner, when in kinds(found):
        these, record = ahead(found, learner, when), measured(found, learner, when)
        cells = [when, learner, f"{record.worlds}", f"{record.forecasts:,}", f"{these['budget'].max()} questions"]
        cells.append(", ".join(f"{one:.2g}" for one in _quantiles(these)))
        cells.append(percent(float(held_alone(these).mean())))
        if BAND_SHARE in record.widenings:
            low, high = widened(_bands(these), record.widenings[BAND_SHARE])
            cells += [percent(float(one)) for one in elsewhere(these).mean()]
            cells.append(f"1 : {np.median(high / low):,.0f}")
        else:
            cells += ["–", "–", "–"]
        rows.append(cells)
    return markdown_rows(heading, rows)


def worlds_table(found: pd.DataFrame) -> str:
    """Return, for each kind of world, how often bands held."""
    columns = [
        (learner, when) for learner, when in kinds(found) if BAND_SHARE in measured(found, learner, when).widenings
    ]
    rows = []
    for kind in [*found["kind"].unique(), ALL]:
        cells = [str(kind)]
        for learner, when in columns:
            these = ahead(found, learner, when)
            there = these.loc[(these["kind"] == kind) | (kind == ALL), "world"].unique()
            held = held_elsewhere(these).reindex(there)
            cells.append(f"{percent(float(held.mean()))} in {len(there)}" if len(there) else "–")
        rows.append(cells)
    return markdown_rows(["worlds", *(f"{when}, {learner}" for learner, when in columns)], rows)


def _quantiles(these: pd.DataFrame) -> list[float]:
    """Return quantiles of outcome / forecast, every world counting alike."""
    ratios = these["outcome"] / these["expected"]
    weights = 1.0 / these.groupby("world")["outcome"].transform("size")
    order = np.argsort(ratios.to_numpy())
    reached = np.cumsum(weights.to_numpy()[order]) / weights.sum()
    return [float(ratios.to_numpy()[order][np.searchsorted(reached, level)]) for level in (0.1, 0.5, 0.9)]


def as_source(found: pd.DataFrame) -> str:
    """Return what `commensurate.learning.forecasting.track_record` has as MEASURED."""
    lines = []
    for learner, when in kinds(found):
        record = measured(found, learner, when)
        widenings = ", ".join(f"{share}: Widening({one.down}, {one.up})" for share, one in record.widenings.items())
        known = f"{record.worlds}, {record.forecasts}, {record.ahead}, {record.own_band}, {{{widenings}}}"
        lines.append(f'    ("{BASES[when]}", "{learner}"): Measured("{learner}", {known}),')
    return "\n".join(lines)


def in_words(found: pd.DataFrame) -> str:
    """Return the records as the source has them, and the tables."""
    return "\n".join([as_source(found), "", *(f"{part}\n" for part in generated_parts(found).values())])
