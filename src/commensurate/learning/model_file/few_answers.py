"""BudgetedSimilarity to and from model files: the plan, every answer to it, and what was learnt.

Of the groups, only the elements that are asked about are stored, each once; no raw records. A model may have been
learnt from fewer answers than there are, if learning was interrupted since: the file tells from how many.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from commensurate.arrays import IntArray
from commensurate.asking.questions import Between
from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.geometry.metrics import CoordinateMetric, Metric
from commensurate.groups.elements import Elements
from commensurate.learning.few_answers.answer_log import AnswerLog, GivenAnswer, answered_pairs
from commensurate.learning.few_answers.estimator import BudgetedSimilarity
from commensurate.learning.few_answers.expert_scales import ExpertScale
from commensurate.learning.few_answers.plan import BudgetPlan, GivenCounts, PairPlan, pair_plan
from commensurate.learning.model_file.checked_values import (
    all_below,
    array,
    arrays_under,
    demand,
    keyed,
    refusing_nonsense,
    text,
    whole_number,
)
from commensurate.learning.model_file.container import Arrays
from commensurate.learning.model_file.given_answers import (
    expert_numbers,
    experts_of,
    read_experts,
    read_scales,
    read_what_was_said,
    said_arrays,
    scale_arrays,
)
from commensurate.learning.model_file.groups import (
    elements_arrays,
    elements_json,
    group_key,
    read_between,
    read_elements,
)
from commensurate.learning.model_file.regression import read_regression, regression_parts
from commensurate.learning.regression.auto import MOST_ANSWERS
from commensurate.learning.regression.learners import LEAST_ANSWERS, OWN_LEARNERS, check_learner, learn_pairs
from commensurate.learning.regression.ranges.ranged_pairs import RangedPairs
from commensurate.learning.regression.regression import AnsweredPairs, Regression
from commensurate.learning.regression.stacked import StackedRegression

MODEL_KEY = "model."
# for how many pairs the estimates of a model are tried out
TRIED_PAIRS = 100


# --- saving ---


def budgeted_content(estimator: BudgetedSimilarity) -> tuple[dict[str, object], Arrays]:
    """Return what the manifest says of plan, answers and models, and the arrays."""
    asked = {name: _asked_about(estimator.plan_, name) for name in estimator.groups_}
    arrays: Arrays = {}
    for k, (elements, _) in enumerate(asked.values()):
        arrays |= keyed(elements_arrays(elements), group_key(k))
    experts = experts_of(estimator.logs_.values())
    arrays |= scale_arrays(experts, estimator.scales_)
    pairs = []
    for k, (between, part) in enumerate(estimator.plan_.by_pair.items()):
        model = estimator.models_.get(between)
        parts, model_arrays = regression_parts(model) if isinstance(model, StackedRegression) else (None, {})
        given = estimator.plan_.given
        pairs.append(
            {
                "between": list(between),
                "learnt_from": model.n_answers if model else 0,
                "model": parts,
                "given": asdict(given[between]) if given else None,
                "put": estimator.logs_[between].n_put,
            }
        )
        left, right = (np.searchsorted(asked[name][1], rows) for name, rows in zip(between, part.rows))
        log = estimator.logs_[between]
        own_arrays = {
            "left_rows": left,
            "right_rows": right,
            "held_out": part.held_out,
            "numbers": log.numbers,
            **said_arrays(log),
            "experts": expert_numbers(log, experts),
            **keyed(model_arrays, MODEL_KEY),
        }
        arrays |= keyed(own_arrays, _pair_key(k))
    groups = [elements_json(elements) for elements, _ in asked.values()]
    return {"groups": groups, "seed": estimator.plan_.seed, "pairs": pairs}, arrays


def learner_json(learner: Any) -> object:
    """Return what the manifest says of a learner: its name, or of a foreign one its class and plain parameters."""
    return (
        learner if isinstance(learner, str) else {"foreign": type(learner).__name__, "parameters": _parameters(learner)}
    )


def _parameters(learner: Any) -> dict[str, str]:
    """Return the parameters that are plain values, as text, but those that change no estimate;
    a regressor within has its own.
    """
    named = {
        name: _plain(value)
        for name, value in sorted(learner.get_params().items())
        if name.rpartition("__")[2] not in ("n_jobs", "verbose", "warm_start", "copy_X")
    }
    return {name: value for name, value in named.items() if value is not None}


def _plain(value: object) -> str | None:
    """Return a plain value as text, the same for equal numbers of any type; None for anything else.

    >>> _plain(1), _plain(np.float64(0.5)), _plain("auto"), _plain((4, 2)), _plain(np.arange(3))
    ('1.0', '0.5', "'auto'", '(4.0, 2.0)', None)
    """
    if value is None or isinstance(value, bool | str):
        return repr(value)
    if isinstance(value, Real):
        return repr(float(value))
    if isinstance(value, list | tuple):
        parts = [_plain(part) for part in value]
        return None if None in parts else f"({', '.join(map(str, parts))})"
    return None


def _asked_about(plan: BudgetPlan, group: str) -> tuple[Elements, IntArray]:
    """Return the different elements of a group that are asked about, and their rows in its table, which ascend."""
    sides = [
        (side, rows)
        for part in plan.by_pair.values()
        for side, rows in zip((part.pairs.left, part.pairs.right), part.rows)
        if side.name == group
    ]
    rows, first = np.unique(np.concatenate([rows for _, rows in sides]), return_index=True)
    points = np.concatenate([side.points for side, _ in sides])[first]
    ids = np.concatenate([side.ids for side, _ in sides])[first]
    return Elements(sides[0][0].space, points, ids), rows


def _pair_key(k: int) -> str:
    return f"pair{k}."


# --- loading ---


@dataclass(frozen=True, slots=True)
class ForeignLearner:
    """A learner that the file does not hold, by the name of its class and its plain parameters."""

    name: str
    parameters: Mapping[str, str]


def read_learner(stored: object) -> ForeignLearner | None:
    """Return which learner must be passed again, if any."""
    if isinstance(stored, dict):
        demand(
            list(stored) == ["foreign", "parameters"], f"a learner must be one of ours or foreign, got {stored!r:.80}"
        )
        name, parameters = text(stored["foreign"], "the class of a learner"), stored["parameters"]
        demand(name.isidentifier(), f"the class of a learner must be a name, got {name!r:.80}")
        demand(isinstance(parameters, dict), f"the parameters of a learner must be an object, got {parameters!r:.80}")
        return ForeignLearner(name, {key: text(value, "a learner's parameter") for key, value in parameters.items()})
    demand(stored in OWN_LEARNERS, f"a learner must be one of {OWN_LEARNERS}, got {stored!r:.80}")
    return None


def learner_in_use(stored: ForeignLearner | None, given: Any) -> Any:
    """Return the learner that the caller passes again, None if none is needed; what is wrong here is the argument."""
    if stored is None:
        if given is not None:
            raise InvalidInput(
                f"learner={given!r:.80} is not needed: the model did not learn with a scikit-learn regressor; leave it out"
            )
        return None
    wanted = f"the model learnt with {stored.name}, which a model file does not hold"
    if given is None:
        raise InvalidInput(f"{wanted}; pass it again, with the same parameters: load(path, learner={stored.name}(…))")
    check_learner(given)
    if type(given).__name__ != stored.name:
        raise InvalidParameter(f"{wanted}, got learner={given!r:.80}; pass the same regressor, not fitted")
    # another version of scikit-learn may know other parameters
    for name, value in _parameters(given).items():
        if stored.parameters.get(name, value) != value:
            raise InvalidParameter(
                f"{wanted}, with {name}={stored.parameters[name]}, got {name}={value}: it may learn something else from the same "
                "answers; pass it with the same parameters"
            )
    return given


@dataclass(frozen=True, slots=True, eq=False)
class _StoredPair:
    """What a file holds about one pair of groups;
    ``model`` is None where nothing was learnt, or by a foreign learner; ``given`` where the pairs were drawn.
    """

    plan: PairPlan
    log: AnswerLog
    learnt_from: int
    model: Mapping[str, Any] | None
    model_arrays: Arrays
    given: GivenCounts | None

    def learnt_pairs(self, scales: Mapping[str, ExpertScale]) -> AnsweredPairs | RangedPairs:
        """Return the training answers that there were when the model was learnt: answers are only ever added."""
        heard = self.log.on_common_scale(scales)
        return answered_pairs(heard.part(~self.plan.held_out, self.learnt_from))


def read_budgeted(
    estimator: BudgetedSimilarity,
    manifest: Mapping[str, Any],
    arrays: Arrays,
    metrics: Mapping[str, Metric],
    path: str | os.PathLike[str],
) -> tuple[BudgetPlan, dict[Between, AnswerLog], dict[Between, Regression], dict[str, ExpertScale]]:
    """Return plan, answers, models and experts' scales of an estimator that has its parameters already."""
    with refusing_nonsense(path):
        elements = _read_groups(manifest["groups"], arrays, metrics)
        stored = _read_pairs(manifest["pairs"], arrays, elements, estimator.symmetric)
        _check_models(stored, estimator.learner)
        seed = whole_number(manifest["seed"], "the seed of a plan", 0, 2**63 - 1)
        given, scales = _read_given(stored), read_scales(arrays)
    by_pair = {between: pair.plan for between, pair in stored.items()}
    plan = BudgetPlan.of(by_pair, (), estimator._checked_settings(), seed, given)
    logs = {between: pair.log for between, pair in stored.items()}
    models: dict[Between, Regression] = {}
    if all(pair.learnt_from for pair in stored.values()):
        _try_metrics(elements)
        learnt = {between: pair.learnt_pairs(scales) for between, pair in stored.items()}
        if all(pair.model is None for pair in stored.values()):
            # as in BudgetedSimilarity: one source of chance for all pairs of groups, in their order
            rng = np.random.default_rng(seed)
            models = {between: learn_pairs(estimator.learner, pairs, rng) for between, pairs in learnt.items()}
        else:
            with refusing_nonsense(path):
                models = {between: _read_model(pair, learnt[between]) for between, pair in stored.items()}
    return plan, logs, models, scales


