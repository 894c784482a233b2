"""Colours as style rules write them."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb

CLEAR = ""
"""A colour that lets everything through."""

# The names of CSS that are nearest to white and to black, and the sixteen of HTML 3.2.
_NAMED = {
    "transparent": CLEAR, "aliceblue": "f0f8ff", "aqua": "00ffff", "azure": "f0ffff", "beige": "f5f5dc",
    "black": "000000", "blue": "0000ff", "cornsilk": "fff8dc", "cyan": "00ffff", "darkblue": "00008b",
    "darkgray": "a9a9a9", "darkgreen": "006400", "darkgrey": "a9a9a9", "darkred": "8b0000", "dimgray": "696969",
    "dimgrey": "696969", "floralwhite": "fffaf0", "fuchsia": "ff00ff", "gainsboro": "dcdcdc", "ghostwhite": "f8f8ff",
    "gold": "ffd700", "gray": "808080", "green": "008000", "grey": "808080", "honeydew": "f0fff0", "ivory": "fffff0",
    "lavender": "e6e6fa", "lavenderblush": "fff0f5", "lightcyan": "e0ffff", "lightgray": "d3d3d3",
    "lightgrey": "d3d3d3", "lightyellow": "ffffe0", "lime": "00ff00", "linen": "faf0e6", "magenta": "ff00ff",
    "maroon": "800000", "midnightblue": "191970", "mintcream": "f5fffa", "navy": "000080", "oldlace": "fdf5e6",
    "olive": "808000", "orange": "ffa500", "pink": "ffc0cb", "purple": "800080", "red": "ff0000",
    "seashell": "fff5ee", "silver": "c0c0c0", "snow": "fffafa", "teal": "008080", "white": "ffffff",
    "whitesmoke": "f5f5f5", "yellow": "ffff00",
    # The page's own, where nothing asks for a dark one.
    "canvas": "ffffff", "canvastext": "000000",
}  # fmt: skip
_HEX = re.compile(r"#([0-9a-f]{3,8})")
_FUNCTION = re.compile(r"(rgb|hsl)a?\(([^()]*)\)")
_OTHER_FUNCTION = re.compile(r"(hwb|lab|lch|oklab|oklch|color|light-dark|color-mix)\(([^()]*)\)")
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|deg)?")
# Below this much nothing is seen of a colour; above that much nothing of what is behind it.
_LEAST_ALPHA = 0.05
_MOST_ALPHA = 0.95
# Of 255, in each of red, green and blue: text in `#f5f5f5` on white cannot be read.
_NEAR = 12


def colour(value: str | None) -> str | None:
    """A colour as six hexadecimal digits; `CLEAR` for a transparent one, None for one that is not told here."""
    value = (value or "").strip()[:60]
    if value in _NAMED:
        return _NAMED[value]
    if found := _HEX.fullmatch(value):
        return _of_digits(found[1])
    if found := _FUNCTION.fullmatch(value):
        return _of_function(found[1], found[2])
    if found := _OTHER_FUNCTION.fullmatch(value):
        return _of_other(found[1], found[2])
    return None


def paper(background: str) -> str | None:
    """The colour in the value of `background` or `background-color`; `CLEAR` for none, None for one not told here."""
    background = background[:200]
    if "url(" in background or "gradient" in background or "image" in background or "var(" in background:
        return None
    found = [colour(part) for part in re.findall(r"[#\w-]+(?:\([^()]*\))?", background)]
    told = [one for one in found if one is not None]
    if len(told) == 1:
        return told[0]
    return CLEAR if background.strip() in ("none", "0", "0 0", "initial", "unset", "revert") else None


def are_near(one: str, other: str) -> bool:
    """Whether text in the one colour cannot be read on the other; neither is clear."""
    pairs = zip(bytes.fromhex(one), bytes.fromhex(other), strict=True)
    return all(abs(left - right) <= _NEAR for left, right in pairs)


def _of_digits(digits: str) -> str | None:
    if len(digits) in (3, 4):
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in (6, 8):
        return None
    return _seen(digits[:6], int(digits[6:], 16) / 255 if len(digits) == 8 else 1.0)


def _of_function(name: str, arguments: str) -> str | None:
    numbers = [_NUMBER.fullmatch(part) for part in arguments.replace(",", " ").replace("/", " ").split()]
    parts = [(float(part[1]), part[2] or "") for part in numbers if part]
    if len(parts) != len(numbers) or len(parts) not in (3, 4):
        return None
    alpha = _share(*parts[3], whole=1) if len(parts) == 4 else 1.0
    if name == "rgb":
        shares = [_share(amount, unit, whole=255) for amount, unit in parts[:3]]
    else:
        hue, saturation, lightness = parts[0][0] % 360 / 360, parts[1][0] / 100, parts[2][0] / 100
        shares = list(hls_to_rgb(hue, min(max(lightness, 0), 1), min(max(saturation, 0), 1)))
    return _seen("".join(f"{round(255 * share):02x}" for share in shares), alpha)


def _of_other(name: str, arguments: str) -> str | None:
    """The newer ways to write a colour, as far as they tell black, white or nothing."""
    if name == "light-dark":
        return colour(arguments.partition(",")[0])
    if name == "color-mix":
        told = {colour(part) for part in arguments.split(",")[-2:]}
        return told.pop() if len(told) == 1 else None
    channels, _, alpha = arguments.removeprefix("srgb ").partition("/")
    numbers = [_NUMBER.fullmatch(part) for part in [*channels.split(), alpha.strip() or "1"]]
    *parts, through = [(float(part[1]), part[2] or "") for part in numbers if part] or [(1.0, "")]
    if len(parts) != 3 or len(numbers) != 4:
        return None
    digits = _extreme(name, parts)
    seen = _seen(digits or "808080", _share(*through, whole=1))
    return seen if digits or seen == CLEAR else None


def _extreme(name: str, parts: list[tuple[float, str]]) -> str:
    """White or black by its channels, "" for anything between."""
    whole = 1 if name in ("color", "oklab", "oklch") else 100
    shares = [_share(amount, unit, whole=whole) for amount, unit in parts]
    # What tells how light it is; at either end the others count for nothing.
    light, dark = {"color": (min(shares), max(shares)), "hwb": (shares[1], 1 - shares[2])}.get(name, (shares[0],) * 2)
    return "ffffff" if light >= _MOST_LIGHT else "000000" if dark == 0 else ""


_MOST_LIGHT = 0.99


def _share(amount: float, unit: str, *, whole: int) -> float:
    return min(max(amount / (100 if unit == "%" else whole), 0.0), 1.0)


def _seen(digits: str, alpha: float) -> str | None:
    if alpha <= _LEAST_ALPHA:
        return CLEAR
    return digits if alpha >= _MOST_ALPHA else None
