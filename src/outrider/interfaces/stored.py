"""How a person names a stored page: by its path, its URL or its page id."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from outrider.errors import PageNotFound, UnknownPageId
from outrider.types import Scope
from outrider.url import Url

if TYPE_CHECKING:
    from outrider.call import Call
    from outrider.web.operations.read import ReadResult
    from outrider.web.web import Web

_SCHEME = "web://"
_PAGE_ID = re.compile(r"w[0-9]+", re.ASCII)


def named(web: Web, text: str) -> str:
    """
    What `Web.read` takes for a page that a person names.

    Raises:
        InvalidUrl: It is neither a path nor a page id nor a URL.
        UnknownPageId: It is a page id, and this session has none such.
    """
    if text.startswith(_SCHEME):
        return text
    session = web.session(Scope())
    if not _PAGE_ID.fullmatch(text):
        return session.page_id(Url.parse(text))
    try:
        session.address(text)
    except UnknownPageId as error:
        hint = "Page ids end with the command that gave them: give the URL, or a path of `outrider pages`."
        raise UnknownPageId(error.message, hint=hint, details={"field": "page"}) from error
    return text


async def path_of(web: Web, text: str, call: Call) -> str:
    """
    The path of a page that a person names.

    Raises:
        PageNotFound: No such page is stored.
        InvalidUrl, UnknownPageId: As `named`.
        StorageError: It cannot be read.
    """
    if text.startswith(_SCHEME):
        return text
    found = await read(web, text, call, limit=1)
    assert found.path is not None, "a command's own process holds no pages in memory only"
    return found.path


async def read(web: Web, text: str, call: Call, **wanted: Any) -> ReadResult:
    """
    `Web.read` of a page that a person names.

    Args:
        wanted: As `Web.read` takes it.

    Raises:
        PageNotFound: No such page is stored.
        WebError: As `Web.read` and `named`.
    """
    try:
        return await web.read(named(web, text), call=call, **wanted)
    except PageNotFound as error:
        if text.startswith(_SCHEME):
            raise PageNotFound(error.message, hint="`outrider pages` lists the stored ones.") from error
        message = f"{text[:200]} is not stored"
        raise PageNotFound(
            message, hint="`outrider fetch` reads and stores it; `outrider pages` lists what is."
        ) from error
