"""Secrets, the links made of them, ids and codes. Ids that are shown give no right to anything."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import unicodedata
from collections.abc import Callable
from typing import Final, TypeAlias

from skyjo.errors import MalformedError
from skyjo.i18n import N_

#: Gives that many random bytes; tests hand in their own.
TokenSource: TypeAlias = Callable[[int], bytes]

#: The shortest secret that is taken for one; ours have 43 characters, 256 bits.
SHORTEST_SECRET: Final = 32
LONGEST_SECRET: Final = 200

#: Letters and digits of codes; those that look alike stand for one of the two.
CODE_LETTERS: Final = "0123456789ACDEFGHJKMNPQRTVWXYZ"
CODE_LENGTH: Final = 8
_LOOK_ALIKES: Final = str.maketrans(
    {
        **dict(zip("OILBSU", "01185V", strict=True)),
        # The same shapes on a Ukrainian keyboard.
        **dict(zip("АВСЕНІКМОРТХУЗ", "A8CEH1KM0PTXY3", strict=True)),
    }
)


def new_secret(token: TokenSource = secrets.token_bytes) -> str:
    """A secret for a device, to be kept in its cookie.

    >>> len(new_secret())
    43
    """
    return base64.urlsafe_b64encode(token(32)).decode().rstrip("=")


def holder_of(secret: str) -> str:
    """The hash under which tables and store know the owner of a secret.

    Raises MalformedError for what is too short or too long to be a secret.
    """
    if not SHORTEST_SECRET <= len(secret) <= LONGEST_SECRET:
        raise MalformedError(
            N_("a secret has {shortest} to {longest} characters"),
            shortest=SHORTEST_SECRET,
            longest=LONGEST_SECRET,
        )
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def new_table_id(token: TokenSource) -> str:
    """An id for a table: 16 letters and digits, 80 random bits."""
    return _letters(token(10))


def rematch_id(table_secret: str) -> str:
    """The id of the table that follows a table; the same for everybody who asks for a rematch."""
    return _letters(_mac(table_secret, "rematch")[:10])


def link_token(table_secret: str, key: int, renewals: int) -> str:
    """The personal link of a seat: whoever has it may play the seat, until it is renewed.

    >>> link_token("s", 0, 0) == link_token("s", 0, 0) != link_token("s", 0, 1)
    True
    """
    return _letters(_mac(table_secret, f"link/{key}/{renewals}")[:20])


def is_same(token: str, other: str) -> bool:
    """Whether two secrets are equal, in a time that tells nothing about where they differ."""
    return hmac.compare_digest(token.encode("utf-8", "surrogatepass"), other.encode())


def new_code(token: TokenSource) -> str:
    """A code that people can read out and type: 8 of 30 letters and digits."""
    number = int.from_bytes(token(16))
    letters = []
    for _ in range(CODE_LENGTH):
        number, rest = divmod(number, len(CODE_LETTERS))
        letters.append(CODE_LETTERS[rest])
    return "".join(letters)


def clean_code(text: str) -> str:
    """A code as people type it in the form in which it is stored, "" if it cannot be one.

    Case, blanks, dashes and letters that look alike do not count.

    >>> clean_code("oi2b-5uxx")
    '01285VXX'
    """
    if len(text) > 100:
        return ""
    shown = unicodedata.normalize("NFKC", text).upper().translate(_LOOK_ALIKES)
    code = "".join(letter for letter in shown if not letter.isspace() and letter not in "-–—_.")
    return code if len(code) == CODE_LENGTH and set(code) <= set(CODE_LETTERS) else ""


def _mac(secret: str, purpose: str) -> bytes:
    return hmac.digest(secret.encode(), purpose.encode(), "sha256")


def _letters(raw: bytes) -> str:
    return base64.b32encode(raw).decode().lower()
