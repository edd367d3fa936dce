"""Hashing passwords, and checking one without telling whether its name exists."""

from __future__ import annotations

import secrets
from functools import cache

from pwdlib import PasswordHash

from web.names import LONGEST_PASSWORD, normal_password


def hash_password(password: str) -> str:
    """The Argon2id hash of a (normal) password, with its salt and parameters."""
    return _hasher().hash(password)


def is_password(typed: str, password_hash: str | None) -> bool:
    """Whether `typed` is the password that was hashed; never for None, which takes just as long.

    None stands for a name that nobody has, and for a trader who has no password.
    """
    nobodys = _nobodys_hash()  # made whether or not it is needed, so that the first answer tells nothing
    matches = _hasher().verify(_capped(typed), password_hash or nobodys)
    return matches and password_hash is not None


def _capped(typed: str) -> str:
    """One character more than a password can have: whatever follows cannot make it right, only slow."""
    return normal_password(typed[: 4 * LONGEST_PASSWORD])[: LONGEST_PASSWORD + 1]


@cache
def _hasher() -> PasswordHash:
    return PasswordHash.recommended()


@cache
def _nobodys_hash() -> str:
    return hash_password(secrets.token_urlsafe(32))
