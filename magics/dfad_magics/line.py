"""The line of a line magic, `CALL --options`: the call cut off, its kernel and its arguments evaluated as copies."""

import ast
import copy
import inspect
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dfad
from dfad_magics.errors import OptionError


@dataclass(frozen=True)
class Call:
    """A call of a kernel, its arguments evaluated and copied: the caller's arrays do not change.

    Attributes
    ----------
    text : str
        The call as written.
    kernel : Kernel
        What is called.
    args, kwargs
        The arguments; what could be passed by position stands in `args`.
    """

    text: str
    kernel: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, kernel: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None, text: str = "") -> "Call":
        """A call of a kernel with copies of the arguments.

        Raises
        ------
        OptionError
            It is no kernel.
        dfad.KernelTypeError
            The arguments do not fit its parameters.
        """
        if not is_kernel(kernel):
            name = getattr(kernel, "__name__", repr(kernel))
            raise OptionError(f"{name} is not a dfad kernel", hint=f"define it in a %%dfad cell, or wrap it: {name} = dfad.kernel({name})")
        signature = inspect.signature(kernel)
        for keyword in (name for name in kwargs or {} if name not in signature.parameters):
            message = f"{kernel.__name__}{signature}: got an unexpected keyword argument {keyword!r}"
            raise dfad.KernelTypeError(message, hint=f"its parameters are {', '.join(signature.parameters)}")
        try:
            bound = signature.bind(*args, **(kwargs or {}))
        except TypeError as error:
            raise dfad.KernelTypeError(f"{kernel.__name__}{signature}: {error}") from None
        bound.apply_defaults()
        copies = copy.deepcopy((bound.args, bound.kwargs))
        return cls(text or f"{kernel.__name__}({', '.join(bound.arguments)})", kernel, *copies)

    @property
    def title(self) -> str:
        """The call, and the first line of the kernel's docstring where there is one."""
        first = (inspect.getdoc(self.kernel.__wrapped__) or "").partition("\n")[0].rstrip(".")
        return f"{self.text}: {first}" if first else self.text

    def differentiated(self) -> tuple[int, ...]:
        """The positions of the arguments that the gradient is taken by: the kernel's `wrt`, or its default."""
        names = list(inspect.signature(self.kernel).parameters)
        match self.kernel.options.wrt:
            case None:
                return (self._first_float(),)
            case str() | int() as one:
                return _positions((one,), names)
            case several:
                return _positions(several, names)

    def _first_float(self) -> int:
        """The first floating-point array, else the first float."""
        arrays = (place for place, value in enumerate(self.args) if getattr(getattr(value, "dtype", None), "kind", "") == "f")
        floats = (place for place, value in enumerate(self.args) if isinstance(value, float))
        return next(arrays, next(floats, 0))

    def fresh(self) -> tuple[Any, ...]:
        """The arguments, copied once more, for a run that may write to them."""
        return copy.deepcopy(self.args)


def split(line: str) -> tuple[str, list[str]]:
    """Cut a line into its leading call and the words of its options.

    The call is the longest prefix that Python reads as a call, so that `smooth(A, -1) --repeat 3` and `f(")")` come out whole.

    Examples
    --------
    >>> split("smooth(A, -1) --jax 'smooth_jax'")
    ('smooth(A, -1)', ['--jax', 'smooth_jax'])

    Raises
    ------
    OptionError
        The line starts with no call, or a quotation is not closed.
    """
    text = line.strip()
    for end in range(len(text), 0, -1):
        rest = text[end:]
        if text[end - 1] == ")" and (not rest or rest[0] in " \t;#") and _is_call(text[:end]):
            return text[:end], words(rest.lstrip(" \t;"))
    raise OptionError(
        f"no call at the start of {text!r}" if text else "nothing to call",
        hint="write the call first, then the options: smooth(A, 50) --option value",
    )


def words(text: str) -> list[str]:
    """The words of an option text; quotes group words and are taken off."""
    try:
        return shlex.split(text, comments=True)
    except ValueError as error:
        raise OptionError(f"cannot read the options {text!r}: {error}", hint="close every quotation mark") from None


def evaluate(text: str, namespace: Mapping[str, Any]) -> Call:
    """Evaluate the parts of a call in a namespace, without calling it.

    Raises
    ------
    OptionError
        The text is no call, or what it calls is no kernel.
    dfad.KernelTypeError
        The arguments do not fit the kernel's parameters.
    Exception
        Whatever the evaluation of an argument raises.
    """
    __tracebackhide__ = True
    if not _is_call(text):
        raise OptionError(f"{text!r} is not a call", hint="write it as you would run it: smooth(A, 50)")
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    scope = dict(namespace)
    kernel = eval(compile(ast.Expression(node.func), text, "eval"), scope)
    args, kwargs = eval(compile(ast.Expression(_collected(node)), text, "eval"), {**scope, "__collect__": _collect})
    return Call.of(kernel, args, kwargs, text)


def is_kernel(thing: object) -> bool:
    """Whether something is a compiled kernel: it can be differentiated and asked about a specialisation."""
    return callable(thing) and all(hasattr(thing, name) for name in ("grad", "for_args", "source"))


def _positions(chosen: Sequence[str | int], names: Sequence[str]) -> tuple[int, ...]:
    return tuple(range(len(names))[one] if isinstance(one, int) else names.index(one) for one in chosen)


def _is_call(text: str) -> bool:
    try:
        return isinstance(ast.parse(text, mode="eval").body, ast.Call)
    except (SyntaxError, ValueError):
        return False


def _collected(node: ast.Call) -> ast.Call:
    """The same call with `__collect__` in place of the kernel."""
    function = ast.copy_location(ast.Name("__collect__", ast.Load()), node.func)
    return ast.copy_location(ast.Call(function, node.args, node.keywords), node)


def _collect(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs
