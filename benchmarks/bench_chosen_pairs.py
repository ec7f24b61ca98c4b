"""Intervals of random pairs and of chosen ones in three worlds: how often they hold, and how wide they are.

``python -m benchmarks.bench_chosen_pairs --draws 2`` is a quick look, which writes nothing. COMMENSURATE_DATA names the
folder that contains real/.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from benchmarks.chosen_pairs.measure import measured, summed
from benchmarks.chosen_pairs.tables import generated_parts
from benchmarks.chosen_pairs.worlds import WORLDS
from commensurate.progress import progress

RESULT = Path(__file__).parent / "results" / "chosen-pairs.json"
DRAWS = 100


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_chosen_pairs", description=__doc__)
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--worlds", nargs="*", choices=WORLDS, default=list(WORLDS))
    options = parser.parse_args(words)
    rows = []
    with progress("measuring", total=options.draws * len(options.worlds)) as advance:
        for world in options.worlds:
            for seed in range(options.draws):
                rows += [{"world": world, **asdict(one)} for one in measured(WORLDS[world](seed))]
                advance(1)
    found = {"draws": options.draws, "rows": summed(rows)}
    for table in generated_parts(found).values():
        print(table, end="\n\n")
    if options.draws >= DRAWS and list(options.worlds) == list(WORLDS):
        RESULT.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
