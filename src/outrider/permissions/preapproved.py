"""Documentation hosts that may be read without asking: GET only, and never for downloads. Pure."""

from __future__ import annotations

from functools import cache

from outrider.permissions.rules import Pattern, Subject, parse_pattern

# Chosen because people who write programs read them daily and they publish their owners' text. Where a host is mostly
# its users' content a path narrows it to its owner's part; huggingface.co and kaggle.com are whole.
HOSTS: tuple[str, ...] = (
    # Models, agents and their protocols.
    "platform.claude.com", "code.claude.com", "docs.claude.com", "docs.anthropic.com", "modelcontextprotocol.io",
    "agentclientprotocol.com", "platform.openai.com", "developers.openai.com",
    "openai.github.io/openai-agents-python", "ai.google.dev", "docs.mistral.ai", "docs.cohere.com",
    "docs.langchain.com", "python.langchain.com", "ai.pydantic.dev", "docs.llamaindex.ai", "docs.vllm.ai",
    "huggingface.co", "kaggle.com", "www.kaggle.com", "pytorch.org", "docs.pytorch.org", "www.tensorflow.org",
    "keras.io", "docs.jax.dev", "scikit-learn.org", "xgboost.readthedocs.io", "www.nltk.org", "spacy.io",
    # Python.
    "docs.python.org", "peps.python.org", "packaging.python.org", "typing.python.org", "devguide.python.org",
    "pip.pypa.io", "setuptools.pypa.io", "hatch.pypa.io", "docs.astral.sh", "python-poetry.org", "numpy.org",
    "pandas.pydata.org", "docs.scipy.org", "matplotlib.org", "docs.pola.rs", "docs.djangoproject.com",
    "flask.palletsprojects.com", "jinja.palletsprojects.com", "click.palletsprojects.com", "fastapi.tiangolo.com",
    "docs.pydantic.dev", "docs.sqlalchemy.org", "alembic.sqlalchemy.org", "docs.pytest.org",
    "hypothesis.readthedocs.io", "requests.readthedocs.io", "www.python-httpx.org", "docs.aiohttp.org",
    "docs.celeryq.dev", "mypy.readthedocs.io", "www.sphinx-doc.org", "www.mkdocs.org", "jupyter.org",
    "docs.jupyter.org", "docs.scrapy.org",
    # The web platform and JavaScript.
    "developer.mozilla.org", "web.dev", "html.spec.whatwg.org", "url.spec.whatwg.org", "fetch.spec.whatwg.org",
    "tc39.es", "caniuse.com", "nodejs.org", "docs.deno.com", "bun.sh", "bun.com", "docs.npmjs.com", "pnpm.io",
    "www.typescriptlang.org", "react.dev", "reactnative.dev", "reactrouter.com", "nextjs.org", "vuejs.org",
    "nuxt.com", "angular.dev", "svelte.dev", "www.solidjs.com", "docs.solidjs.com", "astro.build",
    "docs.astro.build", "remix.run", "tailwindcss.com", "getbootstrap.com", "vite.dev", "vitejs.dev", "vitest.dev",
    "webpack.js.org", "esbuild.github.io", "babeljs.io", "eslint.org", "prettier.io", "jestjs.io", "playwright.dev",
    "expressjs.com", "nestjs.com", "docs.nestjs.com", "hono.dev", "redux.js.org", "threejs.org", "d3js.org",
    "www.prisma.io", "orm.drizzle.team", "storybook.js.org",
    # Systems and other languages.
    "en.cppreference.com", "isocpp.org", "gcc.gnu.org", "clang.llvm.org", "llvm.org", "cmake.org", "docs.conan.io",
    "doc.rust-lang.org", "www.rust-lang.org", "docs.rs", "rust-lang.github.io", "tokio.rs", "go.dev", "pkg.go.dev",
    "ziglang.org", "docs.oracle.com", "docs.spring.io", "spring.io", "kotlinlang.org", "docs.gradle.org",
    "maven.apache.org", "docs.scala-lang.org", "clojure.org", "learn.microsoft.com", "dotnet.microsoft.com",
    "nuget.org", "www.nuget.org", "docs.swift.org", "developer.apple.com", "developer.android.com", "dart.dev",
    "docs.flutter.dev", "www.php.net", "laravel.com", "symfony.com", "getcomposer.org", "docs.ruby-lang.org",
    "guides.rubyonrails.org", "rubyonrails.org", "hexdocs.pm", "elixir-lang.org", "www.erlang.org",
    "www.haskell.org", "hackage.haskell.org", "ocaml.org", "docs.julialang.org", "www.r-project.org", "www.lua.org",
    "perldoc.perl.org", "www.gnu.org", "man7.org", "docs.kernel.org", "wiki.archlinux.org",
    # Data and services.
    "www.postgresql.org", "dev.mysql.com", "mariadb.com", "www.sqlite.org", "sqlite.org", "redis.io", "valkey.io",
    "www.mongodb.com", "www.elastic.co", "clickhouse.com", "duckdb.org", "kafka.apache.org", "spark.apache.org",
    "airflow.apache.org", "hadoop.apache.org", "graphql.org", "grpc.io", "protobuf.dev", "spec.openapis.org",
    "json-schema.org", "opentelemetry.io", "prometheus.io", "grafana.com", "docs.sentry.io", "docs.stripe.com",
    "supabase.com", "firebase.google.com",
    # Clouds and tools.
    "docs.aws.amazon.com", "cloud.google.com", "docs.cloud.google.com", "azure.microsoft.com",
    "developers.cloudflare.com", "kubernetes.io", "helm.sh", "docs.docker.com", "podman.io",
    "developer.hashicorp.com", "www.pulumi.com", "docs.ansible.com", "nginx.org", "httpd.apache.org",
    "caddyserver.com", "docs.github.com", "cli.github.com", "docs.gitlab.com", "git-scm.com", "vercel.com/docs",
    "docs.netlify.com", "devcenter.heroku.com", "fly.io", "www.jenkins.io", "code.visualstudio.com", "neovim.io",
    "www.vim.org", "www.jetbrains.com", "mermaid.js.org", "www.markdownguide.org", "spec.commonmark.org",
    # Standards.
    "www.rfc-editor.org", "datatracker.ietf.org", "www.w3.org", "unicode.org", "www.unicode.org", "semver.org",
    "keepachangelog.com", "conventionalcommits.org", "www.conventionalcommits.org", "owasp.org",
    "cheatsheetseries.owasp.org",
    # Repositories of those whose documentation is above.
    "github.com/anthropics", "github.com/modelcontextprotocol", "github.com/python", "github.com/rust-lang",
    "github.com/golang", "github.com/nodejs", "github.com/microsoft/TypeScript", "github.com/facebook/react",
    "github.com/kubernetes/kubernetes",
)  # fmt: skip


def preapproved(subject: Subject) -> str:
    """
    The entry that lets the subject pass, or "" when none does.

    The host is matched exactly, without subdomains; a path ends at a segment boundary.
    """
    if subject.action != "network" or subject.method != "GET" or subject.url is None:
        return ""
    entries = _by_host().get(subject.url.host, ())
    return next((entry.text for entry in entries if entry.covers(subject)), "")


@cache
def _by_host() -> dict[str, tuple[Pattern, ...]]:
    patterns = [parse_pattern(entry) for entry in HOSTS]
    return {
        host: tuple(pattern for pattern in patterns if pattern.host == host)
        for host in {pattern.host for pattern in patterns}
    }
