"""Answers to clients that look for a login: there is none, said in the form that OAuth clients read."""

from collections.abc import Sequence

from citepress.base.text import sentence_list
from citepress.contract import problem as problem_types
from citepress.contract.api import Api
from citepress.extension import joined
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.web.endpoints.context import GETS, ActionContext, ResponseError

PROBED_DOCUMENTS = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
REGISTER = "/register"
ERROR_MEMBERS = {"error": "not_found"}
"""What libraries require of an error (RFC 6749, section 5.2); without it they report a parse error."""


class LoginProbe:
    """Answers with 404 and a string ``error``, which OAuth libraries require."""

    def __init__(self, context: ActionContext, apis: Sequence[Api]) -> None:
        self._context = context
        named = sentence_list(["every address", *(f"the {api.name} endpoint" for api in apis)])
        self._detail = f"No login is needed: {named} answer{'' if apis else 's'} without a token."

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """A page may have the address where clients register, so that only POST is answered there."""
        if request.target == REGISTER.encode() and request.method != "POST":
            return self._context.site_app.answer(request)
        try:
            edition, _ = self._context.opened(request, GETS)
            rate = self._context.spend(request, edition)
        except ResponseError as refused:
            return refused.reply
        return refuse(
            problem_types.NOT_FOUND, request, edition, detail=self._detail, further=rate, members=ERROR_MEMBERS
        )


def login_probes(context: ActionContext) -> dict[str, Handler]:
    """The handlers of the addresses that OAuth clients try, for the site and for paths of endpoints."""
    apis = joined("apis", Api)
    below = ("", "/*", *(f"{api.endpoint}/*" for api in apis), "/.well-known/*")
    paths = [f"/.well-known/{name}{end}" for name in PROBED_DOCUMENTS for end in below]
    paths += [f"{api.endpoint}/.well-known/*" for api in apis]
    return dict.fromkeys((*paths, REGISTER), LoginProbe(context, apis))
