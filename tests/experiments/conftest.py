"""Small data sets in the place of the paper's."""

from worlds.small_datasets import small_worlds as small_worlds
