"""The public face: kernels, their gradients, and the function transforms. The compiler's rooms load at the first compilation."""

import contextlib
import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FunctionType
from typing import TYPE_CHECKING, Any, overload

from dfad.errors import DfadError, KernelTypeError
from dfad.frontend.fence import check
from dfad.ir.signature import ArgumentType
from dfad.options import Options, merge
from dfad.run import cache, launch
from dfad.run.call import bind
from dfad.run.caller import Caller, Request, Specialisation
from dfad.run.launch import Compiled
from dfad.run.portable import PackedFunction, pack, unpacked
from dfad.run.pullback import Pullback
from dfad.run.tell import tell
from dfad.run.transform import Transform, differentiated
from dfad.run.versions import versions
from dfad.source import SourceText, read_source

if TYPE_CHECKING:
    from dfad.plan.report import Plan

FORMS = ("python", "ir", "adjoint", "cython", "c")
"""The stages whose text can be asked for."""

CALLERS: "weakref.WeakSet[Caller]" = weakref.WeakSet()
"""What `clear_cache` makes forget."""


class Asked:
    """What can be asked of a kernel or gradient: about its last call, or about given arguments (`for_args`).

    `source(form)` gives the text of a stage, `timings` the seconds of each step, `memory` the bytes of a call, `dataflow()` the graph.
    """

    def __init__(self, find: Callable[[], Specialisation], find_gradient: Callable[[], Specialisation]) -> None:
        self._find = find
        self._find_gradient = find_gradient

    def source(self, form: str = "cython") -> str:
        """The text of one stage.

        Parameters
        ----------
        form : str
            ``"python"``, ``"ir"``, ``"adjoint"``, ``"cython"`` or ``"c"``.

        Raises
        ------
        KernelTypeError
            When there is no such form, or nothing was called yet.
        """
        if form not in FORMS:
            raise KernelTypeError(f"there is no form {form!r}", hint=f"one of {', '.join(FORMS)}")
        found = self._find()
        if form == "python":
            return found.request.source.text
        listings = found.compiled.listings()
        if form not in listings:
            listings = self._find_gradient().compiled.listings()
        return str(listings[form])

    @property
    def transform(self) -> str:
        """What was compiled: ``"primal"``, ``"grad"``, ``"value_and_grad"`` or ``"vjp"``."""
        return self._find().request.transform.kind

    @property
    def timings(self) -> dict[str, Any]:
        """Seconds of each step of the compilation, their total, and where the code came from (`cache`: memory, disk or built)."""
        return dict(self._find().compiled.timings)

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the last call beyond the caller's arrays: the peak of each class, and `peak`, that of their sum; after a `vjp` those of
        its pullback too, as long as somebody has it."""
        return self._find().memory

    def __repr__(self) -> str:
        return tell(self._find())

    def dataflow(self) -> dict[str, Any]:
        """The dataflow graph: nodes and edges as plain data."""
        return dict(self._find().compiled.listings()["dataflow"])


class Kernel(Asked):
    """A Python function that runs compiled, and its gradients. Made by `kernel`.

    `kernel(*args)` runs it; `.grad(*args)` and `.value_and_grad(*args)` differentiate it; `.plan(*args)` says what a gradient keeps,
    `.tradeoff(*args)` at every budget; `.memory`, `.timings` and `.source(form)` tell of the last call, `.for_args(*args)` of given
    arguments.
    """

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any], options: Options) -> None:
        super().__init__(self._last, self._last_gradient)
        functools.update_wrapper(self, function)
        self._source = read_source(function)
        self._options = options
        self.__signature__ = inspect.signature(self._source.function)
        check(self._source)
        self._primal = _caller(self._source, self.__signature__, options, lambda types: Transform("primal"))
        self._used = self._primal
        self._own: dict[str, Gradient] = {}
        self._gradients: dict[object, Gradient] = {}
        self._forwards: dict[object, Caller] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run compiled, as NumPy would run the function: arrays that it updates in place are updated."""
        self._used = self._primal
        return self._primal(args, kwargs)

    def grad(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient, with the kernel's options; see `dfad.grad`."""
        return self._run_gradient("grad", args, kwargs)

    def value_and_grad(self, *args: Any, **kwargs: Any) -> Any:
        """Value and gradient, with the kernel's options; see `dfad.value_and_grad`."""
        return self._run_gradient("value_and_grad", args, kwargs)

    def for_args(self, *args: Any, **kwargs: Any) -> Asked:
        """Compile for these arguments, without calling; the answer can be asked as the kernel can."""
        found = self._primal.specialise_for(args, kwargs)
        return Asked(lambda: found, lambda: self._gradient("grad").caller.specialise_for(args, kwargs))

    def plan(self, *args: Any, **kwargs: Any) -> "Plan":
        """The plan of `grad` with the kernel's options for these arguments; see `Gradient.plan`."""
        return self._gradient("grad").plan(*args, **kwargs)

    def tradeoff(self, *args: Any, **kwargs: Any) -> "tuple[Plan, ...]":
        """The plans of `grad` for these arguments; see `Gradient.tradeoff`."""
        return self._gradient("grad").tradeoff(*args, **kwargs)

    @property
    def options(self) -> Options:
        """The options given to `kernel`."""
        return self._options

    def _gradient(self, kind: str, options: Options | None = None) -> "Gradient":
        key = (kind, options or self._options)
        if key not in self._gradients:
            self._gradients[key] = Gradient(self, kind, key[1])
        return self._gradients[key]

    def _run_gradient(self, kind: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        gradient = self._own.get(kind)
        if gradient is None:
            gradient = self._own[kind] = self._gradient(kind)
        self._used = gradient.caller
        return gradient.caller(args, kwargs)

    def _vjp(self, of: tuple[str, ...], options: Options, args: tuple[Any, ...]) -> tuple[Any, Pullback]:
        key = ("vjp", of, options)
        if key not in self._forwards:
            source = self._source
            self._forwards[key] = _caller(
                source, self.__signature__, options, lambda types: replace(differentiated(source, types, "vjp", options), of=of)
            )
        caller = self._used = self._forwards[key]
        found, values, result = caller.run(bind(self.__name__, self.__signature__, args, {}))
        assert isinstance(result, tuple)
        kept = sum(1 for origin in found.compiled.recipes[1].origins if origin.kind == "kept")
        outputs = result[: len(result) - kept]
        return outputs if len(outputs) > 1 else outputs[0], Pullback(found, values, outputs, result[len(outputs) :])

    def _last(self) -> Specialisation:
        return _last_of(self._used, self.__name__)

    def _last_gradient(self) -> Specialisation:
        last = self._last().request
        return self._gradient("grad").caller.specialise_as(last.types, last.sizes, last.copied)

    def __repr__(self) -> str:
        return f"<dfad kernel {self.__qualname__}{self.__signature__}>"

    def __reduce__(self) -> Any:
        return pack(self, self._source, self._options, _unpacked)

    def __copy__(self) -> "Kernel":
        return Kernel(self._source.function, self._options)

    def __deepcopy__(self, memo: object) -> "Kernel":
        return Kernel(self._source.function, self._options)


class Gradient(Asked):
    """The gradient of a kernel, or its value and gradient: a function of the kernel's arguments. Made by `grad` and `value_and_grad`."""

    __name__: str
    __qualname__: str

    def __init__(self, kernel: Kernel, kind: str, options: Options) -> None:
        super().__init__(self._last, self._last)
        functools.update_wrapper(self, kernel.__wrapped__, updated=())
        self.kernel = kernel
        self.kind = kind
        self.__signature__ = kernel.__signature__
        self._options = options
        source = kernel._source
        self.caller = _caller(source, kernel.__signature__, options, lambda types: differentiated(source, types, kind, options))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The gradient at these arguments, which are not changed."""
        return self.caller(args, kwargs)

    def plan(self, *args: Any, **kwargs: Any) -> "Plan":
        """What a call with these arguments keeps and what it computes twice, and the least budget; nothing is compiled or run.

        Returns
        -------
        Plan
            `entries` (value, bytes, decision, seconds, why, line), `bytes` by class at the peak and `peak`, predicted `seconds`, `least`
            and `practical` budget in bytes, `budget`, `solve_seconds`.

        Raises
        ------
        BudgetTooSmall
            When no plan fits the budget.
        """
        from dfad.pipeline import plan_request

        return plan_request(self.caller.request_for(args, kwargs))

    def tradeoff(self, *args: Any, **kwargs: Any) -> "tuple[Plan, ...]":
        """The plan at every budget at which the optimum changes for these arguments, the widest first."""
        from dfad.pipeline import tradeoff_request

        return tradeoff_request(self.caller.request_for(args, kwargs))

    def for_args(self, *args: Any, **kwargs: Any) -> Asked:
        """Compile for these arguments, without calling; the answer can be asked as the gradient can."""
        found = self.caller.specialise_for(args, kwargs)
        return Asked(lambda: found, lambda: found)

    def _last(self) -> Specialisation:
        return _last_of(self.caller, f"{self.kind} of {self.__name__}")

    def __repr__(self) -> str:
        return f"<dfad {self.kind} of {self.__qualname__}{self.__signature__}>"

    def __reduce__(self) -> Any:
        return (_gradient_of, (self.kernel, self.kind, self._options))


@overload
def kernel(function: Callable[..., Any], **options: Any) -> Kernel: ...
@overload
def kernel(function: None = None, **options: Any) -> Callable[[Callable[..., Any]], Kernel]: ...
def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a Python function; also a decorator, with or without options.

    Parameters
    ----------
    function : callable
        A plain Python function of arrays and numbers, or a kernel whose options are to change.
    **options
        `wrt memory tape_dtype snapshots threads fastmath cache`, as `dfad.options.Options` describes them.

    Raises
    ------
    UnsupportedSyntax
        When the function uses Python that dfad does not take; shows each place.
    KernelTypeError
        When it is no such function, or an option has no meaning.
    """
    if function is None:
        return functools.partial(kernel, **options)
    if isinstance(function, Kernel):
        return Kernel(function._source.function, merge(function.options, **options))
    return Kernel(function, merge(Options(), **options))


def grad(function: Callable[..., Any], **options: Any) -> Gradient:
    """The gradient of a function with a scalar result.

    Parameters
    ----------
    function : callable
        A kernel, or a function to make one of.
    **options
        As for `kernel`; they add to the kernel's own.

    Returns
    -------
    Gradient
        Called with the function's arguments it returns the derivative of the result by `wrt`: an array of the argument's shape and
        dtype, a NumPy scalar for a float; a tuple of them when `wrt` is a sequence. The arguments are not changed.
    """
    return _gradient_of(function, "grad", None, **options)


def value_and_grad(function: Callable[..., Any], **options: Any) -> Gradient:
    """The value and the gradient of a function with a scalar result: as `grad`, but a call returns `(value, gradient)`."""
    return _gradient_of(function, "value_and_grad", None, **options)


def vjp(function: Callable[..., Any], *args: Any, of: str | Sequence[str] | None = None, **options: Any) -> tuple[Any, Pullback]:
    """Outputs of a function and the map from their cotangents to gradients.

    Parameters
    ----------
    function : callable
        A kernel, or a function to make one of.
    *args
        Its arguments; they are not changed.
    of : str or sequence of str, optional
        What is differentiated: arguments that the function updates in place, by name. Default: its result, where it has one, else every
        argument that it updates in place.
    **options
        As for `kernel`; they add to the kernel's own. `memory` holds for this call, for what it keeps, and for each call of the pullback.

    Returns
    -------
    out : ndarray, float or tuple
        What is differentiated, as it is at the end: copies.
    pullback : Pullback
        `pullback(cotangent)` gives the gradients by `wrt`, any number of times, whatever happens to the arguments and to `out`.
    """
    made = function if isinstance(function, Kernel) else kernel(function)
    names = () if of is None else (of,) if isinstance(of, str) else tuple(of)
    return made._vjp(names, merge(made.options, **options), args)


def clear_cache() -> None:
    """Forget every compiled kernel, in this process and on disk, and give pooled memory back."""
    launch.LOADED.clear()
    cache.disk().clear()
    for caller in list(CALLERS):
        caller.forget()


def show_versions() -> None:
    """Print the versions of dfad and of what it stands on, the compiler, its flags, the processor and the cache folder."""
    for name, value in versions().items():
        print(f"{name:12} {value}")


def _gradient_of(function: Callable[..., Any], kind: str, given: Options | None, **options: Any) -> Gradient:
    made = function if isinstance(function, Kernel) else kernel(function)
    return made._gradient(kind, merge(given or made.options, **options))


def _unpacked(function: PackedFunction | FunctionType, options: Options) -> Kernel:
    return Kernel(unpacked(function), options)


def _caller(
    source: SourceText,
    signature: inspect.Signature,
    options: Options,
    choose: Callable[[Mapping[str, ArgumentType]], Transform],
) -> Caller:
    made = Caller(source, signature, options, choose, _compile)
    CALLERS.add(made)
    return made


def warm_up() -> None:
    """Load the compiler's rooms in the background, so that the first compilation does not wait for them."""
    threading.Thread(target=_warm, name="dfad warm-up", daemon=True).start()


def _warm() -> None:
    from dfad.pipeline import warm_up as warm

    with contextlib.suppress(DfadError, OSError):       # the first compilation tells of them, with the user's line
        warm()


def _compile(request: Request) -> Compiled:
    from dfad.pipeline import compile_request

    return compile_request(request)


def _last_of(caller: Caller, name: str) -> Specialisation:
    found = caller.last
    if found is None:
        raise KernelTypeError(f"{name} has not been called yet", hint="call it, or ask for_args(...)")
    return found


__all__ = ["Asked", "Gradient", "Kernel", "Pullback", "clear_cache", "grad", "kernel", "show_versions", "value_and_grad", "vjp"]
