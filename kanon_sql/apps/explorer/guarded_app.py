"""The explorer's pages over HTTP, for one browser on this machine; other sites open in that browser get nothing.

A random token, given in the address, is exchanged once for a cookie that scripts do not see and that no other site can
make the browser send. The Host of each request must be the explorer's own address, so that no name of another site can
lead to it (DNS rebinding). The Origin must be the explorer's own, too, and every POST must have one.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, Any, assert_never

from kanon_sql.apps.explorer.exploration import Choices
from kanon_sql.apps.explorer.searched_state import ChartName
from kanon_sql.base.charts.bars import ColumnLoss, SizesOf, class_sizes, column_loss
from kanon_sql.base.charts.chart import can_render, svg_of
from kanon_sql.base.charts.points import BeforeAfter, risk_before_after
from kanon_sql.base.documents.text import counted, simple_counts
from kanon_sql.base.late_dataclass import dataclass
from kanon_sql.base.sql.templates import template_root
from kanon_sql.counting.run.session import end_search
from kanon_sql.errors import (
    InfeasibleError,
    InputError,
    KanonError,
    MissingExtraError,
    StatementError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kanon_sql.apps.explorer.node_figures import StateFigures
    from kanon_sql.base.charts.chart import Chart
    from kanon_sql.policy.privacy.risks import RiskFigures, SizeCount


NARROW = 280
"""Pixels between the axes of a chart that has half of the page."""


def charts_of(figures: StateFigures) -> list[ChartName]:
    """List the charts of a state; of some searches no loss by column is known."""
    return [each for each in ChartName if each is not ChartName.LOSS or figures.losses]


def chart_document(name: ChartName, figures: StateFigures) -> dict[str, object]:
    """Return a chart with its table as plain values for the page; without the drawing library, the table alone."""
    chart = _chart(name, figures)
    return {
        "title": chart.title,
        "text": chart.text,
        "svg": svg_of(chart, alone=False) if can_render() else None,
        "headings": list(chart.headings),
        "rows": [list(row) for row in chart.rows],
    }


def _chart(name: ChartName, figures: StateFigures) -> Chart:
    match name:
        case ChartName.SIZES:
            counted_by = "row" if figures.entity is None else "person"
            large = sum(each.classes for each in figures.sizes if each.size >= figures.k)
            all_fit = large == sum(each.classes for each in figures.kept)
            own = _counts(figures.sizes)
            after = [SizesOf("release" if figures.note else "at these levels", own, figures.k)]
            if not all_fit:  # a class of k rows may fail another model
                after = [
                    SizesOf("at these levels", own),
                    SizesOf("released of these", _counts(figures.kept), figures.k),
                ]
            tables = [SizesOf("source", _counts(figures.before)), *after]
            return class_sizes(tables, counted_by=counted_by)
        case ChartName.RISK:
            return _narrow(risk_before_after(_risks(figures)))
        case ChartName.LOSS:
            columns = [ColumnLoss(n, of) for n, of in figures.losses.items()]
            return _narrow(column_loss(columns, metric="NCP" if figures.shown else "LM"))
        case _:
            assert_never(name)


def _narrow(chart: Chart) -> Chart:
    """Return a chart of one panel, narrowed to half of the page with text of the same size."""
    return replace(chart, spec={**chart.spec, "width": NARROW})


def _counts(sizes: Sequence[SizeCount]) -> list[tuple[int, int]]:
    return [(each.size, each.classes) for each in sizes]


def _risks(figures: StateFigures) -> list[BeforeAfter]:
    before, after = _shares(figures.risk_before), _shares(figures.risk_after)
    return [BeforeAfter(name, before.get(name), after.get(name)) for name in (before | after)]


def _shares(risk: RiskFigures | None) -> dict[str, float]:
    if risk is None:
        return {}
    return {
        "highest (prosecutor)": risk.prosecutor.highest,
        "average (prosecutor)": risk.prosecutor.average,
        "unique rows": risk.unique_rows / max(risk.rows, 1),
    }


try:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse, RedirectResponse, Response
    from starlette.routing import Route
except ImportError as error:
    raise MissingExtraError("explore") from error

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.types import ASGIApp, Receive, Scope, Send

    from kanon_sql.apps.explorer.exploration import Exploration
    from kanon_sql.apps.explorer.node_figures import StateFigures

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
MOST_LEVEL = 1_000
"""A level above every hierarchy, for which the page gets the coarsest."""
MOST_BYTES = 1_000_000
"""The most bytes of a request that are read."""

ASSETS = {
    "explorer.css": ("explorer", "text/css"),
    "explorer.js": ("explorer", "text/javascript"),
    "cut_points.js": ("explorer", "text/javascript"),
    "icon.svg": ("explorer", "image/svg+xml"),
    "chart.css": ("report", "text/css"),
    "chart.js": ("report", "text/javascript"),
}
"""The files that the page loads, each with its folder under templates and its media type."""
PATIENCE = 0.5
"""Seconds to wait for the figures before the page is served without them; an error within them stops the command."""
DRAWN = 32
"""The most states whose charts are kept for the page to ask for."""


class OneTimeToken:
    """The token of the address, and the cookie that it is exchanged for."""

    def __init__(self, port: int) -> None:
        self.token: str | None = secrets.token_urlsafe(32)
        self.cookie_name = f"kanon_explorer_{port}"  # cookies do not tell ports apart
        self.cookie = secrets.token_urlsafe(32)

    def spend(self, given: str) -> bool:
        """Whether `given` is the token; if so, it is used up and never matches again."""
        if self.token is None or not secrets.compare_digest(given.encode(), self.token.encode()):
            return False
        self.token = None
        return True

    def admits(self, cookie: str | None) -> bool:
        """Whether a request has the cookie."""
        return cookie is not None and secrets.compare_digest(cookie.encode(), self.cookie.encode())


class Guard:
    """Refuses every request that is not from the explorer's own page, and adds the headers of all responses."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: OneTimeToken) -> None:
        self.app = app
        self.hosts = hosts
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = self._refusal(Request(scope))

        async def with_headers(message: Any) -> None:  # noqa: ANN401  ASGI's own
            if message["type"] == "http.response.start":
                own = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *own]
            await send(message)

        await (answer or self.app)(scope, receive, with_headers)

    def _refusal(self, request: Request) -> Response | None:
        if (why := self._foreign(request)) is not None:
            return _refused(why)
        given = request.query_params.get("token")
        if request.url.path == "/" and request.method == "GET" and given is not None:
            return self._exchanged(given)
        if not self.token.admits(request.cookies.get(self.token.cookie_name)):
            return _refused(
                "open the address that kanon-sql explore printed; it works once, in one browser"
            )
        return None

    def _foreign(self, request: Request) -> str | None:
        """Return why a request is not from the explorer's own page; None if it is."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if len(request.headers.getlist("host")) != 1 or host not in self.hosts:
            return "this address is not the explorer's"
        if origin is None and request.method == "POST":
            return "a request without an origin is not the page's"
        own = origin in {None, f"http://{host}"}
        if own and request.headers.get("sec-fetch-site", "none") in {"same-origin", "none"}:
            return None
        return "another page may not ask the explorer"

    def _exchanged(self, given: str) -> Response:
        """Exchange the token for the cookie, and take it out of the address."""
        if not self.token.spend(given):
            return _refused("this address was used already, or is not the one that was printed")
        answer = RedirectResponse("/", 303)
        answer.set_cookie(
            self.token.cookie_name, self.token.cookie, httponly=True, samesite="strict", path="/"
        )
        return answer


def _refused(why: str) -> Response:
    return Response(f"refused: {why}\n", 403, media_type="text/plain")


class CountingProgress:
    """The current step of the database's thread, which the page asks for while it waits."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = words
        self.step = "opening the policy"
        self.done = ""

    def __call__(self, step: str) -> None:
        """Begin another step."""
        self.step, self.done = self._words.get(step, step), ""

    def count(self, done: int, of: int, what: str) -> None:
        """Record how much of the step is done, `of` how much at most; 0 if no bound is known."""
        self.done = f"{done:,} of at most {counted(of, what)}" if of else counted(done, what)


