"""What a name and a password must be like, said in words. Pure.

The market's own rule for names is wider (simulated traders have blanks in theirs); people who sign up keep to
what can be typed and told apart: 2 to 30 letters and digits of one script, hyphens and underscores.
"""

from __future__ import annotations

import unicodedata

SHORTEST_NAME, LONGEST_NAME = 2, 30
SHORTEST_PASSWORD, LONGEST_PASSWORD = 10, 200  # characters; a longer one only costs time to hash
FEWEST_CHARACTERS = 5  # different ones in a password

NAME_RULE = "2 to 30 letters or digits; hyphens and underscores may stand between them"
PASSWORD_RULE = "At least 10 characters. A few unrelated words are good; no kind of character is required"

# Scripts with letters that look alike; a name keeps to one of them.
_LOOKALIKES = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC")
# The least imaginative answers of ten characters and more to "choose a password".
_WELL_KNOWN = frozenset({
    "1234567890", "12345678910", "0123456789", "0987654321", "9876543210", "1q2w3e4r5t", "1qaz2wsx3edc",
    "qwertyuiop", "qwerty12345", "qwerty123456", "asdfghjkl1", "abcdefghij", "abcdefghijk", "password12",
    "password123", "password1234", "passw0rd123", "iloveyou12", "iloveyou123", "letmein123", "welcome123",
    "welcome1234", "administrator", "adminadmin1", "changeme123", "correcthorsebatterystaple", "peerrevenue",
})


def normal_name(name: str) -> str:
    """The name as it is kept: full-width and other compatible letters in their plain form."""
    return unicodedata.normalize("NFKC", name.strip())


def normal_password(password: str) -> str:
    """The password as it is hashed: the same however the keyboard composes its letters."""
    return unicodedata.normalize("NFKC", password)


def name_fault(name: str) -> str | None:
    """What is wrong with the (normal) name, in a sentence; None when nothing is."""
    if not name:
        return "Choose a name."
    if len(name) > LONGEST_NAME:
        return f"That name has {len(name):,} characters; at most {LONGEST_NAME} are allowed."
    if len(name) < SHORTEST_NAME:
        return f"A name has at least {SHORTEST_NAME} characters."
    wrong = sorted({character for character in name if not _belongs(character)})
    if wrong:
        return f"A name has letters, digits, hyphens and underscores only, not {_listed(wrong)}."
    if not (name[0].isalnum() and name[-1].isalnum()):
        return "A name begins and ends with a letter or a digit."
    if len(_scripts(name)) > 1:
        return "A name keeps to one alphabet, so that it cannot be mistaken for another one."
    return None


def password_fault(password: str, name: str) -> str | None:
    """What is wrong with the (normal) password of somebody called `name`, in a sentence; None if nothing."""
    if len(password) < SHORTEST_PASSWORD:
        return f"A password has at least {SHORTEST_PASSWORD} characters; this one has {len(password)}."
    if len(password) > LONGEST_PASSWORD:
        return f"A password has at most {LONGEST_PASSWORD} characters; this one has {len(password):,}."
    if len(set(password)) < FEWEST_CHARACTERS:
        return f"That repeats the same few characters; use at least {FEWEST_CHARACTERS} different ones."
    bare = "".join(password.casefold().split())
    if bare in _WELL_KNOWN:
        return "That is one of the first passwords anybody would try; choose another."
    if len(name) >= 4 and name.casefold() in bare and len(bare) - len(name) < SHORTEST_PASSWORD - 2:
        return "That is little more than your name; choose another."
    return None


def _belongs(character: str) -> bool:
    # In many scripts a combining mark is part of a letter.
    return character.isalnum() or character in "_-" or unicodedata.category(character) in ("Mn", "Mc")


def _listed(characters: list[str]) -> str:
    return ", ".join(dict.fromkeys(_shown(character) for character in characters))


def _shown(character: str) -> str:
    if character.isspace():
        return "blanks"
    return f"“{character}”" if character.isprintable() else "invisible characters"


def _scripts(name: str) -> set[str]:
    words = {unicodedata.name(character, "").split(" ")[0] for character in name if character.isalpha()}
    return words.intersection(_LOOKALIKES)
