"""Lists of violations by calibrated intervals: by people matched at random, and by e-values among all pairs.

``python -m benchmarks.bench_audit_lists --draws 2`` is a quick look, which writes nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from benchmarks.audit_lists.measure import measured, summed
from benchmarks.audit_lists.tables import generated_parts
from benchmarks.audit_lists.worlds import BETWEEN, WORLDS
from commensurate.progress import progress

RESULT = Path(__file__).parent / "results" / "audit-lists.json"
DRAWS = 30
# half of them are held out
BUDGETS = (160, 400, 800)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_audit_lists", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--worlds", nargs="*", choices=WORLDS, default=list(WORLDS))
    options = parser.parse_args(words)
    rows = []
    with progress("measuring", total=options.draws * len(options.worlds) * len(BUDGETS)) as advance:
        for world in options.worlds:
            for budget in BUDGETS:
                for seed in range(options.draws):
                    draw = WORLDS[world](seed, budget)
                    held_out = int(draw.model.plan_.by_pair[BETWEEN].held_out.sum())
                    of_draw = {"world": world, "held_out": held_out}
                    rows += [{**of_draw, **asdict(one)} for one in measured(draw)]
                    advance(1)
    means = json.loads(summed(rows).to_json(orient="records", double_precision=6))
    found = {"draws": options.draws, "rows": means}
    with pd.option_context("display.width", 200, "display.max_columns", 20, "display.max_rows", 100):
        print(summed(rows))
    for table in generated_parts(found).values():
        print(table, end="\n\n")
    if options.draws >= DRAWS and list(options.worlds) == list(WORLDS):
        RESULT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