class StaleRequestError(Exception):
    """Ends the work on a request whose page has asked for another state since."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The page that sent a request, and the number of the state that it asks about: later states have higher numbers."""

    page: str
    state: int

    @classmethod
    def read(cls, sent: object) -> Asked | None:
        """Read what a request says of itself; None if it says nothing, as one that must not be left undone."""
        asked = sent.get("asked") if isinstance(sent, dict) else None
        page, state = (asked.get(n) if isinstance(asked, dict) else None for n in ("page", "state"))
        if isinstance(page, str) and type(state) is int:
            return cls(page, state)
        return None


class ExplorerPages:
    """Serves the page, its assets and its requests; one worker thread has the database.

    `words` are the names of the steps that the page shows while it waits. When a page asks for another state, the work on
    its last one ends after the statement that runs.
    """

    def __init__(
        self, make: Callable[[], Exploration], words: Mapping[str, str] | None = None
    ) -> None:
        self._make = make
        self.progress = CountingProgress(words or {})
        self._opening: Future[None] | None = None
        self._exploration: Exploration | None = None
        self._worker = ThreadPoolExecutor(1, "explorer")
        self._drawn: dict[str, StateFigures] = {}
        self._first: dict[str, object] = {}
        self._newest: Asked | None = None
        self._running: Asked | None = None

    @property
    def exploration(self) -> Exploration:
        """The exploration, which is opened when it is first used, in the worker thread."""
        if self._exploration is None:
            self._exploration = self._make()
            journal = self._exploration.run.engine.journal
            journal.on_step, journal.on_statement = self.progress, self._check_wanted
        return self._exploration

    def open(self, *, patience: float = PATIENCE) -> None:
        """Open the policy, and begin to count its source; wait `patience` seconds for the figures.

        Raises InputError for faults of the policy, and for faults of the source within that time. The page is served
        after that, and waits for the figures itself.
        """
        self._worker.submit(lambda: self.exploration).result()
        self._opening = self._worker.submit(self._opened)
        wait([self._opening], patience)
        self.check_opened()

    def check_opened(self) -> None:
        """Raise the error that ended the counting of the source, where one did."""
        if self._opening is not None and self._opening.done():
            self._opening.result()

    def _opened(self) -> None:
        exploration = self.exploration
        self._first = exploration.start()
        with suppress(KanonError):  # the page asks for these figures next, and then has any error
            figures = exploration.figures(Choices.read(self._first["state"], exploration.names))
            # The library that draws takes half a second to begin, while a person opens the page.
            Thread(target=chart_document, args=(ChartName.SIZES, figures), daemon=True).start()

    def close(self) -> None:
        """Drop the scratch tables and close the database; a running statement is interrupted."""
        end_search()
        if self._exploration is not None:
            _end_statement(getattr(self._exploration.run.engine, "connection", None))
            self._worker.submit(self._exploration.close).result()
        self._worker.shutdown()

    def routes(self) -> list[Route]:
        """Return the routes of the page, its assets and its requests."""
        get = {
            "/": self.page,
            "/assets/{name}": self.asset,
            "/charts/{key}/{name}": self.chart,
            "/api/progress": self.what_goes_on,
        }
        post = {
            "start": self._start,
            "figures": self._figures,
            "counts": self._counts,
            "levels": self._levels,
            "nodes": self._nodes,
            "labels": self._labels,
            "best": self._best,
            "save": self._save,
        }
        return [
            *(Route(path, answer, methods=["GET"]) for path, answer in get.items()),
            *(
                Route(f"/api/{name}", partial(self.answer, act), methods=["POST"])
                for name, act in post.items()
            ),
            Route("/api/stop", self.stop, methods=["POST"]),
        ]

    async def page(self, _: Request) -> Response:
        """Serve the page, which holds no figure: it asks for all of them."""
        return Response(_asset("explorer.html"), media_type="text/html")

    async def asset(self, request: Request) -> Response:
        """Serve a style, a script or the icon."""
        name = request.path_params["name"]
        if name not in ASSETS:
            return Response("not found\n", 404, media_type="text/plain")
        folder, kind = ASSETS[name]
        return Response(_asset(name, folder), media_type=kind)

    async def chart(self, request: Request) -> Response:
        """Serve a chart of a state whose figures were served before."""
        figures = self._drawn.get(request.path_params["key"])
        name = request.path_params["name"]
        if figures is None or name not in set(ChartName):
            return Response("not found\n", 404, media_type="text/plain")
        found = await asyncio.to_thread(chart_document, ChartName(name), figures)
        return JSONResponse(found)

    async def stop(self, _: Request) -> Response:
        """End a search with the best that it has found."""
        return JSONResponse({"stopped": end_search()})

    async def answer(self, act: Callable[[Any], dict[str, object]], request: Request) -> Response:
        """Run a request of the page in the database's thread; the response to an error is its text and faults."""
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return JSONResponse({"error": "the request is too long"}, 413)
        try:
            sent = json.loads(body or b"null")
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the request is not JSON"}, 400)
        asked = Asked.read(sent)
        if act in {self._figures, self._best} and asked is not None:
            self._newest = asked
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._worker, partial(self._done, act, sent))
        return JSONResponse(found)

    def _done(self, act: Callable[[Any], dict[str, object]], sent: object) -> dict[str, object]:
        self._running = Asked.read(sent)
        try:
            self._check_wanted()
            return act(sent)
        except StaleRequestError:
            return {"stale": True}
        except KanonError as error:
            if _refused_by_database(error):
                self._reopen()
            return {"error": str(error), "faults": self._faults(error), "status": error.status}
        finally:
            self._running = None

    def _check_wanted(self) -> None:
        """Raise StaleRequestError, once, if the page of the running request has asked for another state since."""
        own, newest = self._running, self._newest
        if own and newest and own.page == newest.page and own.state < newest.state:
            self._running = None  # what cleans up runs statements, too
            raise StaleRequestError

    def _reopen(self) -> None:
        """Close the exploration, to be opened again: after a refused statement its transaction takes no others."""
        opened, self._exploration = self._exploration, None
        with suppress(KanonError):
            if opened is not None:
                opened.close()

    def _faults(self, error: KanonError) -> list[dict[str, object]]:
        if not isinstance(error, InputError):
            return []
        keys = self.exploration.adjustable
        return [
            {"key": keys.key_of(f.where or error.subject), "where": f.where, "what": f.what}
            for f in error.faults
        ]

    def _choices(self, sent: object) -> Choices:
        state = sent.get("state") if isinstance(sent, dict) else None
        return Choices.read(state, self.exploration.names)

    def _start(self, _: object) -> dict[str, object]:
        self.check_opened()  # one thread does both, so the counting has ended
        return self._first

    async def what_goes_on(self, _: Request) -> Response:
        """Serve the current step of the database's thread, even while that is busy."""
        return JSONResponse({"step": self.progress.step, "done": self.progress.done})

    def _figures(self, sent: object) -> dict[str, object]:
        exploration = self.exploration
        choices = exploration.clamped(self._choices(sent))
        return self._of_state(choices)

    def _of_state(self, choices: Choices) -> dict[str, object]:
        exploration = self.exploration
        figures = exploration.figures(choices)
        key = secrets.token_hex(8)
        while len(self._drawn) >= DRAWN:
            del self._drawn[next(iter(self._drawn))]
        self._drawn[key] = figures
        return {
            "state": choices.document(exploration.names),
            "of_nodes": exploration.of_nodes(choices),
            "algorithm": exploration.policy(choices).search.algorithm.value,
            "columns": exploration.columns(choices),
            "figures": figures.document(),
            "charts": {name: f"/charts/{key}/{name}" for name in charts_of(figures)},
        }

    def _counts(self, sent: object) -> dict[str, object]:
        exploration = self.exploration
        error = exploration.count_error(exploration.clamped(self._choices(sent)))
        text = None if error is None else simple_counts(*error)
        return {"counts": text or "", "off": None if error is None else error[0]}

    def _levels(self, sent: object) -> dict[str, object]:
        at = sent.get("column") if isinstance(sent, dict) else None
        choices = self.exploration.clamped(self._choices(sent))
        return {"levels": self.exploration.feasible_levels(choices, at if type(at) is int else -1)}

    def _nodes(self, sent: object) -> dict[str, object]:
        nodes = sent.get("nodes") if isinstance(sent, dict) else None
        return {"nodes": self.exploration.verdicts(self._choices(sent), nodes)}

    def _labels(self, sent: object) -> dict[str, object]:
        at = sent.get("column") if isinstance(sent, dict) else None
        choices = self._choices(sent)
        return {"labels": self.exploration.labels(choices, at if type(at) is int else -1)}

    def _best(self, sent: object) -> dict[str, object]:
        exploration = self.exploration
        choices = exploration.clamped(self._choices(sent))
        try:
            return self._of_state(exploration.best(choices))
        except InfeasibleError as error:
            if not exploration.of_nodes(choices):
                raise
            top = exploration.clamped(replace(choices, levels=(MOST_LEVEL,) * len(choices.levels)))
            return {**self._of_state(top), "refused": str(error)}

    def _save(self, sent: object) -> dict[str, object]:
        with_plan = isinstance(sent, dict) and sent.get("plan") is True
        choices = self.exploration.clamped(self._choices(sent))
        return self.exploration.save(choices, with_plan=with_plan)


def _end_statement(connection: object) -> None:
    """Interrupt the statement that runs in another thread, where the connection can; an idle one is unaffected."""
    for name in ("interrupt", "cancel"):  # of DuckDB, and of psycopg
        if (end := getattr(connection, name, None)) is not None:
            end()
            return


def _refused_by_database(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, StatementError):
        error = error.__cause__
    return error is not None


def _asset(name: str, folder: str = "explorer") -> str:
    return (template_root() / folder / name).read_text(encoding="utf-8")


def explorer_app(pages: ExplorerPages, token: OneTimeToken, port: int) -> ASGIApp:
    """Build the application of an explorer at a port of this machine."""
    hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
    return Guard(Starlette(routes=pages.routes()), hosts, token)
