"""What comes before the first question: the owner's words, one worked example, and two pairs to try.

What is tried is told right or wrong at once and never stored: its pairs are of the ruler, whose distances are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from commensurate.report.html.markdown import markdown
from commensurate.study.expert_desk import desk_of
from commensurate.study.owner_desk import instructions_of
from commensurate.study.shown.instructions import instructions_shown
from commensurate.study.shown.strips import OWN_GROUP
from commensurate.web.pages import Pages
from commensurate.web.questions.answer_form import AnswerForm
from commensurate.web.questions.question_view import ExpertProgress, ProfileKeeper
from commensurate.web.questions.question_words import QuestionWords
from commensurate.web.questions.ruler_view import study_ruler
from commensurate.web.questions.warm_up import WarmUp, warm_ups
from commensurate.web.sign_in import Visitor


@dataclass(frozen=True, slots=True)
class FirstPages:
    """Answers the requests of experts who have not begun, or who want to read the instructions again."""

    pages: Pages
    profiles: ProfileKeeper

    def routes(self) -> list[Route]:
        """Return where they come in."""
        return [
            Route("/begin", self.begin),
            Route("/start", self.start),
            Route("/practice/{number:int}", self.practise),
            Route("/practice/{number:int}", self.tried, methods=["POST"]),
        ]

    def begin(self, request: Request) -> Response:
        """Lead to the instructions before the first answer, to the next question after it."""
        visitor = self.pages.expert(request)
        counts = desk_of(self.pages.study, None, expert=visitor.name).counts
        return RedirectResponse("/question" if counts.answered else "/start", 303)

    def start(self, request: Request) -> Response:
        """Show what the study is for, and one worked example."""
        visitor = self.pages.expert(request)
        example, tries = warm_ups(self.pages.study, self.profiles)
        return self.pages.render(
            "start.html",
            words=markdown(instructions_shown(instructions_of(self.pages.study))),
            own_group=self.pages.study.settings.strips == OWN_GROUP,
            example=example,
            tries=len(tries),
            **self._about(visitor),
        )

    def practise(self, request: Request) -> Response:
        """Show a pair to try."""
        visitor = self.pages.expert(request)
        return self._page(request, visitor, AnswerForm.empty(None), None)

    async def tried(self, request: Request) -> Response:
        """Say how far an answer is from the known one; nothing is stored."""
        visitor = await self.pages.asked_by_expert(request)
        form = AnswerForm.of(await self.pages.form(request, visitor))
        return await run_in_threadpool(self._feedback, request, visitor, form)

    # --- inside ---

    def _feedback(self, request: Request, visitor: Visitor, form: AnswerForm) -> Response:
        warm_up, _ = self._found(request)
        mistake = form.mistake(warm_up.kind, self.pages.study.settings)
        return self._page(request, visitor, form, None if mistake else warm_up.feedback(form), mistake)

    def _found(self, request: Request) -> tuple[WarmUp, int]:
        number = int(request.path_params["number"])
        _, tries = warm_ups(self.pages.study, self.profiles)
        if not 1 <= number <= len(tries):
            raise HTTPException(404, "There is no such pair to try. Continue with the questions.")
        return tries[number - 1], len(tries)

    def _page(
        self, request: Request, visitor: Visitor, form: AnswerForm, feedback: str | None, mistake: str | None = None
    ) -> Response:
        warm_up, of = self._found(request)
        number = int(request.path_params["number"])
        return self.pages.render(
            "practice.html",
            422 if mistake else 200,
            number=number,
            of=of,
            address=f"/practice/{number}",
            next=f"/practice/{number + 1}" if number < of else "/question",
            warm_up=warm_up,
            kind=warm_up.kind,
            comparison=warm_up.comparison,
            words=QuestionWords(warm_up.heading, "", ""),
            chosen=None,
            form=form,
            standing=None,
            feedback=feedback,
            mistake=mistake,
            **study_ruler(self.pages.study, warm_up.kind, self.profiles.styles),
            **self._about(visitor),
        )

    def _about(self, visitor: Visitor) -> dict[str, Any]:
        desk = desk_of(self.pages.study, None, expert=visitor.name)
        return {"progress": ExpertProgress(desk.counts, desk.seconds), **self.pages.about_expert(visitor)}