def _read_groups(stored: list[Mapping[str, Any]], arrays: Arrays, metrics: Mapping[str, Metric]) -> dict[str, Elements]:
    return {
        name: read_elements(group, arrays_under(arrays, group_key(k)), metric)
        for k, (group, (name, metric)) in enumerate(zip(stored, metrics.items()))
    }


def _read_pairs(
    stored: list[Mapping[str, Any]], arrays: Arrays, elements: Mapping[str, Elements], symmetric: bool
) -> dict[Between, _StoredPair]:
    pairs = {
        between: _read_pair(pair, arrays_under(arrays, _pair_key(k)), (elements[between[0]], elements[between[1]]))
        for k, (pair, between) in enumerate(
            zip(stored, read_between([pair["between"] for pair in stored], elements, symmetric))
        )
    }
    for name, group in elements.items():
        rows = [rows for between, pair in pairs.items() for side, rows in zip(between, pair.plan.rows) if side == name]
        demand(
            len(np.unique(np.concatenate(rows))) == len(group),
            f"group {name!r} has elements that nothing is asked about",
        )
    return pairs


def _read_pair(stored: Mapping[str, Any], arrays: Arrays, sides: tuple[Elements, Elements]) -> _StoredPair:
    where = f"between {sides[0].name!r} and {sides[1].name!r}"
    rows = array(arrays, "left_rows", np.int64), array(arrays, "right_rows", np.int64)
    held_out = array(arrays, "held_out", np.bool_)
    demand(
        len(rows[0]) == len(rows[1]) == len(held_out) > 0
        and all(all_below(own, len(side)) for own, side in zip(rows, sides)),
        f"the questions {where} do not fit the elements",
    )
    numbers, said = array(arrays, "numbers", np.int64), read_what_was_said(arrays, where)
    demand(
        len(numbers) == len(said) and all_below(numbers, len(held_out)),
        f"the answers {where} must each be to one of the questions",
    )
    # what is set aside for later questions goes with the tables, without which there are none
    plan = pair_plan(sides, rows, held_out, reserved=(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)))
    # files of earlier versions do not say how many were put: then, all up to the last that has an answer
    n_put = whole_number(stored.get("put", 0), f"the number of questions put {where}", 0, len(held_out))
    experts = read_experts(arrays, len(numbers), where)
    log = AnswerLog(plan.pairs, map(GivenAnswer, numbers.tolist(), said, experts), n_put)
    n_training = int(np.count_nonzero(~held_out[numbers]))
    learnt_from = whole_number(stored["learnt_from"], f"the number of answers learnt from {where}", 0, n_training)
    demand(not 0 < learnt_from < LEAST_ANSWERS, f"nothing is learnt from {learnt_from} answer(s)")
    model = stored["model"]
    demand(model is None or isinstance(model, dict), f"a model must be a dict of its parts, got {model!r:.80}")
    return _StoredPair(plan, log, learnt_from, model, arrays_under(arrays, MODEL_KEY), _read_counts(stored, where))


