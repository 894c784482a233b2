"""The names of programming languages, as class names, labels and files write them."""

from __future__ import annotations

import re

from outrider.content.words import words

KNOWN = words(
    """
    abap actionscript ada agda apache apacheconf apex applescript arduino asciidoc asm asp aspnet ass autohotkey autoit
    awk azurecli bash basic bat batch batchfile bibtex bicep c c# c++ caddyfile cfg cfml clj clojure cmake cmd cobol
    coffee coffeescript coldfusion conf console cpp crystal cs csharp cshtml css csv cuda cypher cython d dart delphi
    diff django docker docker-compose dockerfile dot dotenv editorconfig ejs elisp elixir elm emacs-lisp env erb erl
    erlang ex exs f# fish forth fortran fs fsharp gd gdscript gherkin git gitignore glsl gml gn go golang gql gradle
    graphql groff groovy haml handlebars haskell haxe hbs hcl heex hlsl hs html http hx ini io ipython ipython2 ipython3
    j2 java javascript jinja jinja2 jl js jscript json json5 jsonc jsonl jsonnet jsp jsx julia jupyter justfile kotlin
    kql kt kts kusto latex lean lean4 less lhs lisp llvm lua m4 make makefile markdown markup mathematica matlab md mdx
    mermaid mips ml mongodb mssql mustache mysql nasm nginx nim nix nu nushell objc objective-c objectivec objectpascal
    ocaml octave odin opencl openscad pascal patch pem perl pgsql php pine pl plantuml plsql po postcss postgres
    postgresql powershell prisma processing prolog promql properties proto protobuf ps ps1 pug puppet purescript py
    py3 pycon python python2 python3 pytb q qml r racket raku rb re reason regex rego rescript restructuredtext rest rs
    rst ruby rust sas sass scala scheme scss sed sh shell shell-session shellscript shellsession smalltalk smarty sml
    sol solidity sparql sql sqlite ssh-config stan stata styl stylus svelte svg swift systemd systemverilog tcl
    tcsh template tex terraform tf toml ts tsql tsx turtle twig typescript typst v vala vb vb.net vba vbnet vbscript
    verilog vhdl vim viml vue wasm wast wat wgsl wolfram x86asm xhtml xml xpath xq xquery xsl xslt yaml yang yml zig zsh
    """
)
NOT_A_LANGUAGE = frozenset({
    "", "*", "none", "text", "plain", "plaintext", "txt", "default", "highlight", "code", "nohighlight", "no-highlight",
    "notranslate", "auto", "autodetect", "unknown", "undefined", "null", "block", "wrapper", "container", "inline",
    "box", "snippet", "sample", "toolbar", "line", "lines", "numbers", "example", "group", "area", "content", "body",
    "header", "tabs", "tab", "title", "raw", "wrap", "output", "fence", "copy", "pre", "enlighter", "pygments",
    "prettyprint", "highlighter-rouge", "label", "name", "id", "switcher", "selector", "toggle", "menu", "badge",
})  # fmt: skip
# What a class of this name says of the page, and seldom of the language: only names of its own mean it.
_ALSO_WORDS = frozenset({"basic", "template", "io", "v", "q", "re", "env", "git", "dot", "reason", "processing"})
_SHAPE = re.compile(r"[a-z0-9]*[a-z][\w+#.\-]*")
_LONGEST = 20
_MOST_SPOKEN = frozenset({"en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja", "ko", "ar", "hi", "nl", "pl", "tr"})
# A human language, such as `de` or `pt-br`.
_HUMAN = re.compile(r"[a-z]{2}(?:[-_][a-z]{2,4})?")

