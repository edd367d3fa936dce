"""Pages, styles and scripts are sent compressed to browsers that ask for it.

Compressed pages can leak a secret that stands in them when a stranger can have their own text repeated beside
it and watch the size of many answers (the attack is called BREACH). Three things stand against it here:
cookies are SameSite=Lax, so another site cannot load a signed-in page in the background; the signature in a
form's token changes every second; and the header of each compressed page carries up to 100 random characters,
which hides the few bytes that a right guess would save (the measure Django takes; after "Heal the BREACH",
Palacios and others, IEEE Access 2022).
"""

from __future__ import annotations

import gzip
import io
import secrets

from flask import Response, request

SMALLEST = 1000  # bytes; below that a packet is a packet
LEVEL = 6
MOST_PADDING = 100
KINDS = frozenset({
    "text/html", "text/css", "text/plain", "text/javascript", "application/javascript", "application/json",
    "image/svg+xml", "application/atom+xml", "text/csv",
})  # fmt: skip


def compressed(response: Response) -> Response:
    """The response, with gzip where it pays and the browser takes it."""
    if response.mimetype not in KINDS:
        return response
    response.vary.add("Accept-Encoding")
    if response.status_code != 200 and response.status_code < 400:
        return response
    if "Content-Encoding" in response.headers or request.accept_encodings["gzip"] <= 0:
        return response
    response.direct_passthrough = False
    body = response.get_data()
    if len(body) < SMALLEST:
        return response
    response.set_data(_gzip(body, padded=response.mimetype == "text/html"))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag, weak=True)
    return response


def _gzip(body: bytes, *, padded: bool) -> bytes:
    name = "a" * secrets.randbelow(MOST_PADDING + 1) if padded else ""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename=name, mode="wb", compresslevel=LEVEL, fileobj=buffer, mtime=0) as file:
        file.write(body)
    return buffer.getvalue()
