"""What the owner does in a browser: invite and revoke, read the pairs behind answers, edit the instructions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from commensurate.errors import InvalidInput, InvalidParameter
from commensurate.report.html.markdown import markdown
from commensurate.study.gate import checked_question_id
from commensurate.study.invitations import invite, revoke
from commensurate.study.owner_desk import change_instructions, instructions_of, question_with_answers
from commensurate.study.shown.instructions import LONGEST_INSTRUCTIONS, instructions_shown
from commensurate.web.pages import Pages
from commensurate.web.questions.comparison_view import comparison_view
from commensurate.web.questions.hundred import END
from commensurate.web.questions.question_view import ProfileKeeper, record_view
from commensurate.web.questions.question_words import answer_in_words
from commensurate.web.sign_in import Visitor
from commensurate.wording import minute, one_line

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class OwnerPages:
    """Answers the requests of the owner; whatever changes the study comes from a form of the owner's own."""

    pages: Pages
    profiles: ProfileKeeper

    def routes(self) -> list[Route]:
        """Return where they come in."""
        return [
            Route("/overview/invite", self._posted(self.invite), methods=["POST"]),
            Route("/overview/revoke", self._posted(self.revoke), methods=["POST"]),
            Route("/overview/instructions", self.instructions),
            Route("/overview/instructions", self._posted(self.change_instructions), methods=["POST"]),
            Route("/overview/pair/{question_id}", self.pair),
        ]

    def invite(self, request: Request, _: Visitor, fields: Fields) -> Response:
        """Make a personal link, and show it once."""
        try:
            token = invite(self.pages.study, fields.get("expert", ""))
        except InvalidParameter as error:
            raise HTTPException(400, f"Nobody was invited: {error}.") from None
        link = f"{str(request.base_url).rstrip('/')}/enter/{token}"
        return self.pages.render("invited.html", name=one_line(fields["expert"].strip()), link=link)

    def revoke(self, request: Request, _: Visitor, fields: Fields) -> Response:
        """End an expert's link."""
        try:
            revoke(self.pages.study, fields.get("expert", ""))
        except (InvalidInput, InvalidParameter) as error:
            raise HTTPException(400, f"No link was ended: {error}.") from None
        return RedirectResponse("/overview#experts", 303)

    def instructions(self, request: Request) -> Response:
        """Show the instructions, to be edited."""
        visitor = self.pages.owner(request)
        return self._editor(visitor, instructions_shown(instructions_of(self.pages.study)))

    def change_instructions(self, request: Request, visitor: Visitor, fields: Fields) -> Response:
        """Change the instructions, or show what they would look like."""
        text = fields.get("instructions", "").replace("\r\n", "\n")
        if fields.get("choice") == "preview":
            return self._editor(visitor, text, changed=True)
        try:
            change_instructions(self.pages.study, text)
        except InvalidParameter as error:
            return self._editor(visitor, text, changed=True, mistake=f"Not saved: {error}.", status=422)
        return RedirectResponse("/overview/instructions", 303)

    def pair(self, request: Request) -> Response:
        """Show the two records of a question, and everything that was answered about them."""
        self.pages.owner(request)
        study, question_id = self.pages.study, checked_question_id(request.path_params["question_id"])
        found = question_with_answers(study, question_id)
        if found is None:
            raise HTTPException(404, "There is no such question, or one of its records was erased.")
        question, answers = found
        profiles, styles = self.profiles.now(), self.profiles.styles
        return self.pages.render(
            "pair.html",
            question=question,
            ids=(one_line(question.left_id), one_line(question.right_id)),
            rows=record_view(question, profiles, styles),
            comparison=comparison_view(question, profiles, styles),
            answers=[
                (
                    one_line(one.expert),
                    answer_in_words(one, END),
                    one.comment,
                    minute(one.answered_at),
                )
                for one in answers
            ],
        )

    # --- inside ---

    def _editor(
        self, visitor: Visitor, text: str, *, changed: bool = False, mistake: str | None = None, status: int = 200
    ) -> Response:
        return self.pages.render(
            "instructions.html",
            status,
            text=text,
            preview=markdown(text[:LONGEST_INSTRUCTIONS]),
            longest=LONGEST_INSTRUCTIONS,
            changed=changed,
            mistake=mistake,
            form_token=self.pages.form_token(visitor),
        )

    def _posted(self, act: Callable[[Request, Visitor, Fields], Response]) -> Callable[[Request], object]:
        """Return what answers a form: only the owner's own form is acted upon."""

        async def answered(request: Request) -> Response:
            visitor = await run_in_threadpool(self.pages.owner, request)
            fields = await self.pages.form(request, visitor)
            return await run_in_threadpool(act, request, visitor, fields)

        return answered
