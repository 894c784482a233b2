"""Sphinx settings: Markdown pages, and warnings that scripts/check makes errors."""

project = "Outrider"
author = "The Outrider authors"
extensions = ["myst_parser"]
myst_heading_anchors = 3
html_theme = "alabaster"
html_theme_options = {"description": "Guarded web access for AI agents", "fixed_sidebar": True}
