"""Proofs about symbolic integers: is an expression never negative, given what is known where it stands?

In: facts (expressions known to be >= 0) and a question. Out: True when the question is a non-negative integer combination of facts
that a short search finds, else False; False means "not proven". Linear parts are exact; a product, `floor`, `Mod`, `Min` or `Max`
is an atom about which only its own bounds are known. Nothing here emits code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import gcd

import sympy

DEPTH = 7
"""How many facts one proof may combine."""

VISITS = 150
"""How many intermediate forms one proof may look at."""


@dataclass(frozen=True, slots=True)
class Linear:
    """``constant + sum(coefficient * atom)`` with integer coefficients other than 0."""

    constant: int
    terms: tuple[tuple[sympy.Expr, int], ...]

    def coefficient(self, atom: sympy.Expr) -> int:
        """The factor of an atom; 0 where it does not occur."""
        return next((factor for known, factor in self.terms if known == atom), 0)


@cache
def linear(expression: sympy.Expr) -> Linear | None:
    """The linear form of an integer expression; None when a coefficient is not an integer."""
    constant, terms = 0, []
    for atom, factor in expression.as_coefficients_dict().items():
        if not factor.is_Integer:
            return None
        if atom == 1:
            constant = int(factor)
        elif factor != 0:
            terms.append((atom, int(factor)))
    return Linear(constant, tuple(sorted(terms, key=lambda term: term[0].sort_key())))


def eliminate(goal: Linear, fact: Linear, atom: sympy.Expr) -> Linear:
    """A positive multiple of the goal less a positive multiple of the fact, in which the atom has gone.

    Both have a coefficient of the same sign there. When the fact and the answer are >= 0, so is the goal: an integer g is >= 0 exactly if
    m*g >= -(m - 1), which leaves m - 1 to spare.
    """
    ours, theirs = abs(goal.coefficient(atom)), abs(fact.coefficient(atom))
    factors = {known: theirs * factor for known, factor in goal.terms}
    for known, factor in fact.terms:
        factors[known] = factors.get(known, 0) - ours * factor
    terms = tuple((known, factor) for known, factor in factors.items() if factor)
    return _reduced(theirs * goal.constant + theirs - 1 - ours * fact.constant, terms)


def _reduced(constant: int, terms: tuple[tuple[sympy.Expr, int], ...]) -> Linear:
    """The same statement ">= 0" about integers, without common factors."""
    divisor = gcd(*(factor for _, factor in terms))
    if divisor > 1:
        constant, terms = constant // divisor, tuple((atom, factor // divisor) for atom, factor in terms)
    return Linear(constant, tuple(sorted(terms, key=lambda term: term[0].sort_key())))


@cache
def bounds_of_atom(atom: sympy.Expr) -> tuple[Linear, ...]:
    """What is known of an atom by its own form, as expressions >= 0."""
    match atom:
        case sympy.Max():
            found = [atom - argument for argument in atom.args]
        case sympy.Min():
            found = [argument - atom for argument in atom.args]
        case sympy.floor():
            numerator, denominator = sympy.fraction(sympy.together(atom.args[0]))
            known = denominator.is_Integer and denominator > 0
            found = [numerator - denominator * atom, denominator * atom - numerator + denominator - 1] if known else []
        case sympy.Mod():
            found = [atom, atom.args[1] - 1 - atom]  # the frontend makes no Mod but by a positive number
        case _:
            found = []
    forms = (linear(sympy.expand(expression)) for expression in found)
    return tuple(form for form in forms if form is not None)


class Search:
    """One proof: a depth-first search over eliminations."""

    def __init__(self, facts: Iterable[Linear], is_natural: Callable[[sympy.Expr], bool], age: Mapping[sympy.Expr, int]) -> None:
        self.facts = tuple(facts)
        self.is_natural = is_natural
        self.age = age
        self.seen: set[Linear] = set()

    def holds(self, goal: Linear, depth: int = DEPTH) -> bool:
        """Whether the goal is proven to be >= 0."""
        if goal.constant >= 0 and all(factor > 0 and self.is_natural(atom) for atom, factor in goal.terms):
            return True
        if not goal.terms or depth == 0 or goal in self.seen or len(self.seen) > VISITS:
            return False
        self.seen.add(goal)
        return any(self.holds(step, depth - 1) for step in self._steps(goal))

    def _bounds_of_remainder(self, atom: sympy.Expr) -> Iterator[Linear]:
        """A remainder of a number that is not negative is at most that number."""
        if isinstance(atom, sympy.Mod) and self.is_natural(atom.args[0]):
            yield Linear(0, ((atom, -1), (atom.args[0], 1)))

    def _steps(self, goal: Linear) -> Iterator[Linear]:
        """Eliminate first what stands in the way, the innermost loop's index before the outer ones'."""
        bad = [(atom, factor) for atom, factor in goal.terms if factor < 0 or not self.is_natural(atom)]
        for atom, factor in sorted(bad or goal.terms, key=lambda term: -self.age.get(term[0], 0)):
            for fact in (*self.facts, *bounds_of_atom(atom), *self._bounds_of_remainder(atom)):
                if fact.coefficient(atom) * factor > 0:
                    yield eliminate(goal, fact, atom)
