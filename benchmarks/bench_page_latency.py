"""How soon the next question appears: an answer is sent and the next page read,
beside the same server's smallest static file.

``python -m benchmarks.bench_page_latency`` makes a study of 100,000 records with 10,000 questions, half of them
answered, serves it and answers 300 more; ``--quick`` is a small look that writes nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from http.client import HTTPConnection, HTTPResponse
from importlib.metadata import version
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlencode, urlsplit

import numpy as np
import pandas as pd

from benchmarks.__main__ import machine
from commensurate.study.invitations import invite
from commensurate.study.store.answering import GivenAnswer
from commensurate.study.store.reading import read_questions
from commensurate.study.study import Study

RESULT = Path(__file__).parent / "results" / "page-latency.json"
GOAL_MS = 100.0
# the smallest file that every page needs
PEER = "/static/icon.svg"
# three: a Gaussian process learns from 5,000 answers at most between any two
GROUPS = ("single", "married", "widowed")
EXPERTS = ("Ana", "Ben", "Cem", "Dana", "Eli")
FIELD = re.compile(r'<input type="(?:hidden|text)"[^>]* name="(\w+)"[^>]* value="([^"]*)"')
# a person is slower; faster than this, the page's limits would count
SECONDS_BETWEEN = 0.1


@dataclass(frozen=True, slots=True)
class Size:
    records: int
    questions: int
    answers: int
    rounds: int
    columns: int = 20


FULL = Size(records=100_000, questions=10_000, answers=5_000, rounds=300)
QUICK = Size(records=4_000, questions=500, answers=250, rounds=40)


def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bench_page_latency", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small study; nothing is written")
    parser.add_argument("--study", type=Path, help="keep the study here, or use the one that is there")
    options = parser.parse_args(words)
    size = QUICK if options.quick else FULL
    with TemporaryDirectory() as folder:
        place = options.study or Path(folder) / "people.db"
        if not place.exists():
            make_study(place, size)
        result = {
            "machine": facts(),
            "size": {name: getattr(size, name) for name in size.__slots__},
            **measure(place, size),
        }
    text = json.dumps(result, indent=1, ensure_ascii=False) + "\n"
    print(text, end="")
    if not options.quick:
        RESULT.write_text(text, encoding="utf-8")


def facts() -> dict[str, object]:
    """Return what the machine is, and how busy others keep it."""
    packages = ("sqlalchemy", "starlette", "uvicorn", "jinja2")
    return {**machine(), **{name: version(name) for name in packages}, "load before": round(os.getloadavg()[0], 1)}


# --- the study ---


def make_study(place: Path, size: Size) -> None:
    people = table(size)
    with Study.create(
        place,
        people,
        group="status",
        title="Who is alike?",
        records=size.records,
        questions=size.questions,
        seed=1,
        answer_kind="numbers",
    ) as study:
        with study._database.reading() as connection:
            asked = [one.question_id for one in read_questions(connection)]
        values = np.random.default_rng(2).random(size.answers) * study.settings.scale_end
        given = [
            GivenAnswer(question_id, EXPERTS[k % len(EXPERTS)], float(value), seconds=12.0)
            for k, (question_id, value) in enumerate(zip(asked, values))
        ]
        with study._recording() as record:
            record(given)


def table(size: Size) -> pd.DataFrame:
    """Return records in groups: amounts, counts and kinds."""
    rng, n = np.random.default_rng(0), size.records
    columns: dict[str, object] = {"status": np.array(GROUPS)[np.arange(n) % len(GROUPS)]}
    for k in range(size.columns):
        if k % 3 == 0:
            columns[f"amount {k}"] = rng.lognormal(10.0, 1.0, n).round(2)
        elif k % 3 == 1:
            columns[f"count {k}"] = rng.poisson(5 + k, n)
        else:
            columns[f"kind {k}"] = rng.choice([f"kind {letter}" for letter in "abcdefgh"], n)
    return pd.DataFrame(columns)


# --- measuring ---


def measure(place: Path, size: Size) -> dict[str, object]:
    with Study(place) as study:
        token = invite(study, EXPERTS[0])
    with served(place) as (url, seconds_to_start):
        parts = urlsplit(url)
        connection = HTTPConnection(parts.hostname or "", parts.port, timeout=60)
        cookie = str(get(connection, f"/enter/{token}")[0].getheader("set-cookie")).partition(";")[0]
        path = str(get(connection, "/question", cookie)[0].getheader("location"))
        text = get(connection, path, cookie)[1]
        ours, peer, page_bytes = [], [], len(text.encode())
        for _ in range(size.rounds):
            form = {**form_of(text), "choice": "number", "number": "0.1", "seconds": "12"}
            began = time.perf_counter()
            path = post(connection, path, cookie, form)
            text = get(connection, path, cookie)[1]
            ours.append(time.perf_counter() - began)
            began = time.perf_counter()
            get(connection, PEER)
            peer.append(time.perf_counter() - began)
            time.sleep(SECONDS_BETWEEN)
        connection.close()
    times, peer_times = milliseconds(ours), milliseconds(peer)
    return {
        "task": "send an answer and read the next question's page",
        "peer": f"GET {PEER} from the same server, in turn",
        "ms": times,
        "peer ms": peer_times,
        "ratio": times["median"] / peer_times["median"],
        "goal ms": GOAL_MS,
        "met": {name: times[name] <= GOAL_MS for name in ("median", "95 %")},
        "page bytes": page_bytes,
        "seconds to start serving": round(seconds_to_start, 2),
    }


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(1000 * one for one in seconds)
    within = ordered[int(0.95 * (len(ordered) - 1))]
    return {"median": round(median(ordered), 2), "95 %": round(within, 2), "longest": round(ordered[-1], 2)}


def get(connection: HTTPConnection, path: str, cookie: str = "") -> tuple[HTTPResponse, str]:
    connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
    response = connection.getresponse()
    text = response.read().decode()
    assert response.status in (200, 303), f"GET {path}: {response.status} {text[-300:]}"
    return response, text


def post(connection: HTTPConnection, path: str, cookie: str, form: dict[str, str]) -> str:
    headers = {"Cookie": cookie, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, urlencode(form), headers)
    response = connection.getresponse()
    text = response.read().decode()
    assert response.status == 303, f"POST {path}: {response.status} {text[-300:]}"
    return str(response.getheader("location"))


def form_of(text: str) -> dict[str, str]:
    return {name: unescape(value) for name, value in FIELD.findall(text, text.index('<form id="answer"'))}


@contextmanager
def served(place: Path) -> Iterator[tuple[str, float]]:
    """Serve a study; yield its address, and how long it took from the command to there."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "commensurate", "study", "serve", str(place), "--port", "0", "--json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield json.loads(process.stdout.readline())["url"], time.perf_counter() - began
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


if __name__ == "__main__":
    main()
