"""Whether two papers have the same text, however it was written down."""

from __future__ import annotations

import hashlib
import re

LEAST_LETTERS = 100  # a shorter text, as "This paper has been withdrawn.", is the same by chance

_OTHERS = re.compile(r"[\W_]+")  # what `str.isalnum` refuses, ten times as fast


def content_hash(text: str) -> str | None:
    """SHA-256, in hexadecimal, of the letters and digits of a reading text in any case; None below a hundred.

    Formulas, marks and blanks are left out, since the sources of one abstract differ in them.
    """
    letters = _OTHERS.sub("", text.casefold())
    return hashlib.sha256(letters.encode()).hexdigest() if len(letters) >= LEAST_LETTERS else None
