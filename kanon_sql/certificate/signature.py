"""Detached signatures of certificates: Ed25519, by a key of the user's own; no key is made or kept here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from kanon_sql.errors import Fault, InputError, MissingExtraError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import (
        Ed25519PrivateKey,
        Ed25519PublicKey,
    )

MOST_BYTES = 1 << 16
"""No key is longer."""
LENGTH = 64
"""Bytes of a signature."""


def private_key(path: str) -> Ed25519PrivateKey:
    """Read the key to sign with, of PEM (PKCS 8) or OpenSSH; raises InputError and MissingExtraError."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtraError("sign") from error
    content = _content(path)
    of_openssh = b"OPENSSH PRIVATE KEY" in content
    load = serialization.load_ssh_private_key if of_openssh else serialization.load_pem_private_key
    try:
        key = load(content, password=None)
    except TypeError as error:
        what = "is encrypted; decrypt it for the run, or sign certificate.json by openssl later"
        raise InputError(path, [Fault("", what)]) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        # What the library says of a key that it cannot read may repeat a part of it.
        encrypted = "ssword" in str(error)
        what = "is encrypted; decrypt it for the run" if encrypted else "is no private key"
        raise InputError(path, [Fault("", f"{what}, in PEM or OpenSSH's form")]) from None
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise InputError(path, [Fault("", NOT_ED25519)])
    return key


def public_key(path: str) -> Ed25519PublicKey:
    """Read the key to check with, of PEM or OpenSSH; raises InputError and MissingExtraError."""
    try:
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtraError("sign") from error
    content = _content(path)
    if b"PRIVATE KEY" in content:
        what = "is a private key; give the public one, which may be shown"
        raise InputError(path, [Fault("", what)])
    of_openssh = content.lstrip().startswith(b"ssh-")
    load = serialization.load_ssh_public_key if of_openssh else serialization.load_pem_public_key
    try:
        key = load(content.strip() if of_openssh else content)
    except (ValueError, UnsupportedAlgorithm):
        raise InputError(path, [Fault("", "is no public key, in PEM or OpenSSH's form")]) from None
    if not isinstance(key, ed25519.Ed25519PublicKey):
        raise InputError(path, [Fault("", NOT_ED25519)])
    return key


NOT_ED25519 = "is of another kind; certificates are signed with Ed25519"


def signed_by(key: Ed25519PublicKey, signature: bytes, content: bytes) -> bool:
    """Whether a signature of a content was made with the private half of a key."""
    from cryptography.exceptions import InvalidSignature

    if len(signature) != LENGTH:
        return False
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _content(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(MOST_BYTES)
    except (OSError, ValueError) as error:
        why = os.strerror(error.errno or 0) if isinstance(error, OSError) else "no name of a file"
        raise InputError(path, [Fault("", f"cannot be read ({why})")]) from error
