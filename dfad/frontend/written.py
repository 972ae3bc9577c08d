"""What the user wrote, as an error names it: the array of a subscript, the operation of two shapes, the parameter that a value came by.

The names are those of the source, not of the Program; braces are doubled where the text becomes part of a Check's message.
"""

from __future__ import annotations

import ast

from dfad.frontend.scope import Context
from dfad.frontend.values import Known, Value, kind_of

LONGEST = 40
"""Characters of the source that a message repeats."""


INSTEAD = {
    "print": "print what the kernel returns",
    "list": "use an array made by np.zeros or np.empty",
    "append": "make an array of the final length first",
    "sorted": "write np.sort(...)",
    "numpy": "call it before the kernel and pass its result, or write it as a loop",
    "scipy": "call it before the kernel and pass its result, or write it as a loop",
    "random": "draw the numbers before the kernel and pass them as an array",
}
"""What to write in place of a function or module, by a part of its dotted name."""


def array_of(context: Context) -> str | None:
    """The array of the subscript at the present place; None where there is no single one."""
    match context.place:
        case (
            ast.Subscript(value=owner) | ast.Assign(targets=[ast.Subscript(value=owner)]) | ast.AugAssign(target=ast.Subscript(value=owner))
        ):
            return _short(owner)
        case _:
            return None


def axis_of(context: Context, axis: int) -> str:
    """An axis of the array of the present subscript, for a Check that tells its extent as {1}."""
    array = array_of(context)
    return "an axis of extent {1}" if array is None else f"axis {axis} of {_escaped(array)}, which has extent {{1}}"


def place_before(context: Context, name: str) -> str:
    """`` in line 3``: where a variable, or what the function returns, got a value before the present place; nothing where that is the
    same line or no statement."""
    source, here = context.frame.source, context.frame.source.locate(context.place).line
    if context.frame.called is not None:
        return ""
    bound = [node for node in ast.walk(source.tree) if _binds(node, name)]
    if not bound:
        bound = [node for node in ast.walk(source.tree) if isinstance(node, ast.Return)]
    lines = [line for node in bound if (line := source.locate(node).line) < here]
    return f" in line {max(lines)}" if lines else ""


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=found, ctx=ast.Store()) | ast.arg(arg=found):
            return found == name
        case _:
            return False


def operation_of(context: Context) -> str:
    """`` in x + y``: the operation at the present place, for a Check; nothing where it is no operation."""
    match context.place:
        case ast.expr() | ast.Assign() | ast.AugAssign():
            return f" in {_escaped(_short(context.place))}"
        case _:
            return ""


def dimensions_of(node: ast.AST, count: int) -> str | None:
    """``A has 1 dimension`` where a node is ``A.shape``, of that length."""
    match node:
        case ast.Attribute(value=owner, attr="shape"):
            return f"{_short(owner)} has {counted(count)}"
        case _:
            return None


def counted(count: int) -> str:
    """``1 dimension``, ``2 dimensions``."""
    return f"{count} dimension{'' if count == 1 else 's'}"


def callee_of(context: Context) -> str | None:
    """The function of the call at the present place, as it is written."""
    match context.place:
        case ast.Call(func=ast.Name() | ast.Attribute() as function):
            return _short(function)
        case _:
            return None


def instead_of(dotted: str) -> str | None:
    """What to write in place of a function that is not part of the language: by its name, else by its module."""
    return next((INSTEAD[part] for part in reversed(dotted.split(".")) if part in INSTEAD), None)


def origin_of(context: Context, value: Value) -> str:
    """The value, with the parameter or variable that holds it where it is a constant: ``parameter steps is the text '2'``."""
    frame = context.frame
    names = (name for name, held in frame.variables.items() if held is value and isinstance(value, Known))
    name = next(names, None)
    if name is None:
        return f"{kind_of(value)} is"
    arguments = frame.source.tree.args
    is_parameter = any(one.arg == name for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    return f"{'parameter ' if is_parameter else ''}{name} is {kind_of(value)}, which is"


def _short(node: ast.AST) -> str:
    text = node.id if isinstance(node, ast.Name) else ast.unparse(node)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")
