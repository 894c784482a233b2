"""Tool parameters: one description serves the JSON Schema and the validation of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from outrider.errors import InvalidArgument

Kind = Literal["string", "integer", "boolean", "strings", "objects"]

_JSON_TYPES = {"string": "string", "integer": "integer", "boolean": "boolean", "strings": "array", "objects": "array"}

_LONGEST_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a tool."""

    name: str
    kind: Kind
    about: str
    required: bool = False
    default: Any = None
    low: int | None = None
    """Least value of an integer, or least length of a list."""
    high: int | None = None
    max_length: int | None = None
    fields: tuple[Parameter, ...] = ()
    """Of each object, when `kind` is `objects`."""
    also: tuple[str, ...] = ()
    """Other names that are accepted, though not shown."""

    def schema(self) -> dict[str, Any]:
        """Its JSON Schema."""
        schema: dict[str, Any] = {"type": _JSON_TYPES[self.kind], "description": self.about}
        if self.default is not None:
            schema["default"] = self.default
        if self.kind == "strings":
            schema["items"] = {"type": "string"}
        if self.kind == "objects":
            schema["items"] = object_schema(self.fields)
        names = ("minItems", "maxItems") if self.kind in ("strings", "objects") else ("minimum", "maximum")
        limits = {names[0]: self.low, names[1]: self.high, "maxLength": self.max_length}
        return schema | {key: value for key, value in limits.items() if value is not None}


def object_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON Schema of an object with these parameters and no others."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def tool_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON Schema 2020-12 of a tool's arguments."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **object_schema(parameters)}


def read_arguments(parameters: Sequence[Parameter], arguments: Mapping[str, Any], *, where: str = "") -> dict[str, Any]:
    """
    Validate a call's arguments.

    Returns:
        Every given argument by its parameter's own name; what is missing or null is left out.

    Raises:
        InvalidArgument: An argument is unknown, missing or wrong; the message names it and the rule.
    """
    if not isinstance(arguments, Mapping):
        raise _wrong(where or "arguments", "must be an object")
    by_name = {name: parameter for parameter in parameters for name in (parameter.name, *parameter.also)}
    read: dict[str, Any] = {}
    for name, value in arguments.items():
        parameter = by_name.get(name)
        if parameter is None:
            known = ", ".join(parameter.name for parameter in parameters)
            raise _wrong(where + str(name), f"is not a parameter; there are {known}")
        if value is None:
            continue
        if parameter.name in read:
            raise _wrong(where + str(name), f"is another name for {parameter.name}, which is given too")
        read[parameter.name] = _read(parameter, value, where + name)
    for parameter in parameters:
        if parameter.required and parameter.name not in read:
            raise _wrong(where + parameter.name, "is required")
    return read


def clamped(value: int | None, *, default: int, high: int) -> int:
    """A number held to its range, for dialects that do not refuse one outside: 0 or less means the default."""
    return default if value is None or value <= 0 else min(value, high)


def _read(parameter: Parameter, value: Any, field: str) -> Any:
    match parameter.kind:
        case "string":
            return _string(parameter, value, field)
        case "integer":
            return _integer(parameter, value, field)
        case "boolean":
            if not isinstance(value, bool):
                raise _wrong(field, "must be true or false")
            return value
        case "strings":
            items = _list(parameter, value, field)
            if not all(isinstance(item, str) for item in items):
                raise _wrong(field, "must hold texts only")
            return tuple(items)
        case "objects":
            items = _list(parameter, value, field)
            return tuple(
                read_arguments(parameter.fields, item, where=f"{field}[{index}].") for index, item in enumerate(items)
            )


def _string(parameter: Parameter, value: Any, field: str) -> str:
    if not isinstance(value, str):
        raise _wrong(field, "must be a text")
    if parameter.max_length is not None and len(value) > parameter.max_length:
        raise _wrong(field, f"must be at most {parameter.max_length:,} characters")
    return value


def _integer(parameter: Parameter, value: Any, field: str) -> int:
    # JSON knows one kind of number: 5.0 is 5.
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong(field, "must be a whole number")
    low, high = parameter.low, parameter.high
    if (low is not None and value < low) or (high is not None and value > high):
        rule = f"from {low} to {high}" if high is not None else f"{low} or more"
        raise _wrong(field, f"must be {rule}")
    return value


def _list(parameter: Parameter, value: Any, field: str) -> Sequence[Any]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong(field, "must be a list")
    low, high = parameter.low, parameter.high
    if (low is not None and len(value) < low) or (high is not None and len(value) > high):
        raise _wrong(field, f"must hold {low or 0} to {high} entries")
    return value


def _wrong(field: str, rule: str) -> InvalidArgument:
    # The name may be the caller's own, and as long as the call.
    named = field if len(field) <= _LONGEST_NAME else f"{field[:_LONGEST_NAME]}…"
    return InvalidArgument(f"{named} {rule}", details={"field": named})
