"""Clients of a study in processes of their own, which tests may kill: each says in its log what it has done.

This program reads one job a line from its standard input, starts a process for each, and prints its number. All it
starts with is imported once: sixteen clients cost as little as one.
"""

import json
import os
import resource
import sys
import time
import traceback
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from commensurate.study.store.answering import GivenAnswer
from commensurate.study.study import Study

NOBODY = 65534
MANY_PEOPLE = pd.DataFrame({"married": ["yes", "no"] * 3000, "age": range(6000), "note": ["x" * 100] * 6000})


def say(**fact):
    """Add a line to the log at once: whoever is killed later has said it."""
    os.write(1, (json.dumps(fact) + "\n").encode())


def answer_for_ever(place, expert, start, **_):
    """Ask and answer as fast as possible, and answer again when nothing is left; each answer has a number."""
    with Study(place) as study:
        known = [answer.question_id for answer in study.stored_answers() if answer.expert == expert]
        for k in count(start):
            asked = study.next_questions(expert)
            known += [question.question_id for question in asked]
            # another client may have answered everything before this one came to ask
            known = known or [answer.question_id for answer in study.stored_answers()]
            question_id = asked[0].question_id if asked else known[k % len(known)]
            study.record(question_id, float(k), expert=expert, key=f"{expert}-{k}", comment=f"{expert}-{k}")
            say(recorded=f"{expert}-{k}")


def answer_all(place, expert, **_):
    """Ask and answer until every question has its answers; wait where others hold all that is left."""
    with Study(place) as study:
        needed = study.settings.answers_per_question * study.settings.questions
        while (asked := study.next_questions(expert)) or len(study.stored_answers()) < needed:
            if not asked:
                time.sleep(0.05)
            for question in asked:
                handed_out = time.monotonic()
                # a moment in which others could be handed the same
                time.sleep(0.002)
                gives_back = time.monotonic()
                study.record(question.question_id, 0.5, expert=expert)
                say(question=question.question_id, since=handed_out, until=gives_back)


def answer_opening_each_time(place, expert, n, **_):
    """Answer n questions, and open and close the study for each."""
    for _turn in range(n):
        with Study(place) as study:
            (question,) = study.next_questions(expert)
            study.record(question.question_id, 0.5, expert=expert)
        say(recorded=question.question_id)


def record_block(place, expert, start, n, **_):
    """Record many answers that are all kept or none."""
    with Study(place) as study:
        ids = [question.question_id for question in study.next_questions(expert, n=50)]
        with study._recording() as record:
            for k in range(start, start + n):
                record([GivenAnswer(ids[k % len(ids)], expert, float(k), comment=f"{expert}-{k}")])
                if k % 10 == 0:
                    say(within=k)
        say(block=True)


def create(place, **_):
    """Make a study."""
    Study.create(
        place, MANY_PEOPLE, group="married", features=["age"], questions=100, seed=1, answer_kind="numbers"
    ).close()
    say(created=True)


def answer_within(place, expert, bytes_a_file, **_):
    """Answer until no file may grow any more: so a full disk looks to a program."""
    with Study(place) as study:
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, bytes_a_file))
        for k in count():
            (question,) = study.next_questions(expert)
            study.record(question.question_id, float(k), expert=expert, comment=f"{expert}-{k}" + "," * 2000)
            say(recorded=f"{expert}-{k}")


def create_within(place, bytes_a_file, **_):
    """Make a study that does not fit on the disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_a_file, bytes_a_file))
    create(place)


def become_a_stranger():
    """Go on as a user who owns nothing; without the right to do so, as who one is."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def create_as_stranger(place, **_):
    """Make a study as a user who owns nothing."""
    become_a_stranger()
    create(place)


def read_and_record_as_stranger(place, **_):
    """Read a study and try to write to it, as a user who owns nothing."""
    become_a_stranger()
    with Study(place) as study:
        say(answers=len(study.answers()), open=study.counts("ana").open)
        (answer,) = study.stored_answers()[:1]
        study.record(answer.question_id, 9.0, expert="ana")


def run(job):
    """Do a job in this process, which ends with it."""
    log = os.open(job["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        globals()[job["task"]](**job)
        say(done=True)
    except Exception as error:
        say(error=type(error).__name__, message=str(error), traceback=traceback.format_exc())


def serve():
    """Start a process for each line of the standard input."""
    # none is waited for, so that the number of one that has ended belongs to no other process
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            run(json.loads(line))
            os._exit(0)
        print(child, flush=True)


if __name__ == "__main__":
    if "--creating" in sys.argv:
        # loads what is loaded when it is needed, once for all
        with TemporaryDirectory() as folder:
            create(Path(folder) / "first.db")
    else:
        say(ready=True)
    serve()
