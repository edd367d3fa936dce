"""The headers of every response, and which hosts are answered."""

from __future__ import annotations

from flask import Flask, Response, g, request
from werkzeug.sansio.utils import host_is_trusted

from web import assets, compression
from web.config import Settings
from web.frame import SETTINGS

CONTENT_SECURITY_POLICY = "; ".join((
    "default-src 'self'",  # no other origin, and neither script nor style inside a page
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
))  # fmt: skip

ALWAYS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), browsing-topics=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STRICT_TRANSPORT = "max-age=31536000; includeSubDomains"


def install(app: Flask) -> None:
    """Check the host of every request and complete every response."""
    settings: Settings = app.extensions[SETTINGS]

    @app.before_request
    def check_host() -> tuple[str, int, dict[str, str]] | None:
        if host_is_trusted(request.host, settings.trusted_hosts):
            return None
        # No page: its links would be made from the very name that is not trusted.
        message = (
            "This site does not answer under the host name of this request. If you run it, add the name to "
            "PEER_REVENUE_TRUSTED_HOSTS.\n"
        )
        return message, 400, {"Content-Type": "text/plain; charset=utf-8"}

    @app.after_request
    def complete(response: Response) -> Response:
        response.headers.update(ALWAYS)
        if settings.production:
            response.headers["Strict-Transport-Security"] = STRICT_TRANSPORT
        if assets.is_current(app):
            response.headers["Cache-Control"] = assets.FOREVER
        elif request.endpoint != "static":
            response.headers["Cache-Control"] = "private, no-store" if _is_personal() else "private, no-cache"
            response.vary.add("Cookie")  # the theme, and who is signed in
        return compression.compressed(response)


def _is_personal() -> bool:
    """Whether somebody is signed in, or the response belongs to a form."""
    user = g.get("_login_user")
    return request.method not in ("GET", "HEAD") or (user is not None and user.is_authenticated)
