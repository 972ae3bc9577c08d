"""The house keeps its plan: who imports whom, how long files and functions are, and how light `import dfad` is."""

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = {"dfad": ROOT / "dfad", "dfad_magics": ROOT / "magics" / "dfad_magics"}

# Each room and the rooms directly below it; a room may import everything below those too.
BELOW = {
    "errors": set(),
    "source": {"errors"},
    "options": {"errors"},
    "ir": {"errors", "source"},
    "frontend": {"ir"},
    "analysis": {"ir"},
    "adjoint": {"analysis"},
    "plan": {"adjoint"},
    "optimise": {"analysis"},
    "emit": {"ir"},
    "run": {"emit", "options"},
    "pipeline": {"frontend", "plan", "optimise", "run", "options"},
    "api": {"pipeline"},
    "check": {"api"},
    "__init__": {"api", "check"},
}

# Outside the rooms: these see the public names of dfad and themselves, nothing else of it.
GUESTS = {"dfad.suite", "dfad_magics"}

# The edge files, which may import inside functions, and what.
EDGES = {
    "dfad.api": {"dfad.pipeline"},
    "dfad.check": {"dfad.pipeline"},
    "dfad.plan.ilp": {"cvxpy", "scipy"},
    "dfad.suite": {"jax", "numba"},
    "dfad": {"dfad_magics"},
}

MOST_LINES = 400
MOST_FUNCTION_LINES = 50

# What is longer, and why.
LONG_FILES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {"dfad.suite.channel_flow.channel_flow": "a kernel as people write it, each border a statement of its own"}

NAMELESS = {"utils", "util", "helpers", "helper", "common", "manager", "handler", "misc"}
HEAVY = {"sympy", "islpy", "Cython", "cvxpy", "IPython", "matplotlib", "jax", "scipy", "ipywidgets"}


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in SOURCES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join((package, *(part for part in parts if part != "__init__"))), path


MODULES = dict(modules())
TREES = {name: ast.parse(path.read_text(), filename=str(path)) for name, path in MODULES.items()}


def imported(name: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """The modules that an import statement of module `name` names, in full."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
        return
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    anchor = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
    base = ".".join([*anchor, *(node.module or "").split(".")]).strip(".")
    for alias in node.names:
        yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in MODULES else base


def imports(name: str) -> Iterator[tuple[str, int]]:
    for node in ast.walk(TREES[name]):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for target in imported(name, node):
                yield target, node.lineno


def late_imports(name: str) -> Iterator[tuple[str, int]]:
    for function in ast.walk(TREES[name]):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    yield from ((target, node.lineno) for target in imported(name, node))


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def room(name: str) -> str:
    """`dfad.ir.nodes` -> `ir`; `dfad` -> `__init__`."""
    return [*name.split("."), "__init__"][1]


def reachable(start: str) -> set[str]:
    found = {start}
    for below in BELOW[start]:
        found |= reachable(below)
    return found


def guest(name: str) -> str | None:
    return next((package for package in GUESTS if within(name, package)), None)


def public_names() -> set[str]:
    for node in TREES["dfad"].body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def listed(offenders: Iterable[str]) -> str:
    """One offender a line, for the failure's text."""
    return "\n".join(["", *sorted(offenders)])


def test_every_room_is_known():
    rooms = {room(name) for name in MODULES if within(name, "dfad") and not guest(name)}
    assert rooms <= set(BELOW), listed(rooms - set(BELOW))


def test_rooms_import_downward_only():
    upward = [
        f"{name}:{line} imports {target}"
        for name in MODULES
        if within(name, "dfad") and not guest(name)
        for target, line in imports(name)
        if target.split(".")[0] in SOURCES and (name, target) != ("dfad", "dfad_magics")
        if guest(target) or room(target) not in reachable(room(name))
    ]
    assert not upward, listed(upward)


def test_modules_import_in_no_ring():
    late = {name: set(late_imports(name)) for name in MODULES}
    graph = {name: {target for target, line in imports(name) if target in MODULES and (target, line) not in late[name]} for name in MODULES}
    # Within one package, `from package import module` also names the package: rings matter between modules.
    order = TopologicalSorter({name: {target for target in targets if not within(name, target)} for name, targets in graph.items()})
    assert set(order.static_order()) == set(MODULES)


def test_guests_import_public_names_only():
    public = public_names()
    private = []
    for name in (name for name in MODULES if guest(name)):
        for node in ast.walk(TREES[name]):
            match node:
                case ast.Import():
                    private += [f"{name}:{node.lineno} {a.name}" for a in node.names if a.name.startswith("dfad.")]
                case ast.ImportFrom(module="dfad", level=0):
                    private += [f"{name}:{node.lineno} dfad.{a.name}" for a in node.names if a.name not in public]
                case ast.ImportFrom(level=0) if within(str(node.module), "dfad") and not within(str(node.module), guest(name) or ""):
                    private.append(f"{name}:{node.lineno} {node.module}")
                case ast.Attribute(value=ast.Name(id="dfad")) if node.attr not in public:
                    private.append(f"{name}:{node.lineno} dfad.{node.attr}")
    assert not private, listed(private)


def test_imports_stand_at_the_top():
    late = [
        f"{name}:{line} imports {target}"
        for name in MODULES
        for target, line in late_imports(name)
        if not any(
            (name == edge or (edge == "dfad.suite" and within(name, edge))) and any(within(target, module) for module in allowed)
            for edge, allowed in EDGES.items()
        )
    ]
    assert not late, listed(late)


def test_nothing_is_imported_behind_the_back():
    hidden = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"__import__", "import_module", "importlib.import_module"}
        if name not in EDGES
    ]
    assert not hidden, listed(hidden)


