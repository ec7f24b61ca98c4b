"""The types of what you receive: import them from here to annotate your own code.

They are imported when first used, so that ``import commensurate.types`` is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from commensurate.lazy import lazy_names

if TYPE_CHECKING:
    from commensurate.applications.clustering.k_center import KCenterOnClosure
    from commensurate.applications.fairness.audit import FairnessAudit
    from commensurate.applications.fairness.lipschitz import LipschitzRange
    from commensurate.applications.fairness.repair import ScoreRepair
    from commensurate.applications.fairness.without_experts import WithoutExperts
    from commensurate.applications.retrieval.matching import Matching
    from commensurate.asking.plan import QuestionPlan, Questions
    from commensurate.asking.question_blocks import MatchedPairs, QuestionGrid
    from commensurate.asking.questions import Answer, Question
    from commensurate.asking.said import Said
    from commensurate.geometry.metrics import Metric
    from commensurate.groups.elements import Elements, Space
    from commensurate.groups.encoding import Column, Encoding
    from commensurate.groups.group import Group
    from commensurate.guarantees.contradictions.consistency import AnswerCheck, Contradiction
    from commensurate.guarantees.contradictions.noisy_consistency import NoisyAnswerCheck, NoisyContradiction
    from commensurate.guarantees.envelope import EnvelopeFit
    from commensurate.guarantees.future_pairs import FuturePairsBound
    from commensurate.guarantees.population import HeldOutCounts, Population
    from commensurate.guarantees.rare_mass import RareMass
    from commensurate.guarantees.sigma_error import ErrorAgainstSigma
    from commensurate.guarantees.statements.check import StatementCheck, StatementContradiction
    from commensurate.guarantees.theorem import QuestionCounts
    from commensurate.learning.compared_records import RecordComparison
    from commensurate.learning.evaluation import Evaluation
    from commensurate.learning.few_answers.explanation import Explanation
    from commensurate.learning.few_answers.guarantee import (
        BoundedErrors,
        BudgetedGuarantee,
        BudgetedPairGuarantee,
        ConstantErrors,
    )
    from commensurate.learning.few_answers.look import Look, PairLook
    from commensurate.learning.few_answers.plan import BudgetPlan, BudgetSettings, GivenCounts, PairCounts, PairPlan
    from commensurate.learning.forecasting.forecast import BudgetForecast
    from commensurate.learning.forecasting.learning_curve import ErrorForecast
    from commensurate.learning.forecasting.track_record import TrackRecord
    from commensurate.learning.held_out_pairs import HeldOutPairs
    from commensurate.learning.like_weights import FrequencyRatio, LikeWeights
    from commensurate.learning.proxies.estimator import ProxySimilarity
    from commensurate.learning.proxies.guarantee import Guarantee, PairGuarantee
    from commensurate.learning.proxies.plan import ProxyPlan
    from commensurate.learning.proxies.sample import ProxySettings, Sample
    from commensurate.learning.similarity import Similarity
    from commensurate.study.judging.agreement import AlphaInterval, Disagreement, ExpertShift, SelfConsistency
    from commensurate.study.judging.check import AskAgain, StudyCheck
    from commensurate.study.judging.contradictions import PairContradictions
    from commensurate.study.judging.overview import AnswerCounts, AnswerCurve, Overview, RulerMark
    from commensurate.study.judging.scales import ExpertScale
    from commensurate.study.judging.status import ExpertStatus, GroupStatus, StudyStatus
    from commensurate.study.judging.trust import PairFigures, StudyLook, StudyTrust
    from commensurate.study.judging.words import WordConsistency, WordDisagreement
    from commensurate.study.messages import AskedQuestion, ExpertCounts, RecordedAnswer, RulerPair
    from commensurate.study.settings import StudySettings
    from commensurate.study.sheets.exchange import Imported
    from commensurate.study.simulate import Rehearsal
    from commensurate.study.store.answering import StoredAnswer
    from commensurate.study.store.forgetting import Forgotten
    from commensurate.study.store.invitations import Invitation

_HOME = {
    "AlphaInterval": "study.judging.agreement",
    "Answer": "asking.questions",
    "AnswerCheck": "guarantees.contradictions.consistency",
    "AnswerCounts": "study.judging.overview",
    "AnswerCurve": "study.judging.overview",
    "AskAgain": "study.judging.check",
    "AskedQuestion": "study.messages",
    "BoundedErrors": "learning.few_answers.guarantee",
    "ConstantErrors": "learning.few_answers.guarantee",
    "BudgetForecast": "learning.forecasting.forecast",
    "BudgetPlan": "learning.few_answers.plan",
    "BudgetSettings": "learning.few_answers.plan",
    "BudgetedGuarantee": "learning.few_answers.guarantee",
    "BudgetedPairGuarantee": "learning.few_answers.guarantee",
    "Column": "groups.encoding",
    "Contradiction": "guarantees.contradictions.consistency",
    "Disagreement": "study.judging.agreement",
    "Elements": "groups.elements",
    "Encoding": "groups.encoding",
    "EnvelopeFit": "guarantees.envelope",
    "ErrorAgainstSigma": "guarantees.sigma_error",
    "ErrorForecast": "learning.forecasting.learning_curve",
    "TrackRecord": "learning.forecasting.track_record",
    "Evaluation": "learning.evaluation",
    "ExpertCounts": "study.messages",
    "ExpertScale": "study.judging.scales",
    "ExpertShift": "study.judging.agreement",
    "ExpertStatus": "study.judging.status",
    "Explanation": "learning.few_answers.explanation",
    "FairnessAudit": "applications.fairness.audit",
    "Forgotten": "study.store.forgetting",
    "FrequencyRatio": "learning.like_weights",
    "FuturePairsBound": "guarantees.future_pairs",
    "Group": "groups.group",
    "GroupStatus": "study.judging.status",
    "Guarantee": "learning.proxies.guarantee",
    "HeldOutCounts": "guarantees.population",
    "HeldOutPairs": "learning.held_out_pairs",
    "Imported": "study.sheets.exchange",
    "Invitation": "study.store.invitations",
    "KCenterOnClosure": "applications.clustering.k_center",
    "LikeWeights": "learning.like_weights",
    "LipschitzRange": "applications.fairness.lipschitz",
    "Look": "learning.few_answers.look",
    "MatchedPairs": "asking.question_blocks",
    "Matching": "applications.retrieval.matching",
    "Metric": "geometry.metrics",
    "NoisyAnswerCheck": "guarantees.contradictions.noisy_consistency",
    "NoisyContradiction": "guarantees.contradictions.noisy_consistency",
    "Overview": "study.judging.overview",
    "PairContradictions": "study.judging.contradictions",
    "PairCounts": "learning.few_answers.plan",
    "PairFigures": "study.judging.trust",
    "PairGuarantee": "learning.proxies.guarantee",
    "GivenCounts": "learning.few_answers.plan",
    "PairLook": "learning.few_answers.look",
    "PairPlan": "learning.few_answers.plan",
    "Population": "guarantees.population",
    "ProxyPlan": "learning.proxies.plan",
    "ProxySimilarity": "learning.proxies.estimator",
    "Question": "asking.questions",
    "QuestionCounts": "guarantees.theorem",
    "QuestionGrid": "asking.question_blocks",
    "QuestionPlan": "asking.plan",
    "Questions": "asking.plan",
    "RareMass": "guarantees.rare_mass",
    "RecordComparison": "learning.compared_records",
    "RecordedAnswer": "study.messages",
    "Rehearsal": "study.simulate",
    "RulerMark": "study.judging.overview",
    "RulerPair": "study.messages",
    "Said": "asking.said",
    "Sample": "learning.proxies.sample",
    "ScoreRepair": "applications.fairness.repair",
    "SelfConsistency": "study.judging.agreement",
    "ProxySettings": "learning.proxies.sample",
    "Similarity": "learning.similarity",
    "Space": "groups.elements",
    "StatementCheck": "guarantees.statements.check",
    "StatementContradiction": "guarantees.statements.check",
    "StoredAnswer": "study.store.answering",
    "StudyCheck": "study.judging.check",
    "StudyLook": "study.judging.trust",
    "StudySettings": "study.settings",
    "StudyStatus": "study.judging.status",
    "StudyTrust": "study.judging.trust",
    "WordConsistency": "study.judging.words",
    "WordDisagreement": "study.judging.words",
    "WithoutExperts": "applications.fairness.without_experts",
}

__all__ = [
    "AlphaInterval",
    "Answer",
    "AnswerCheck",
    "AnswerCounts",
    "AnswerCurve",
    "AskAgain",
    "AskedQuestion",
    "BoundedErrors",
    "BudgetForecast",
    "BudgetPlan",
    "BudgetSettings",
    "BudgetedGuarantee",
    "BudgetedPairGuarantee",
    "Column",
    "ConstantErrors",
    "Contradiction",
    "Disagreement",
    "Elements",
    "Encoding",
    "EnvelopeFit",
    "ErrorAgainstSigma",
    "ErrorForecast",
    "Evaluation",
    "ExpertCounts",
    "ExpertScale",
    "ExpertShift",
    "ExpertStatus",
    "Explanation",
    "FairnessAudit",
    "Forgotten",
    "FrequencyRatio",
    "FuturePairsBound",
    "GivenCounts",
    "Group",
    "GroupStatus",
    "Guarantee",
    "HeldOutCounts",
    "HeldOutPairs",
    "Imported",
    "Invitation",
    "KCenterOnClosure",
    "LikeWeights",
    "LipschitzRange",
    "Look",
    "MatchedPairs",
    "Matching",
    "Metric",
    "NoisyAnswerCheck",
    "NoisyContradiction",
    "Overview",
    "PairContradictions",
    "PairCounts",
    "PairFigures",
    "PairGuarantee",
    "PairLook",
    "PairPlan",
    "Population",
    "ProxyPlan",
    "ProxySettings",
    "ProxySimilarity",
    "Question",
    "QuestionCounts",
    "QuestionGrid",
    "QuestionPlan",
    "Questions",
    "RareMass",
    "RecordComparison",
    "RecordedAnswer",
    "Rehearsal",
    "RulerMark",
    "RulerPair",
    "Said",
    "Sample",
    "ScoreRepair",
    "SelfConsistency",
    "Similarity",
    "Space",
    "StatementCheck",
    "StatementContradiction",
    "StoredAnswer",
    "StudyCheck",
    "StudyLook",
    "StudySettings",
    "StudyStatus",
    "StudyTrust",
    "TrackRecord",
    "WithoutExperts",
    "WordConsistency",
    "WordDisagreement",
]


__getattr__ = lazy_names(globals(), _HOME)


def __dir__() -> list[str]:
    return sorted(__all__)
