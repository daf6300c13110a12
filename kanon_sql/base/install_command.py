"""The shell command that adds an extra to this installation of kanon-sql.

A message that names an extra prints it. What a reader may type depends on how kanon-sql was installed: pip knows
nothing of pipx's and uv's environments, and a clone or a wheel is found in no registry.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import urlsplit

NAME = "kanon-sql"
PROGRAM = "kanon-sql"


def install_command(extra: str) -> str:
    """Return the command that installs `extra` where this Python finds kanon-sql."""
    url, editable, installer = _origin()
    wanted = f"{NAME}[{extra}]" if url is None else f"{NAME}[{extra}] @ {url}"
    prefix = Path(sys.prefix)
    if prefix.parent.name.startswith("archive-v"):  # uvx runs tools in environments of uv's cache
        return f"uvx --from {_quoted(wanted)} {PROGRAM}"
    if (prefix / "uv-receipt.toml").exists():
        return f"uv tool install {_quoted(wanted)}"
    if (prefix / "pipx_metadata.json").exists():
        if prefix.parent.name == "venvs":
            return f"pipx install --force {_quoted(wanted)}"
        return f"pipx run --spec {_quoted(wanted)} {PROGRAM}"
    words = _quoted(wanted)
    if editable is not None:
        words = f"-e {_quoted(f'{editable}[{extra}]')}"
    return f"{_install(installer)} {words}"


def _origin() -> tuple[str | None, str | None, str]:
    """Return the address that kanon-sql was installed from, the folder if it is editable, and the installer's name.

    Without an address it came from an index. It is recorded as PEP 610 says; a wheel that is gone is not named.
    """
    try:
        found = distribution(NAME)
    except PackageNotFoundError:  # a folder on the path
        return None, None, "pip"
    installer = (found.read_text("INSTALLER") or "pip").strip()
    recorded = json.loads(found.read_text("direct_url.json") or "{}")
    url = recorded.get("url")
    if "vcs_info" in recorded:
        return f"{recorded['vcs_info']['vcs']}+{url}", None, installer
    if not isinstance(url, str) or not url.startswith("file:"):
        return url, None, installer
    from urllib.request import url2pathname  # noqa: PLC0415  it loads ssl and e-mail

    path = url2pathname(urlsplit(url).path)
    if not Path(path).exists():
        return None, None, installer
    return url, path if recorded.get("dir_info", {}).get("editable") else None, installer


def _install(installer: str) -> str:
    """Return how pip, or uv's, installs for this Python, which the pip on the PATH may not serve."""
    if installer == "uv":
        return f"uv pip install --python {_quoted(sys.executable)}"
    found = shutil.which("pip")
    if found is not None and Path(found).parent == Path(sys.executable).parent:
        return "pip install"
    return f"{_quoted(sys.executable)} -m pip install"


def _quoted(text: str) -> str:
    return shlex.quote(text) if os.name == "posix" else f'"{text}"'
