"""Answers to clients that look for a login: there is none, said in the form that OAuth clients read."""

from citepress.contract import problem as problem_types
from citepress.http.message import Handler, Receive, Request, Response
from citepress.http.problem import refuse
from citepress.web.endpoints.context import GETS, ActionContext, ResponseError

PROBED_DOCUMENTS = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
REGISTER = "/register"
DETAIL = "No login is needed: every address and the MCP endpoint answer without a token."
ERROR_MEMBERS = {"error": "not_found"}
"""What libraries require of an error (RFC 6749, section 5.2); without it they report a parse error."""


class LoginProbe:
    """Answers with 404 and a string ``error``, which OAuth libraries require."""

    def __init__(self, context: ActionContext) -> None:
        self._context = context

    async def __call__(self, request: Request, _receive: Receive) -> Response:
        """A page may have the address where clients register, so that only POST is answered there."""
        if request.target == REGISTER.encode() and request.method != "POST":
            return self._context.site_app.answer(request)
        try:
            edition, _ = self._context.opened(request, GETS)
            rate = self._context.spend(request, edition)
        except ResponseError as refused:
            return refused.reply
        return refuse(problem_types.NOT_FOUND, request, edition, detail=DETAIL, further=rate, members=ERROR_MEMBERS)


def login_probes(context: ActionContext) -> dict[str, Handler]:
    """The handlers of the addresses that OAuth clients try, for the site and for paths of the endpoint."""
    paths = [
        f"/.well-known/{name}{below}" for name in PROBED_DOCUMENTS for below in ("", "/*", "/mcp/*", "/.well-known/*")
    ]
    return dict.fromkeys((*paths, "/mcp/.well-known/*", REGISTER), LoginProbe(context))
