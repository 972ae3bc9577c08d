"""One way of calling one function: its compiled specialisations, the quick way to them, and the careful way.

A `Caller` answers a call from what is loaded; else it asks the cache; else it hands a `Request` to the compiler.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from inspect import Parameter, Signature
from time import perf_counter
from typing import Protocol

from dfad.errors import OtherExtents, OutOfRoom, Place
from dfad.ir.signature import ArgumentType
from dfad.options import Options
from dfad.run import launch, toolchain
from dfad.run.call import bind, classify, copied_bytes, run_prepared, size_of, trailing_defaults, types_of
from dfad.run.launch import Compiled, Dispatcher, Routine, Unproven
from dfad.run.names import Names, resolve
from dfad.run.recipe import Recipe
from dfad.run.transform import Transform, parameters, place_of
from dfad.source import SourceText

Types = tuple[ArgumentType, ...]


class HasMemory(Protocol):
    """What tells of its memory as a kernel does."""

    @property
    def memory(self) -> dict[str, int]:
        """Bytes by class, and their peak."""
        ...


Sizes = Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Request:
    """All that a compilation depends on.

    Attributes
    ----------
    source : SourceText
    names : Names
    types : tuple of ArgumentType
        Of the parameters, in order.
    transform : Transform
    options : Options
    threads : int
        How many threads may share a loop, as of now.
    sizes : mapping
        The shapes of arrays and the values of integers, by parameter.
    copied : int
        The bytes that calls copy of arguments that are not contiguous: a plan counts them.
    rooms : mapping
        How much room there is for arrays that grow, by parameter.
    question : str
        The key of all this.
    parse_seconds : float
        What it took to read the texts.
    """

    source: SourceText
    names: Names
    types: tuple[ArgumentType, ...]
    transform: Transform
    options: Options
    threads: int
    sizes: Sizes
    copied: int
    question: str
    rooms: Mapping[str, int]
    parse_seconds: float = 0.0

    @property
    def arguments(self) -> dict[str, ArgumentType]:
        """The types by parameter."""
        return dict(zip(parameters(self.source), self.types, strict=True))


def make_request(
    source: SourceText,
    types: Types,
    sizes: Sizes,
    transform: Transform,
    options: Options,
    rooms: Mapping[str, int],
    copied: int = 0,
) -> Request:
    """A request for what the function's names mean now, and its question; ``copied``: bytes copied of the arguments."""
    start = perf_counter()
    names = resolve(source)
    threads = options.threads or toolchain.available_threads()
    copied += names.copied()
    large = {name: size for name, size in sorted(rooms.items()) if size}
    planned = () if options.budget is None else (options.budget, tuple(sizes.items()), names.sizes(), copied, tuple(large.items()))
    settings = (transform, options.compile_key(), threads > 1, planned, toolchain.flags())
    machine = (toolchain.compiler_identity(), toolchain.environment())
    question = toolchain.digest((names.key(), types, settings, machine))
    return Request(source, names, types, transform, options, threads, sizes, copied, question, large, perf_counter() - start)


@dataclass(frozen=True, eq=False)
class Specialisation:
    """A function compiled for the types of some arguments."""

    types: tuple[ArgumentType, ...]
    hidden_types: tuple[ArgumentType | None, ...]
    compiled: Compiled
    routines: tuple[Routine, ...]
    guards: tuple[object, ...] = field(repr=False)
    hidden: tuple[object, ...] = field(repr=False)
    request: Request
    pullback: list[Callable[[], HasMemory | None]] = field(default_factory=list, repr=False)
    """Of a `vjp`: a weak reference to the last pullback."""

    @property
    def routine(self) -> Routine:
        """What a call runs; of a `vjp` the forward sweep."""
        return self.routines[0]

    @property
    def recipe(self) -> Recipe:
        """The plan of its call."""
        return self.compiled.recipes[0]

    @property
    def memory(self) -> dict[str, int]:
        """Bytes of the last call, those of its pullback included."""
        pullback = self.pullback[0]() if self.pullback else None
        found = dict(self.routine.memory)
        return found if pullback is None else {name: max(size, pullback.memory[name]) for name, size in found.items()}


