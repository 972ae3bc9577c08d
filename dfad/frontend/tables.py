"""Functions of NumPy in files of their own, as parts of the tables of calls."""

from __future__ import annotations

from collections.abc import Callable

from dfad.frontend.algebra import ALGEBRA
from dfad.frontend.assembled import ASSEMBLED, ASSEMBLED_METHODS, ASSEMBLED_VIEWS
from dfad.frontend.compared import COMPARED
from dfad.frontend.ordering import ORDERING, ORDERING_METHODS
from dfad.frontend.padding import PADDING
from dfad.frontend.searches import SEARCHES, searchsorted
from dfad.frontend.values import Value

Handler = Callable[..., Value]

NUMPYS: dict[object, Handler] = {**SEARCHES, **ORDERING, **ASSEMBLED, **PADDING, **ALGEBRA, **COMPARED}
"""By the function object."""

METHODS: dict[str, Handler] = {**ORDERING_METHODS, **ASSEMBLED_METHODS, "searchsorted": searchsorted}
"""By the name of the method."""

VIEWS: frozenset[Handler] = ASSEMBLED_VIEWS
"""What gives a view of its first argument."""
