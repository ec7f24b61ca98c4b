"""Small problems take a path of their own; what is tested on small inputs is tested on both paths."""

import pytest

from commensurate.geometry import cover, distinct, nearest, within


@pytest.fixture(scope="module", params=["as it is", "compiled"])
def both_paths(request):
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "compiled":
            for module in (cover, nearest, within):
                patch.setattr(module, "TREE_PAYS_FROM", 0)
            patch.setattr(distinct, "COMPILING_PAYS_FROM", 0)
        yield
