"""A model file with something changed, and what loading it says."""

import copy

import pytest

import commensurate as cm
from commensurate.errors import CorruptModelFile
from commensurate.learning.model_file.container import write_model_file


def refusal(sensible, tmp_path, change):
    manifest, arrays = copy.deepcopy(sensible)
    change(manifest, arrays)
    del manifest["arrays"]
    write_model_file(tmp_path / "m.cmz", manifest, arrays)
    with pytest.raises(CorruptModelFile) as raised:
        cm.load(tmp_path / "m.cmz")
    return str(raised.value)