def test_files_are_short():
    long = {name for name, path in MODULES.items() if len(path.read_text().splitlines()) >= MOST_LINES}
    assert long == set(LONG_FILES), listed(long ^ set(LONG_FILES))


def body_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines from `def` to the end, less the docstring's."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    docstring = first.end_lineno - first.lineno + 1 if documented else 0
    return function.end_lineno - function.lineno + 1 - docstring


def test_functions_are_short():
    long = {
        f"{name}.{node.name}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and body_length(node) >= MOST_FUNCTION_LINES
    }
    assert long == set(LONG_FUNCTIONS), listed(long ^ set(LONG_FUNCTIONS))


def test_modules_have_telling_names():
    nameless = [name for name in MODULES if NAMELESS & set(name.split("."))]
    assert not nameless, listed(nameless)


def test_nothing_is_caught_blindly():
    """A bare or general `except`, or one of a `CompilerBug`, ends by raising what it caught."""
    general = {"Exception", "BaseException", "CompilerBug"}
    swallowed = [
        f"{name}:{node.lineno}"
        for name, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or general & {ast.unparse(kind) for kind in ast.walk(node.type)})
        if ast.unparse(node.body[-1]) != "raise"
    ]
    assert not swallowed, listed(swallowed)


def test_no_module_rebinds_its_globals():
    rebound = [f"{name}:{node.lineno}" for name, tree in TREES.items() for node in ast.walk(tree) if isinstance(node, ast.Global)]
    assert not rebound, listed(rebound)


def test_import_is_light():
    program = (
        "import sys, time; start = time.process_time(); import dfad; seconds = time.process_time() - start\n"
        f"print(seconds, *sorted({HEAVY!r} & set(sys.modules)))"
    )
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split() for _ in range(3)]
    assert {tuple(loaded) for _, *loaded in runs} == {()}
    assert min(float(seconds) for seconds, *_ in runs) < 1.0


@pytest.mark.parametrize("name", sorted(MODULES))
def test_every_module_says_what_it_is(name):
    assert ast.get_docstring(TREES[name])
