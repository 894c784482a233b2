"""The session's stored pages as resources."""

from __future__ import annotations

import re
from typing import Any

from outrider.call import Call
from outrider.errors import InvalidArgument, PageNotFound, UnknownPageId, WebError
from outrider.interfaces.mcp.protocol import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from outrider.web.web import Web

PAGE_SIZE = 50
"""Resources in one answer."""
_BY_ID = re.compile(r"outrider://page/(w[1-9][0-9]{0,8})", re.ASCII)
_TEMPLATES = (
    {
        "name": "page",
        "title": "Stored page",
        "uriTemplate": "web://{host}/{key}",
        "description": "The full text of a page that this session read, by the path that web_fetch gave. "
        "Untrusted data.",
        "mimeType": "text/markdown",
    },
    {
        "name": "page-by-id",
        "title": "Page by its id",
        "uriTemplate": "outrider://page/{page_id}",
        "description": "The same by page id, such as outrider://page/w3. Untrusted data.",
        "mimeType": "text/markdown",
    },
)


def templates() -> dict[str, Any]:
    """How a page is named. Shape: the protocol's `ListResourceTemplatesResult`."""
    return {"resourceTemplates": list(_TEMPLATES)}


async def list_pages(web: Web, call: Call, cursor: object) -> dict[str, Any]:
    """
    The session's pages, newest first. Shape: the protocol's `ListResourcesResult`.

    Raises:
        ProtocolError: The cursor is none of ours, or the pages cannot be read.
    """
    before = _before(cursor)
    try:
        pages = await web.pages.listed(scope=call.scope, limit=PAGE_SIZE, before=before)
    except WebError as error:
        raise as_protocol_error(error) from error
    listed = [
        {
            "uri": page.path,
            "name": page.path.rpartition("/")[2],
            "title": page.title or page.url,
            "description": f"{page.final_url} ({page.chars:,} characters)",
            "mimeType": "text/markdown",
            "size": page.bytes,
        }
        for page in pages
    ]
    more = {"nextCursor": str(pages[-1].cursor)} if len(pages) == PAGE_SIZE else {}
    return {"resources": listed, **more}


async def read(web: Web, call: Call, uri: str) -> dict[str, Any]:
    """
    One page's full text. Shape: the protocol's `ReadResourceResult`.

    Raises:
        ProtocolError: This session may read no such page.
    """
    by_id = _BY_ID.fullmatch(uri)
    try:
        # Through the one gate, like every reading.
        found = await web.read(by_id[1] if by_id else uri, limit=1, call=call)
        text = found.text if found.path is None else (await web.pages.show(found.path, scope=call.scope)).content
    except WebError as error:
        raise as_protocol_error(error) from error
    return {"contents": [{"uri": uri, "mimeType": "text/markdown", "text": text}]}


def as_protocol_error(error: WebError) -> ProtocolError:
    """A failure where the protocol has no place for a result with a flag."""
    wrong = isinstance(error, PageNotFound | UnknownPageId | InvalidArgument)
    return ProtocolError(INVALID_PARAMS if wrong else INTERNAL_ERROR, error.message, data=error.as_dict())


def _before(cursor: object) -> int | None:
    if cursor is None:
        return None
    if not isinstance(cursor, str) or not re.fullmatch(r"[0-9]{1,18}", cursor, re.ASCII):
        raise ProtocolError(INVALID_PARAMS, "the cursor is none that this server gave")
    return int(cursor)
