"""The figures and the picture of docs/fairness.md: ``python -m benchmarks.bench_fairness_examples``, a few minutes.

Credit Card Default is looked for as the loaders do: in the folder that COMMENSURATE_DATA names, then on OpenML.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.fairness.admissions_audit import AdmissionsAudit, admissions_figures, estimators, next_questions_figures
from benchmarks.fairness.lending import Lending
from benchmarks.fairness.lending_figures import lending_figures
from benchmarks.fairness.shared_columns import SharedColumns, without_experts_figures
from commensurate.report.audit.map import draw_audit_map

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "fairness.json"


def main() -> None:
    admissions = AdmissionsAudit.prepare()
    draw_audit_map(admissions.audit(admissions.learn(estimators()["NAIVE"])), ROOT / "docs" / "audit-map.png")
    results = {
        "admissions": admissions_figures(admissions),
        "next questions": next_questions_figures(admissions),
        "shared columns": without_experts_figures(SharedColumns.prepare()),
        "lending": lending_figures(Lending.prepare()),
    }
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
