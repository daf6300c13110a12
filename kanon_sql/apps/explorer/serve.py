"""Serves the explorer to a browser of this machine until it is interrupted."""

from __future__ import annotations

import signal
import socket
import webbrowser
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from kanon_sql.apps.explorer.exploration import Exploration
    from kanon_sql.apps.explorer.guarded_app import ExplorerPages

HOST = "127.0.0.1"
ENDINGS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def opened_pages(
    make: Callable[[], Exploration], words: Mapping[str, str]
) -> Iterator[ExplorerPages]:
    """Open a policy, and begin to count its source in the background; close it at the end.

    `words` are the names of the steps for the page. Raises MissingExtraError where the server's libraries are not
    installed, and InputError for faults of the policy.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("explore")
    from kanon_sql.apps.explorer.guarded_app import ExplorerPages  # noqa: PLC0415  of an extra

    pages = ExplorerPages(make, words)
    try:
        pages.open()
        yield pages
    finally:
        pages.close()


def serve(
    pages: ExplorerPages, *, port: int, show: Callable[[str], None], opens_browser: bool
) -> None:
    """Serve the explorer on 127.0.0.1 until an interrupt; port 0 stands for any free port.

    `show` is called with the address once it is served. Raises InputError where the port cannot be used.
    """
    import uvicorn

    from kanon_sql.apps.explorer.guarded_app import (  # noqa: PLC0415
        OneTimeToken,
        explorer_app,
    )

    class Server(uvicorn.Server):
        """A server that stops at a signal without raising it again, which uvicorn's own would do."""

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            def end(number: int, frame: FrameType | None) -> None:
                self.handle_exit(number, frame)

            before = {each: signal.signal(each, end) for each in ENDINGS}
            try:
                yield
            finally:
                for each, handler in before.items():
                    signal.signal(each, handler)

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            show(address)
            if opens_browser:
                webbrowser.open(address)

    with _bound(port) as listening:
        port = listening.getsockname()[1]
        token = OneTimeToken(port)
        address = f"http://{HOST}:{port}/?token={token.token}"
        config = uvicorn.Config(
            explorer_app(pages, token, port),
            log_level="error",
            access_log=False,
            server_header=False,
            lifespan="off",
            ws="none",
            timeout_graceful_shutdown=2,
        )
        Server(config).run([listening])


@contextmanager
def _bound(port: int) -> Iterator[socket.socket]:
    """Listen at a port of this machine alone."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((HOST, port))
        except OSError as error:
            what = f"{port} is in use or not allowed; leave it out for any that is free"
            raise InputError("--port", [Fault("", what)]) from error
        yield made
