"""Detached signatures of certificates: Ed25519, with a key of the user's own; no key is created or stored here."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from kanon_sql.errors import Fault, InputError, MissingExtraError
from kanon_sql.evidence.certificate.certificate import read_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

T = TypeVar("T")
MOST_BYTES = 1 << 16
"""The most bytes of a key's file that are read."""
LENGTH = 64
"""Bytes of a signature."""
ENCRYPTED = "is encrypted; decrypt it for the run, or sign certificate.json with openssl later"
NOT_ED25519 = "is of another kind; certificates are signed with Ed25519"


def private_key(path: str) -> Ed25519PrivateKey:
    """Read the key to sign with, of PEM (PKCS 8) or OpenSSH; raises InputError and MissingExtraError."""
    _check_installed()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = read_bytes(path, MOST_BYTES)
    of_openssh = b"OPENSSH PRIVATE KEY" in content
    load = serialization.load_ssh_private_key if of_openssh else serialization.load_pem_private_key
    key = _loaded(path, "private", lambda: load(content, password=None))
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise _refused(path, NOT_ED25519)
    return key


def public_key(path: str) -> Ed25519PublicKey:
    """Read the key to check with, of PEM or OpenSSH; raises InputError and MissingExtraError."""
    _check_installed()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ed25519

    content = read_bytes(path, MOST_BYTES).strip()
    if b"PRIVATE KEY" in content:
        raise _refused(path, "is a private key; name the public key, which is no secret")
    of_openssh = content.startswith(b"ssh-")
    load = serialization.load_ssh_public_key if of_openssh else serialization.load_pem_public_key
    key = _loaded(path, "public", lambda: load(content))
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise _refused(path, NOT_ED25519)
    return key


def _check_installed() -> None:
    try:
        import cryptography.exceptions  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("sign") from error


def _loaded(path: str, kind: str, load: Callable[[], T]) -> T:
    """Load a key. Raises InputError without the library's own message, which may repeat a part of the key."""
    from cryptography.exceptions import UnsupportedAlgorithm

    try:
        return load()
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        encrypted = isinstance(error, TypeError) or "ssword" in str(error)
        what = ENCRYPTED if encrypted else f"is not a {kind} key in PEM or OpenSSH format"
        raise _refused(path, what) from None


def _refused(path: str, what: str) -> InputError:
    return InputError(path, [Fault("", what)])


def signed_by(key: Ed25519PublicKey, signature: bytes, content: bytes) -> bool:
    """Whether the private half of `key` made this signature of the content."""
    from cryptography.exceptions import InvalidSignature

    if len(signature) != LENGTH:
        return False
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True
