"""`python -m dfad_magics.demo`: execute the quickstart, print its tables, leave the notebook and its figures in a folder."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from dfad_magics.harness import Execution, execute

QUICKSTART = Path("notebooks/01_quickstart.ipynb")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demonstration; returns 0 when nothing went wrong."""
    parser = argparse.ArgumentParser(prog="python -m dfad_magics.demo", description=__doc__)
    parser.add_argument("notebook", nargs="?", type=Path, default=QUICKSTART, help=f"what to execute (default: {QUICKSTART})")
    parser.add_argument("--out", type=Path, default=Path("build"), help="where the executed notebook and its figures go (default: build)")
    options = parser.parse_args(arguments)
    print(f"executing {options.notebook} ...", flush=True)
    execution = execute(options.notebook)
    figures = save(execution, options.out, options.notebook)
    for text in execution.texts(tag="table"):
        print(f"\n{text}")
    print(f"\n{options.out / options.notebook.name} and {len(figures)} figures")
    for problem in execution.problems:
        print(problem, file=sys.stderr)
    return 1 if execution.problems else 0


def save(execution: Execution, folder: Path, notebook: Path) -> list[Path]:
    """Write the executed notebook and each of its figures below `folder`; returns the figures' paths."""
    execution.save(folder / notebook.name)
    paths = []
    for count, (cell, picture) in enumerate(execution.figures(), 1):
        path = folder / f"{notebook.stem}_{count:02d}_cell{cell}.png"
        path.write_bytes(picture)
        paths.append(path)
    return paths


if __name__ == "__main__":
    sys.exit(main())
