"""
The converter held to floors by an extraction bench that lies outside the project.

    python benchmarks/extract_gate.py LAB BENCHDATA [--install]

LAB holds `bench.py`, BENCHDATA the pages that it judges by. What the bench itself needs is installed into the cache
folder. The floors on pages that the model was trained on only tell that nothing broke; what the model is worth on pages
that it has not seen is told by `extract_eval.py`.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from statistics import fmean

from startup import CACHE

NEEDED = ("cmarkgfm==2025.10.22", "lxml", "resiliparse==2.0.1", "selectolax==1.0.2")
# Each may only rise.
FLOORS = {
    "round trip": 620.0,
    "structure on fragments": 0.96,
    "wcxb": 0.90,
    "scrapinghub": 0.97,
    "trafeval": 0.91,
}


def main() -> int:
    """Run the bench and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lab", type=Path)
    parser.add_argument("benchdata", type=Path)
    parser.add_argument("--install", action="store_true", help="what the bench needs, when it is not there")
    given = parser.parse_args()
    packages = CACHE / "extract-bench"
    if not packages.exists() and given.install:
        install(packages)
    if not packages.exists() or not (given.lab / "bench.py").exists() or not given.benchdata.exists():
        print("NOT MEASURED: the bench, its pages or what it needs is missing; see --install")
        return 1
    bench = Bench(given.lab, given.benchdata, packages)
    found = {**bench.round_trip(), **bench.fragments(), **bench.quality()}
    for name, floor in FLOORS.items():
        value = found.get(name, 0.0)
        print(f"{name:24} {value:8.3f}   floor {floor:8.3f}{'   BELOW' if value < floor else ''}")
    return int(any(found.get(name, 0.0) < floor for name, floor in FLOORS.items()))


def install(packages: Path) -> None:
    """Put what the bench needs into a folder that no environment knows."""
    print(f"installing {', '.join(NEEDED)} into {packages}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        words = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", str(packages))
        subprocess.run([python, *words, *NEEDED], check=True)


class Bench:
    """Runs of the bench over our adapter."""

    def __init__(self, lab: Path, benchdata: Path, packages: Path) -> None:
        self._script = lab.resolve() / "bench.py"
        self._environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), str(packages)]),
            "BENCHDATA": str(benchdata.resolve()),
            "BENCH_CACHE": str(CACHE / "extract-bench-pages"),
        }

    def round_trip(self) -> dict[str, float]:
        """Examples of the specification that come back as they were."""
        said = re.search(r"expressible (\d+)/", self._run("roundtrip", "to_markdown"))
        return {"round trip": float(said[1])} if said else {}

    def fragments(self) -> dict[str, float]:
        """The mean over kinds of structure."""
        said = re.search(r"(\{[^}]*\}) err 0 ", self._run("convert", "to_markdown"))
        return {"structure on fragments": fmean(ast.literal_eval(said[1]).values())} if said else {}

    def quality(self) -> dict[str, float]:
        """What is found of whole pages, set by set."""
        lines = self._run("quality", "extract", "--part", "pub", "--limit", "250")
        return {
            name: float(value) for name, value in re.findall(r"extract (\w+) \d+ (?:shingle |seg )?F1 ([\d.]+)", lines)
        }

    def _run(self, command: str, function: str, *words: str) -> str:
        with tempfile.TemporaryDirectory() as out:
            line = [sys.executable, str(self._script), command, "--peer", f"extract_adapter:{function}", "--out", out]
            done = subprocess.run([*line, *words], env=self._environment, capture_output=True, text=True, check=False)
        if done.returncode:
            print(done.stdout[-500:] + done.stderr[-2_000:])
        return done.stdout


if __name__ == "__main__":
    sys.exit(main())