def _read_counts(stored: Mapping[str, Any], where: str) -> GivenCounts | None:
    """Return what became of pairs that were given; files of earlier versions say nothing, since there were none."""
    counts = stored.get("given")
    if counts is None:
        return None
    names = [one.name for one in fields(GivenCounts)]
    demand(
        isinstance(counts, dict) and list(counts) == names,
        f"what became of the pairs given {where} must be {names}, got {counts!r:.80}",
    )
    return GivenCounts(
        **{name: whole_number(counts[name], f"the number of {name} given {where}", 0, 2**63 - 1) for name in names}
    )


def _read_given(stored: Mapping[Between, _StoredPair]) -> dict[Between, GivenCounts] | None:
    given = {between: pair.given for between, pair in stored.items() if pair.given is not None}
    demand(len(given) in (0, len(stored)), "pairs must be given between all groups or between none")
    return given or None


def _check_models(stored: Mapping[Between, _StoredPair], learner: object) -> None:
    """Refuse the file unless all pairs of groups have a model or none has, and those of our own learners are stored."""
    kinds = {(pair.learnt_from > 0, pair.model is not None) for pair in stored.values()}
    nothing_learnt, own, foreign = (False, False), (True, True), (True, False)
    allowed = [{nothing_learnt}, {own}] if isinstance(learner, str) else [{nothing_learnt}, {own}, {foreign}]
    demand(kinds in allowed, "models must be there for all pairs of groups or for none")


def _try_metrics(elements: Mapping[str, Elements]) -> None:
    """Call the metrics that the caller passed: what is wrong with them must not be blamed on the file."""
    for group in elements.values():
        if not isinstance(group.space.metric, CoordinateMetric):
            group.space.metric.pairwise(group.points[:1], group.points)


def _read_model(stored: _StoredPair, pairs: AnsweredPairs | RangedPairs) -> StackedRegression:
    # beyond, a few numbers in a file would ask for any amount of memory
    different = len(np.unique(np.hstack([pairs.left, pairs.right]), axis=0))
    demand(different <= MOST_ANSWERS, f"a model of ours learns from {MOST_ANSWERS} answers at most, got {different}")
    with np.errstate(all="ignore"):  # numbers that are each in range may make nonsense together, which is told below
        model = read_regression(stored.model or {}, stored.model_arrays, pairs)
        tried = model.estimate_with_uncertainty(pairs.left[:TRIED_PAIRS], pairs.right[:TRIED_PAIRS])
        demand(np.isfinite(tried).all() and np.isfinite(model.noise), "the estimates of a model must be finite")
    return model
