"""The figures of docs/segments.md: ``python -m benchmarks.bench_segments``, a quarter of an hour or more."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.segments.compare import next_questions_figures, segments_figures, small_sigma_figures

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results" / "segments.json"


def main() -> None:
    results = {
        "draws": segments_figures(),
        "small sigma": small_sigma_figures(),
        "next questions": next_questions_figures(),
    }
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
