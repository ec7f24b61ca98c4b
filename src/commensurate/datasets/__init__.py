"""The three public tables of the paper, each as one table of features per group."""

from commensurate.datasets.adult import load_adult
from commensurate.datasets.credit_card_default import load_credit_card_default
from commensurate.datasets.dataset import Dataset
from commensurate.datasets.give_me_some_credit import load_give_me_some_credit

__all__ = ["Dataset", "load_adult", "load_credit_card_default", "load_give_me_some_credit"]
