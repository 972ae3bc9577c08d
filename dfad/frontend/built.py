"""Expressions that no text has: what rewrites of a syntax tree put in place of some (inner.py, comprehended.py)."""

from __future__ import annotations

import ast
from collections.abc import Callable

from dfad.frontend.scope import Context
from dfad.frontend.values import Value

Evaluate = Callable[[Context, ast.expr], Value]


class Built(ast.expr):
    """An expression that has no text of its own: `part` is what it is made of, if anything."""

    _fields = ("part",)

    def __init__(self, part: ast.expr | None = None) -> None:
        super().__init__()
        self.part = part

    def evaluated(self, context: Context, evaluate: Evaluate) -> Value:
        """What it stands for."""
        raise NotImplementedError

    @property
    def known(self) -> object:
        """The object that it certainly stands for, if any."""
        return None
