"""The page where an expert answers: one question at a time, each under its own address.

An answer is in the study before the page says so. Whatever the browser does, it comes from a form with a key of its own
(sent twice, it is one answer) that knows which answer it replaces (sent from a second tab, it replaces nothing unseen).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from commensurate.errors import AnsweredMeanwhile, InvalidInput
from commensurate.study.expert_desk import answer_before, desk_of, put_question
from commensurate.study.messages import AskedQuestion, RecordedAnswer
from commensurate.study.profiles import Profiles
from commensurate.study.ruler import spread_pairs
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.pages import Pages
from commensurate.web.questions.question_view import ExpertProgress, ProfileKeeper, record_view
from commensurate.web.sign_in import Visitor

SLIDER_STEPS = 200
# letters along the slider that can still be told apart
RULER_PAIRS = 9
ASKED_AGAIN_WORDS = (
    "You are being asked about these two records again. Please judge them afresh and record your answer."
)
NO_PROFILES = Profiles({})


@dataclass(frozen=True, slots=True)
class QuestionPages:
    """Answers the requests of experts."""

    pages: Pages
    profiles: ProfileKeeper

    def routes(self) -> list[Route]:
        """Return where they come in."""
        return [
            Route("/question", self.next_one),
            Route("/question/{question_id}", self.show),
            Route("/question/{question_id}", self.answer, methods=["POST"]),
            Route("/question/{question_id}/skip", self.skip, methods=["POST"]),
            Route("/question/{question_id}/before", self.before),
        ]

    def next_one(self, request: Request) -> Response:
        """Lead to the next question, or say that there is none."""
        visitor = self.pages.expert(request)
        address = self._next_address(visitor)
        return self._done(visitor) if address is None else RedirectResponse(address, 303)

    def show(self, request: Request) -> Response:
        """Show a question, with their answer if they have given one."""
        visitor = self.pages.expert(request)
        question, standing = self._asked(request, visitor)
        if standing is None or question.again:
            form = AnswerForm.empty(None if standing is None else standing.number)
        else:
            form = AnswerForm.with_answer(standing)
        return self._page(visitor, question, standing, form)

    async def answer(self, request: Request) -> Response:
        """Record an answer, and lead to the next question."""
        visitor = await self.pages.asked_by_expert(request)
        form = AnswerForm.of(await self.pages.form(request, visitor))
        return await run_in_threadpool(self._answer, request, visitor, form)

    async def skip(self, request: Request) -> Response:
        """Give a question back, and lead to the next."""
        visitor = await self.pages.asked_by_expert(request)
        form = AnswerForm.of(await self.pages.form(request, visitor))
        return await run_in_threadpool(self._skip, request, visitor, form)

    def before(self, request: Request) -> Response:
        """Lead to the question that they answered before this one."""
        visitor = self.pages.expert(request)
        earlier = answer_before(self.pages.study, request.path_params["question_id"], expert=visitor.name)
        return RedirectResponse("/question" if earlier is None else f"/question/{earlier.question_id}", 303)

    # --- inside ---

    def _asked(self, request: Request, visitor: Visitor) -> tuple[AskedQuestion, RecordedAnswer | None]:
        """Return the question of a request if it was put to the expert, and their answer."""
        found = put_question(self.pages.study, request.path_params["question_id"], expert=visitor.name)
        if found is None:
            raise HTTPException(404, "This question is closed, or you were not asked it.")
        return found.question, found.answer

    def _answer(self, request: Request, visitor: Visitor, form: AnswerForm) -> Response:
        study = self.pages.study
        question, standing = self._asked(request, visitor)
        if mistake := form.mistake(study.settings.scale_end):
            return self._page(visitor, question, standing, form.shown_again(instead_of=form.instead_of), 422, mistake)
        try:
            study.record(
                question.question_id,
                form.value,
                expert=visitor.name,
                key=_own_key(visitor, form),
                unsure=form.unsure,
                comment=form.comment,
                seconds=form.seconds,
                origin="page",
                instead_of=form.instead_of,
            )
        except AnsweredMeanwhile as other:
            if not _same(other.standing, form):
                again = form.shown_again(instead_of=other.standing.number)
                words = ASKED_AGAIN_WORDS if question.again else _meanwhile(other.standing)
                return self._page(visitor, question, other.standing, again, 409, words)
        except InvalidInput as error:
            again = form.shown_again(instead_of=form.instead_of)
            return self._page(visitor, question, standing, again, 422, f"Not recorded: {error}.")
        return self._go_on(request, visitor)

    def _skip(self, request: Request, visitor: Visitor, form: AnswerForm) -> Response:
        question, standing = self._asked(request, visitor)
        if standing is None or question.again:
            if form.comment or form.number:
                words = "If you skip a question, its answer and comment are not kept. Record the answer, or clear both fields to skip."
                again = form.shown_again(instead_of=form.instead_of)
                return self._page(visitor, question, standing, again, 422, words)
            self.pages.study.skip(question.question_id, expert=visitor.name)
        # an answer that the expert came back to stays as it was
        return self._go_on(request, visitor)

    def _go_on(self, request: Request, visitor: Visitor) -> Response:
        address = self._next_address(visitor) or "/question"
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"next": address})
        return RedirectResponse(address, 303)

    def _next_address(self, visitor: Visitor) -> str | None:
        found = self.pages.study.next_questions(visitor.name, 1)
        return f"/question/{found[0].question_id}" if found else None

    def _page(
        self,
        visitor: Visitor,
        question: AskedQuestion,
        standing: RecordedAnswer | None,
        form: AnswerForm,
        status: int = 200,
        mistake: str | None = None,
    ) -> Response:
        study = self.pages.study
        return self.pages.render(
            "question.html",
            status,
            question=question,
            rows=record_view(question, self.profiles.now()),
            standing=None if question.again else standing,
            form=form,
            mistake=mistake,
            # a pair of the ruler is there for its distance: where its values lie would make the page ten times as long
            ruler=[(pair, record_view(pair, NO_PROFILES)) for pair in spread_pairs(study.ruler(), RULER_PAIRS)],
            scale_end=study.settings.scale_end,
            letters=ascii_uppercase,
            slider_step=study.settings.scale_end / SLIDER_STEPS,
            **self._about(visitor, question.question_id),
        )

    def _done(self, visitor: Visitor) -> Response:
        return self.pages.render("done.html", **self._about(visitor, None))

    def _about(self, visitor: Visitor, question_id: str | None) -> dict[str, Any]:
        desk = desk_of(self.pages.study, question_id, expert=visitor.name)
        return {
            "before": desk.before,
            "progress": ExpertProgress(desk.counts, desk.seconds),
            "expert": visitor.name,
            # the same under a new link: what waits in the expert's browser is still theirs
            "who": _digest(f"{self.pages.sign_in.cookies['expert']} {visitor.name}", 8),
            "form_token": self.pages.form_token(visitor),
        }


def _own_key(visitor: Visitor, form: AnswerForm) -> str:
    """Return the key under which the study knows the form; nobody can use another expert's."""
    return f"page {_digest(visitor.name, 16)} {form.key}"


def _digest(text: str, size: int) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def _same(standing: RecordedAnswer, form: AnswerForm) -> bool:
    return (standing.value, standing.comment or "") == (form.value, form.comment)


def _meanwhile(standing: RecordedAnswer) -> str:
    answer = "that you cannot tell" if standing.value is None else f"{standing.value:g}"
    return f"You have already answered this question, perhaps in another tab: {answer}. Record again to replace that answer."
