"""Learn how dissimilar two records from *different* groups are, from few expert answers. Small means similar.

Names are imported when first used, so that ``import commensurate`` is quick.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from commensurate import errors
from commensurate._version import __version__
from commensurate.lazy import lazy_names

if TYPE_CHECKING:
    from commensurate.asking.by_comparisons import ByComparisons
    from commensurate.asking.questions import Answer, Question
    from commensurate.groups.group import Group
    from commensurate.groups.tables import groups_from_table, groups_from_tables
    from commensurate.guarantees.comparisons.information import grade_information, ruler_information
    from commensurate.guarantees.comparisons.lower_bound import fewest_comparisons
    from commensurate.guarantees.comparisons.rulers import Rulers
    from commensurate.guarantees.contradictions.consistency import check_answers
    from commensurate.guarantees.rare_mass import rare_mass
    from commensurate.guarantees.statements.check import check_statements
    from commensurate.guarantees.statements.statement import Statement
    from commensurate.guarantees.theorem import error_bound, failure_probability, sample_size
    from commensurate.learning.few_answers.estimator import BudgetedSimilarity
    from commensurate.learning.few_answers.stop_rule import StopRule
    from commensurate.learning.forecasting.forecast_budget import forecast_budget
    from commensurate.learning.forecasting.kinds import compare_kinds
    from commensurate.learning.model_file.save_and_load import load
    from commensurate.learning.proxies.cluster import ClusterSimilarity
    from commensurate.learning.proxies.naive import NaiveSimilarity
    from commensurate.study.study import Study

_HOME = {
    "Answer": "asking.questions",
    "BudgetedSimilarity": "learning.few_answers.estimator",
    "ByComparisons": "asking.by_comparisons",
    "ClusterSimilarity": "learning.proxies.cluster",
    "Group": "groups.group",
    "NaiveSimilarity": "learning.proxies.naive",
    "Question": "asking.questions",
    "Rulers": "guarantees.comparisons.rulers",
    "Statement": "guarantees.statements.statement",
    "StopRule": "learning.few_answers.stop_rule",
    "Study": "study.study",
    "check_answers": "guarantees.contradictions.consistency",
    "check_statements": "guarantees.statements.check",
    "error_bound": "guarantees.theorem",
    "failure_probability": "guarantees.theorem",
    "fewest_comparisons": "guarantees.comparisons.lower_bound",
    "compare_kinds": "learning.forecasting.kinds",
    "forecast_budget": "learning.forecasting.forecast_budget",
    "grade_information": "guarantees.comparisons.information",
    "groups_from_table": "groups.tables",
    "groups_from_tables": "groups.tables",
    "load": "learning.model_file.save_and_load",
    "rare_mass": "guarantees.rare_mass",
    "ruler_information": "guarantees.comparisons.information",
    "sample_size": "guarantees.theorem",
}

__all__ = [
    "Answer",
    "BudgetedSimilarity",
    "ByComparisons",
    "ClusterSimilarity",
    "Group",
    "NaiveSimilarity",
    "Question",
    "Rulers",
    "Statement",
    "StopRule",
    "Study",
    "__version__",
    "check_answers",
    "check_statements",
    "compare_kinds",
    "error_bound",
    "errors",
    "failure_probability",
    "fewest_comparisons",
    "forecast_budget",
    "grade_information",
    "groups_from_table",
    "groups_from_tables",
    "load",
    "rare_mass",
    "ruler_information",
    "sample_size",
]


# old names, kept for one release
_RENAMED = {"plan_budget": "forecast_budget"}
_first_use = lazy_names(globals(), _HOME)


def __getattr__(name: str) -> object:
    if name in _RENAMED:
        warnings.warn(
            f"commensurate.{name} is now called {_RENAMED[name]}; the old name goes with the next release",
            DeprecationWarning,
            stacklevel=2,
        )
        # kept by its new name only, so that every use of the old one warns
        name = _RENAMED[name]
    return _first_use(name)


def __dir__() -> list[str]:
    return sorted(__all__)
