"""A body that somebody has already, turned into a document; no network and no `Web`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from outrider.content.converter import convert
from outrider.errors import BodyTooLarge

if TYPE_CHECKING:
    from outrider.config import Config
    from outrider.types import Document


def convert_body(
    body: bytes, config: Config, *, url: str = "", content_type: str | None = None, whole: bool = False
) -> Document:
    """
    Read a body as a fetch would.

    Args:
        url: Where it came from, against which links are resolved; with "" they stay as they are.
        content_type: As a server would declare it; told from the bytes when left out.
        whole: Convert everything, without choosing the main content.

    Raises:
        BodyTooLarge: It is larger than `fetch.max_body_bytes`.
        WebError: Any code of the content room.
    """
    most = config.fetch.max_body_bytes
    if len(body) > most:
        message = f"there are more than {most} bytes"
        raise BodyTooLarge(message, hint="Raise fetch.max_body_bytes.", details={"max_bytes": most})
    return convert(
        body,
        url=url,
        content_type=content_type,
        whole=whole,
        images=config.content.images,  # type: ignore[arg-type]  # validated by Config
        pretty_json=config.content.pretty_json,
    )
