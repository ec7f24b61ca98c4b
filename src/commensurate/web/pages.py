"""What every page needs: the study, who is asking, the templates and the forms."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse

from commensurate.report.html.environment import REPORTS, template_environment
from commensurate.study.study import Study
from commensurate.web.sign_in import Role, SignIn, Visitor, check_form, form_token, read_form, same_origin
from commensurate.wording import one_line

STATIC = Path(__file__).parent / "static"


class Pages:
    """Renders pages of one study for those who may see them."""

    def __init__(self, study: Study, sign_in: SignIn) -> None:
        self.study, self.sign_in = study, sign_in
        self._environment = page_environment()
        self.title = one_line(study.settings.title) or "Which records are alike?"

    def render(self, template: str, status: int = 200, **values: Any) -> HTMLResponse:
        """Return a page."""
        text = self._environment.get_template(template).render(study_title=self.title, **values)
        return HTMLResponse(text, status)

    def message(self, heading: str, words: str, status: int, *, go_on: bool = False) -> HTMLResponse:
        """Return a page that says one thing, and may lead on to the next question."""
        return self.render("message.html", status, heading=heading, words=words, go_on=go_on)

    def expert(self, request: Request) -> Visitor:
        """Return the expert who asks for a page; 403 if no one is signed in as one."""
        return self._visitor(request, "expert", "Open your personal link again, or ask the study owner for a new one.")

    def owner(self, request: Request) -> Visitor:
        """Return the owner; 403 if it is anyone else."""
        return self._visitor(
            request, "owner", "This page is for the study owner. Open the link that `study serve` printed."
        )

    async def form(self, request: Request, visitor: Visitor) -> Mapping[str, str]:
        """Return the fields of a form that was made for this visitor; 403 if it was not."""
        if not same_origin(request):
            raise HTTPException(403, "This form was sent from another site.")
        fields = await read_form(request)
        if not check_form(visitor, fields.get("form_token")):
            raise HTTPException(403, "This form is out of date. Go back, reload the page and send it again.")
        return fields

    async def asked_by_expert(self, request: Request) -> Visitor:
        """Return the expert, for a page that waits for its form."""
        return await run_in_threadpool(self.expert, request)

    def about_expert(self, visitor: Visitor) -> dict[str, str]:
        """Return what every page of an expert says about them."""
        return {
            "expert": visitor.name,
            # the same under a new link: what waits in the expert's browser is still theirs
            "who": short_digest(f"{self.sign_in.cookies['expert']} {visitor.name}", 8),
            "form_token": self.form_token(visitor),
        }

    @staticmethod
    def form_token(visitor: Visitor) -> str:
        """Return what a form must carry to be taken from this visitor."""
        return form_token(visitor)

    def _visitor(self, request: Request, role: Role, otherwise: str) -> Visitor:
        visitor = self.sign_in.visitor(request, role)
        if visitor is None:
            raise HTTPException(403, otherwise)
        return visitor


def short_digest(text: str, size: int) -> str:
    """Return a few bytes that stand for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).hexdigest()


def page_environment() -> Environment:
    """Return what turns templates into pages, with every template read once: the package may be updated meanwhile."""
    environment = template_environment("commensurate.web", REPORTS)
    environment.globals["asset"] = {
        file.name: _versioned(file) for file in STATIC.iterdir() if file.is_file()
    }.__getitem__
    for name in environment.list_templates():
        environment.get_template(name)
    return environment


def _versioned(file: Path) -> str:
    """Return an asset's address, which changes with its content: browsers may keep it for ever."""
    return f"/static/{file.name}?{hashlib.sha256(file.read_bytes()).hexdigest()[:12]}"
