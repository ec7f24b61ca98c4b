"""Every error that commensurate raises on purpose.

CommensurateError
├── InvalidParameter        a constructor or function argument is out of its range (ValueError)
├── InvalidInput            data that cannot be used (ValueError)
│   ├── InvalidPoints       NaN, infinite, empty or wrongly shaped points
│   ├── InvalidTable        a table that cannot be encoded: missing values, unseen category, missing column
│   ├── InvalidMetric       a metric that breaks its axioms, or does not fit the points
│   ├── InvalidAnswer       an oracle or expert answered with something that is not a dissimilarity
│   └── BadRows             rows of a file that cannot be used, each on a line of the message
├── UnknownGroup            a group name that was not fitted (LookupError)
├── MissingAnswers          a question was never answered and there is no one to ask (LookupError)
├── InconsistentAnswers     answers that contradict M1 or M2 (ValueError)
├── NoScale                 answers that say which pairs are more alike, but not how alike any pair is (ValueError)
├── NotFittedError          the estimator has not been fitted (also scikit-learn's: ValueError, AttributeError)
├── ModelFileError          a model file that cannot be written or read (OSError)
│   ├── CorruptModelFile    truncated, altered or hostile
│   └── NewerModelFile      written by a later version
├── TooFewAnswers           a warning: too few answers are held out, for an interval or for their share (UserWarning)
├── AnswersAgain            a warning: most of what was recorded comes again, with the same values (UserWarning)
├── StudyError              a study that cannot be used (OSError)
│   ├── StudyNotFound       there is no study at this place
│   ├── StudyExists         there is something already where one was to be made
│   ├── NewerStudy          made by a later version
│   ├── CorruptStudy        a database that is damaged, or none at all
│   ├── StudyBusy           another process kept writing for too long
│   └── StudyUnwritable     a full disk, a read-only file, missing rights
├── UnknownQuestion         a question that a study does not ask (LookupError)
├── AnsweredMeanwhile       an answer that was to replace another one than stands (RuntimeError)
├── DatasetNotFound         a public table is nowhere to be found (FileNotFoundError)
└── MissingExtra            an optional dependency is not installed (ImportError)
"""

from __future__ import annotations

from typing import Any


class CommensurateError(Exception):
    """Root of every error that commensurate raises on purpose."""


class InvalidParameter(CommensurateError, ValueError):
    """An argument is outside the range in which it means something."""


class InvalidInput(CommensurateError, ValueError):
    """Data that cannot be used as given."""


class InvalidPoints(InvalidInput):
    """Points that are not finite, empty, or of the wrong shape."""


class InvalidTable(InvalidInput):
    """A table that cannot be turned into points."""


class InvalidMetric(InvalidInput):
    """A metric that breaks its axioms or does not fit the points."""


class InvalidAnswer(InvalidInput):
    """An answer that is not a finite, non-negative number, or answers of the wrong shape."""


class BadRows(InvalidInput):
    """Rows of a file that cannot be used; the message has a line for each."""


class UnknownGroup(CommensurateError, LookupError):
    """A group name that was not fitted."""


class MissingAnswers(CommensurateError, LookupError):
    """A question that was never answered, and no oracle to put it to."""


class InconsistentAnswers(CommensurateError, ValueError):
    """Answers that no dissimilarity with M1 and M2 can have given."""


class NoScale(CommensurateError, ValueError):
    """Comparisons alone, which do not say how dissimilar any pair is."""


class NotFittedError(CommensurateError, ValueError, AttributeError):
    """The estimator has not been fitted yet; what an estimator raises is scikit-learn's ``NotFittedError`` as well."""


class ModelFileError(CommensurateError, OSError):
    """A model file that cannot be written or read."""


class CorruptModelFile(ModelFileError):
    """A model file that is truncated, altered or hostile."""


class NewerModelFile(ModelFileError):
    """A model file written by a later version."""


class TooFewAnswers(CommensurateError, UserWarning):
    """Too few answers are held out: an interval is infinite, or further questions hold out less than their share."""


class AnswersAgain(CommensurateError, UserWarning):
    """Most of the answers that were recorded come again, with the same values: given again, or a file read twice."""


class StudyError(CommensurateError, OSError):
    """A study that cannot be opened, read or written."""


class StudyNotFound(StudyError):
    """There is no study at this place."""


class StudyExists(StudyError):
    """There is something already where a study was to be made."""


class NewerStudy(StudyError):
    """A study made by a later version."""


class CorruptStudy(StudyError):
    """A file that is not a database, or a damaged one."""


class StudyBusy(StudyError):
    """Another process has been writing for too long."""


class StudyUnwritable(StudyError):
    """A study that cannot be written: a full disk, a read-only file, missing rights."""


class UnknownQuestion(CommensurateError, LookupError):
    """A question that the study does not ask."""


class AnsweredMeanwhile(CommensurateError, RuntimeError):
    """An expert's answer to a question is not the one that was to be replaced; ``standing`` is the one that stands."""

    def __init__(self, standing: Any) -> None:
        # not the message: what was pickled is made again from these
        super().__init__(standing)
        self.standing = standing

    def __str__(self) -> str:
        # without the answer, which does not belong in a log
        return (
            f"{self.standing.expert} has already answered question {self.standing.question_id}, so this answer was "
            "not recorded; look at the earlier answer, and correct it if it is wrong"
        )


class DatasetNotFound(CommensurateError, FileNotFoundError):
    """A public table that is in none of the places where it was looked for."""


class MissingExtra(CommensurateError, ImportError):
    """An optional dependency is not installed."""
