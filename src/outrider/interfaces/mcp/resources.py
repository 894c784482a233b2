"""The session's stored pages as resources."""

from __future__ import annotations

import re

import mcp_types as types
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

from outrider.call import Call
from outrider.errors import InvalidArgument, PageNotFound, UnknownPageId, WebError
from outrider.web.web import Web

PAGE_SIZE = 50
"""Resources in one answer."""
_BY_ID = re.compile(r"outrider://page/(w[1-9][0-9]{0,8})", re.ASCII)
_TEMPLATES = (
    types.ResourceTemplate(
        name="page",
        title="Stored page",
        uri_template="web://{host}/{key}",
        description="The full text of a page that this session read, by the path that web_fetch gave. Untrusted data.",
        mime_type="text/markdown",
    ),
    types.ResourceTemplate(
        name="page-by-id",
        title="Page by its id",
        uri_template="outrider://page/{page_id}",
        description="The same by page id, such as outrider://page/w3. Untrusted data.",
        mime_type="text/markdown",
    ),
)


def templates() -> types.ListResourceTemplatesResult:
    """How a page is named."""
    return types.ListResourceTemplatesResult(resource_templates=list(_TEMPLATES))


async def list_pages(web: Web, call: Call, cursor: str | None) -> types.ListResourcesResult:
    """
    The session's pages, newest first.

    Raises:
        MCPError: The cursor is none of ours, or the pages cannot be read.
    """
    if cursor is not None and not re.fullmatch(r"[0-9]{1,18}", cursor, re.ASCII):
        raise MCPError(code=INVALID_PARAMS, message="the cursor is none that this server gave")
    try:
        pages = await web.pages.listed(
            scope=call.scope, limit=PAGE_SIZE, before=None if cursor is None else int(cursor)
        )
    except WebError as error:
        raise as_protocol_error(error) from error
    resources = [
        types.Resource(
            uri=page.path,
            name=page.path.rpartition("/")[2],
            title=page.title or page.url,
            description=f"{page.final_url} ({page.chars:,} characters)",
            mime_type="text/markdown",
            size=page.bytes,
        )
        for page in pages
    ]
    more = str(pages[-1].cursor) if len(pages) == PAGE_SIZE else None
    return types.ListResourcesResult(resources=resources, next_cursor=more)


async def read(web: Web, call: Call, uri: str) -> types.ReadResourceResult:
    """
    One page's full text.

    Raises:
        MCPError: This session may read no such page.
    """
    by_id = _BY_ID.fullmatch(uri)
    try:
        # Through the one gate, like every reading.
        found = await web.read(by_id[1] if by_id else uri, limit=1, call=call)
        text = found.text if found.path is None else (await web.pages.show(found.path, scope=call.scope)).content
    except WebError as error:
        raise as_protocol_error(error) from error
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="text/markdown", text=text)]
    )


def as_protocol_error(error: WebError) -> MCPError:
    """A failure where the protocol has no place for a result with a flag."""
    wrong = isinstance(error, PageNotFound | UnknownPageId | InvalidArgument)
    return MCPError(code=INVALID_PARAMS if wrong else INTERNAL_ERROR, message=error.message, data=error.as_dict())
