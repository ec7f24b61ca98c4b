"""The page where an expert answers: one question at a time, each under its own address.

An answer is in the study before the page says so. Whatever the browser does, it comes from a form with a key of its own
(sent twice, it is one answer) that knows which answer it replaces (sent from a second tab, it replaces nothing unseen).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from commensurate.errors import AnsweredMeanwhile, InvalidInput
from commensurate.study.expert_desk import answer_before, desk_of, put_question
from commensurate.study.messages import AskedQuestion, RecordedAnswer
from commensurate.study.settings import StudySettings
from commensurate.study.shown.strips import OWN_GROUP
from commensurate.web.pages import Pages, short_digest
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.questions.comparison_view import comparison_view
from commensurate.web.questions.question_view import ExpertProgress, ProfileKeeper, record_view
from commensurate.web.questions.question_words import answer_in_words, question_words
from commensurate.web.questions.ruler_view import study_ruler
from commensurate.web.sign_in import Visitor

# the parameter of an address under which the most unusual differences come first
UNUSUAL_FIRST = "unusual=first"
# so many answers long the ruler is shown without asking
RULER_OPEN = 3
ASKED_AGAIN_WORDS = (
    "You are being asked about these two records again. Please judge them afresh and record your answer."
)


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
        return self._done(visitor) if address is None else RedirectResponse(address + _order(request), 303)

    def show(self, request: Request) -> Response:
        """Show a question, with their answer if they have given one."""
        visitor = self.pages.expert(request)
        question, standing = self._asked(request, visitor)
        if standing is None or question.again:
            form = AnswerForm.empty(None if standing is None else standing.number)
        else:
            form = AnswerForm.with_answer(standing, self.pages.study.settings)
        return self._page(request, visitor, question, standing, form)

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
        address = "/question" if earlier is None else f"/question/{earlier.question_id}"
        return RedirectResponse(address + _order(request), 303)

    # --- inside ---

    def _asked(self, request: Request, visitor: Visitor) -> tuple[AskedQuestion, RecordedAnswer | None]:
        """Return the question of a request if it was put to the expert, and their answer."""
        found = put_question(self.pages.study, request.path_params["question_id"], expert=visitor.name)
        if found is None:
            raise HTTPException(404, "This question is closed, or you were not asked it.")
        return found.question, found.answer

    def _answer(self, request: Request, visitor: Visitor, form: AnswerForm) -> Response:
        study, settings = self.pages.study, self.pages.study.settings
        question, standing = self._asked(request, visitor)
        if mistake := form.mistake(question.kind, settings):
            return self._page(
                request, visitor, question, standing, form.shown_again(instead_of=form.instead_of), 422, mistake
            )
        try:
            study.record(
                question.question_id,
                form.answer(question.kind, settings),
                expert=visitor.name,
                key=_own_key(visitor, form),
                unsure=form.unsure,
                comment=form.comment,
                seconds=form.seconds,
                origin="page",
                instead_of=form.instead_of,
            )
        except AnsweredMeanwhile as other:
            if not _same(other.standing, form, question, settings):
                again = form.shown_again(instead_of=other.standing.number)
                words = ASKED_AGAIN_WORDS if question.again else _meanwhile(other.standing, settings.scale_end)
                return self._page(request, visitor, question, other.standing, again, 409, words)
        except InvalidInput as error:
            again = form.shown_again(instead_of=form.instead_of)
            return self._page(request, visitor, question, standing, again, 422, f"Not recorded: {error}.")
        return self._go_on(request, visitor)

    def _skip(self, request: Request, visitor: Visitor, form: AnswerForm) -> Response:
        question, standing = self._asked(request, visitor)
        if standing is None or question.again:
            if form.comment or form.number:
                words = "If you skip a question, its answer and comment are not kept. Record the answer, or clear both fields to skip."
                again = form.shown_again(instead_of=form.instead_of)
                return self._page(request, visitor, question, standing, again, 422, words)
            self.pages.study.skip(question.question_id, expert=visitor.name)
        # an answer that the expert came back to stays as it was
        return self._go_on(request, visitor)

    def _go_on(self, request: Request, visitor: Visitor) -> Response:
        address = (self._next_address(visitor) or "/question") + _order(request)
        if "application/json" in request.headers.get("accept", ""):
            return JSONResponse({"next": address})
        return RedirectResponse(address, 303)

    def _next_address(self, visitor: Visitor) -> str | None:
        found = self.pages.study.next_questions(visitor.name, 1)
        return f"/question/{found[0].question_id}" if found else None

    def _page(
        self,
        request: Request,
        visitor: Visitor,
        question: AskedQuestion,
        standing: RecordedAnswer | None,
        form: AnswerForm,
        status: int = 200,
        mistake: str | None = None,
    ) -> Response:
        study, about = self.pages.study, self._about(visitor, question.question_id)
        standing = None if question.again else standing
        unusual_first = bool(_order(request))
        return self.pages.render(
            "question.html",
            status,
            question=question,
            rows=record_view(question, self.profiles.now(), self.profiles.styles, unusual_first=unusual_first),
            own_group=study.settings.strips == OWN_GROUP,
            address=f"/question/{question.question_id}",
            unusual_first=unusual_first,
            UNUSUAL_FIRST=UNUSUAL_FIRST,
            kind=question.kind,
            comparison=comparison_view(question, self.profiles.now(), self.profiles.styles),
            words=question_words(question, standing, about["before"], study.settings),
            chosen=None if standing is None else standing.choice,
            standing=standing,
            form=form,
            mistake=mistake,
            **study_ruler(study, question.kind, self.profiles.styles),
            ruler_open=about["progress"].counts.answered < RULER_OPEN,
            **about,
        )

    def _done(self, visitor: Visitor) -> Response:
        return self.pages.render("done.html", **self._about(visitor, None))

    def _about(self, visitor: Visitor, question_id: str | None) -> dict[str, Any]:
        desk = desk_of(self.pages.study, question_id, expert=visitor.name)
        return {
            "before": desk.before,
            "progress": ExpertProgress(desk.counts, desk.seconds),
            **self.pages.about_expert(visitor),
        }


def _order(request: Request) -> str:
    """Return what keeps the order of columns that an expert has chosen from one address to the next."""
    return f"?{UNUSUAL_FIRST}" if request.url.query == UNUSUAL_FIRST else ""


def _own_key(visitor: Visitor, form: AnswerForm) -> str:
    """Return the key under which the study knows the form; nobody can use another expert's."""
    return f"page {short_digest(visitor.name, 16)} {form.key}"


def _same(standing: RecordedAnswer, form: AnswerForm, question: AskedQuestion, settings: StudySettings) -> bool:
    return (standing.value, standing.comment or "") == (form.answer(question.kind, settings), form.comment)


def _meanwhile(standing: RecordedAnswer, scale_end: float) -> str:
    said = answer_in_words(standing, scale_end)
    return (
        f"You have already answered this question, perhaps in another tab: {said}. Record again to replace that answer."
    )