class Caller:
    """One way of calling one function.

    Parameters
    ----------
    source : SourceText
        The function.
    signature : Signature
        Its signature.
    options : Options
    choose : callable
        Types by parameter -> the transform; raises KernelTypeError when there is none.
    build : callable
        Compiles a request.
    """

    def __init__(
        self,
        source: SourceText,
        signature: Signature,
        options: Options,
        choose: Callable[[Mapping[str, ArgumentType]], Transform],
        build: Callable[[Request], Compiled],
    ) -> None:
        self.source = source
        self.signature = signature
        self.options = options
        self.choose = choose
        self.build = build
        self.dispatcher: Dispatcher | None = None
        self.specialisations: tuple[Specialisation, ...] = ()
        self.names = _free_names(signature)
        self.rooms: dict[str, int] = {}
        self.resized: tuple[str, ...] = ()

    def __call__(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """Call with these arguments: the quick way when the launcher knows their types."""
        ordered = self._in_order(args, kwargs) if kwargs else args
        if self.dispatcher is not None and ordered is not None:
            with suppress(Unproven, OutOfRoom, OtherExtents):
                result = self.dispatcher(ordered)
                if result is not launch.LAUNCHER[0].MISS:
                    return result
        return self.call_carefully(args, kwargs)

    def _in_order(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> tuple[object, ...] | None:
        """The arguments by position, where those passed by keyword are the next parameters; None where Python must bind them."""
        names = self.names[len(args) : len(args) + len(kwargs)]
        if len(names) < len(kwargs) or not kwargs.keys() >= set(names):
            return None
        return (*args, *(kwargs[name] for name in names))

    def call_carefully(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
        """Bind, classify, compile when needed, check, copy when needed, call."""
        return self.run(bind(self.source.name, self.signature, args, kwargs))[2]

    def run(self, values: tuple[object, ...]) -> tuple[Specialisation, tuple[object, ...], object]:
        """Call with the values of all parameters; the specialisation, all its inputs, hidden ones included, and the result."""
        found = self.specialise(values)
        while True:
            inputs = (*values, *launch.launcher().read(found.hidden))
            try:
                return found, inputs, self._run(found, inputs)
            except Unproven:
                found = self._checked(found)
            except OutOfRoom as short:
                self.rooms[short.room] = max(self.rooms[short.room], short.enough)
                found = self._checked(found) if found.request.transform.is_checked else self.specialise(values)
            except OtherExtents as other:
                self.resized = tuple(sorted({*self.resized, other.variable}))
                found = self.specialise(values)

    def _run(self, found: Specialisation, inputs: tuple[object, ...]) -> object:
        """Call a specialisation with all its inputs, hidden ones included."""
        if self.dispatcher is not None:
            self.dispatcher.last = found.routine
        return run_prepared(found.routine, found.recipe, inputs, self.place, launch.launcher().MISS)

    def specialise_for(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Specialisation:
        """The specialisation for the arguments of a call; compiled now when there is none."""
        return self.specialise(bind(self.source.name, self.signature, args, kwargs))

    def specialise(self, values: Sequence[object]) -> Specialisation:
        """The specialisation for the values of all parameters; compiled now when there is none."""
        types = types_of(parameters(self.source), values, self.place)
        return self.specialise_as(types, self._sizes(values), sum(map(copied_bytes, values)))

    def specialise_as(self, types: Types, sizes: Sizes, copied: int) -> Specialisation:
        """The specialisation for these types of all parameters, and sizes and bytes copied where there is a budget; compiled now when there
        is none."""
        if self.options.budget is None:
            quick = (known for known in self.specialisations if self._is_quick(known.request.transform))
            found = next((known for known in quick if known.types == types and self._is_current(known)), None)
            if found is not None:
                return found
        return self._provide(self.request_as(types, sizes, copied))

    def _is_quick(self, transform: Transform) -> bool:
        """Whether code of that kind is tried first."""
        return not transform.is_checked and transform.resized == self.resized

    def _checked(self, known: Specialisation) -> Specialisation:
        """The same with every check at its access."""
        asked = known.request
        transform = replace(asked.transform, is_checked=True)
        return self._provide(make_request(asked.source, asked.types, asked.sizes, transform, self.options, self.rooms))

    def _provide(self, request: Request) -> Specialisation:
        """The specialisation that a request is for; compiled now when there is none."""
        found = next((known for known in self.specialisations if known.request.question == request.question), None)
        if found is not None and self._is_current(found):
            return found
        return self._add(request, launch.find(request.question) or self.build(request))

    def request_for(self, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Request:
        """What a compilation for the arguments of a call would be."""
        values = bind(self.source.name, self.signature, args, kwargs)
        types = types_of(parameters(self.source), values, self.place)
        return self.request_as(types, self._sizes(values), sum(map(copied_bytes, values)))

    def request_as(self, types: Types, sizes: Sizes, copied: int) -> Request:
        """What a compilation for these types and sizes of all parameters would be."""
        transform = replace(self.choose(dict(zip(parameters(self.source), types, strict=True))), resized=self.resized)
        return make_request(self.source, types, sizes, transform, self.options, self.rooms, copied)

    def _sizes(self, values: Sequence[object]) -> Sizes:
        return dict(zip(parameters(self.source), map(size_of, values), strict=True))

    def _is_current(self, known: Specialisation) -> bool:
        """Whether names mean what they meant, and hidden arguments are of the types that were compiled."""
        launcher = launch.launcher()
        kinds = tuple(map(classify, launcher.read(known.hidden)))
        return bool(launcher.holds(known.guards)) and kinds == known.hidden_types

    def _add(self, request: Request, compiled: Compiled) -> Specialisation:
        parts = zip(compiled.recipes, compiled.addresses, strict=True)
        threads = self.options.threads or 0
        routines = tuple(launch.make_routine(recipe, address, request.names.functions, threads) for recipe, address in parts)
        places = compiled.recipes[0].hidden
        guards, hidden = request.names.guards(places), request.names.places(places, self.rooms)
        kinds = tuple(map(classify, launch.launcher().read(hidden)))
        found = Specialisation(request.types, kinds, compiled, routines, guards, hidden, request)
        if self.dispatcher is None:
            count = -1 if _has_keyword_only(self.signature) else len(request.types)
            self.dispatcher = launch.launcher().Dispatcher(count, trailing_defaults(self.signature))
        is_planned_for_copies = request.copied > 0 and request.options.budget is not None
        if not (request.transform.is_checked or is_planned_for_copies or found.recipe.writes_again):
            self.dispatcher.add(found.routine, guards, hidden)
        kept = (known for known in self.specialisations if known.request.question != request.question)
        self.specialisations = (found, *kept)
        return found

    @property
    def last(self) -> Specialisation | None:
        """The specialisation of the last call."""
        routine = None if self.dispatcher is None else self.dispatcher.last
        return next((known for known in self.specialisations if known.routine is routine), None)

    def place(self, name: str) -> Place:
        """Where a parameter stands; the function itself for a hidden argument."""
        return place_of(self.source, name)

    def forget(self) -> None:
        """Drop everything that was compiled, with its pooled memory."""
        self.dispatcher, self.specialisations = None, ()
        self.rooms.clear()
        self.resized = ()


def _free_names(signature: Signature) -> tuple[str, ...]:
    """The parameters in order, if each may be passed by position and by keyword; else none."""
    kinds = {parameter.kind for parameter in signature.parameters.values()}
    return tuple(signature.parameters) if kinds == {Parameter.POSITIONAL_OR_KEYWORD} else ()


def _has_keyword_only(signature: Signature) -> bool:
    """Whether a parameter is passed by keyword only: such a kernel has no quick way."""
    return any(parameter.kind is Parameter.KEYWORD_ONLY for parameter in signature.parameters.values())
