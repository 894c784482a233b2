"""JSON and XML come back as they are."""

from __future__ import annotations

import json

from outrider.content.converter import convert


def test_json_is_not_touched() -> None:
    body = json.dumps({"a": "<b> & *c*  d\u00a0", "list": ["x"] * 5000})

    document = convert(body.encode(), url="", content_type="application/json")

    assert (body, body, "json") == (document.markdown, document.text, document.kind)


def test_json_is_indented_when_asked_for() -> None:
    document = convert(b'{"a":[1,"\\u00e9"]}', url="", content_type="application/json", pretty_json=True)

    assert '{\n  "a": [\n    1,\n    "é"\n  ]\n}' == document.markdown


def test_what_is_no_json_is_not_lost() -> None:
    for body in ("{broken", "[" * 200_000):
        assert body == convert(body.encode(), url="", content_type="application/json", pretty_json=True).markdown


def test_entities_in_xml_are_never_expanded() -> None:
    body = '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]><l>&b;&x;</l>'

    assert body == convert(body.encode(), url="", content_type="application/xml").markdown