_LABELS = {
    "asp.net": "aspnet", "azure cli": "azurecli", "bash/shell": "bash", "c/c++": "cpp", "c# (.net)": "csharp",
    "c#": "csharp", "curl": "shell", "cli": "shell", "command line": "shell", "docker compose": "yaml", "f#": "fsharp",
    "java script": "javascript", "javascript (es6)": "javascript", "node": "javascript", "node.js": "javascript",
    "nodejs": "javascript", "objective-c": "objectivec", "objective c": "objectivec", "pl/sql": "plsql",
    "python 3": "python", "python 2": "python", "t-sql": "tsql", "terminal": "shell", "type script": "typescript",
    "visual basic": "vb", "vb.net": "vbnet", "windows powershell": "powershell", "yml": "yaml",
}  # fmt: skip
_FILES = {
    "bash": "bash", "bat": "batch", "c": "c", "cc": "cpp", "cfg": "ini", "clj": "clojure", "cmake": "cmake",
    "cpp": "cpp", "cs": "csharp", "css": "css", "cxx": "cpp", "dart": "dart", "diff": "diff", "erb": "erb",
    "erl": "erlang", "ex": "elixir", "exs": "elixir", "fs": "fsharp", "go": "go", "gradle": "gradle",
    "graphql": "graphql", "groovy": "groovy", "h": "c", "hcl": "hcl", "hpp": "cpp", "hs": "haskell", "htm": "html",
    "html": "html", "ini": "ini", "java": "java", "jl": "julia", "js": "javascript", "json": "json", "jsx": "jsx",
    "kt": "kotlin", "kts": "kotlin", "less": "less", "lua": "lua", "md": "markdown", "mdx": "mdx", "mjs": "javascript",
    "cjs": "javascript", "ml": "ocaml", "mts": "typescript", "nix": "nix", "php": "php", "pl": "perl",
    "properties": "properties", "proto": "protobuf", "ps1": "powershell", "py": "python", "r": "r", "rb": "ruby",
    "rs": "rust", "sass": "sass", "scala": "scala", "scss": "scss", "sh": "bash", "sol": "solidity", "sql": "sql",
    "svelte": "svelte", "swift": "swift", "tf": "hcl", "toml": "toml", "ts": "typescript", "tsx": "tsx", "vb": "vb",
    "vue": "vue", "xml": "xml", "yaml": "yaml", "yml": "yaml", "zig": "zig", "zsh": "zsh",
}  # fmt: skip
_WHOLE_FILES = {"dockerfile": "dockerfile", "makefile": "makefile", "cmakelists.txt": "cmake", "gemfile": "ruby",
    "rakefile": "ruby", "vagrantfile": "ruby", "jenkinsfile": "groovy"}  # fmt: skip
_FILE = re.compile(r"[\w./\\@\[\]()$~-]*?\.([a-z0-9]{1,10})")
_MIME = re.compile(r"(?:text|application)/(?:x-)?([\w+#.\-]+)")


def normal(name: str) -> str:
    """A name as it is written after a fence, "" for what is none."""
    name = name.strip().lower().rstrip(",;")
    if found := _MIME.fullmatch(name):
        name = found[1]
    if len(name) > _LONGEST or name in NOT_A_LANGUAGE or not _SHAPE.fullmatch(name):
        return ""
    return name


def is_known(name: str) -> bool:
    """Whether a normal name is one of a programming language for certain."""
    return name in KNOWN


def is_known_in_class(name: str) -> bool:
    """Whether a normal name means a programming language where it is only one word of a class."""
    return name in KNOWN and name not in _ALSO_WORDS


def is_unknown(word: str) -> bool:
    """Whether a word behind a fence is neither a language's name nor a word for none, as it stands there."""
    return word.lower() not in KNOWN and word.lower() not in NOT_A_LANGUAGE and word not in _MOST_SPOKEN


def may_be(name: str) -> bool:
    """Whether a normal name may be one of a programming language: it is known, or is no human language's."""
    return name in KNOWN or (bool(name) and not _HUMAN.fullmatch(name))


def of_label(text: str) -> str:
    """The language that a caption names, by its own name or by the name of a file, or ""."""
    label = " ".join(text.lower().split()).strip(" :")
    if not label or len(label) > 60:
        return ""
    if label in _LABELS:
        return _LABELS[label]
    return label if label in KNOWN and label not in _ALSO_WORDS else of_file(label)


def of_file(name: str) -> str:
    """The language of a file by its name, or ""."""
    name = name.strip().lower()
    last = name.replace("\\", "/").rpartition("/")[2]
    if last in _WHOLE_FILES:
        return _WHOLE_FILES[last]
    found = _FILE.fullmatch(name)
    return _FILES.get(found[1], "") if found else ""
