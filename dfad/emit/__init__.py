"""Program -> Cython text: the last room before the compiler. ``cython.py`` tells the whole; each other file owns one part of the text."""

from dfad.emit.cython import emit
from dfad.emit.emitted import ArrayField, Emitted, ExtentField, Field, FloatField, GrownField, IntegerField, MadeField, ScalarResultField

__all__ = [
    "ArrayField",
    "Emitted",
    "ExtentField",
    "Field",
    "FloatField",
    "GrownField",
    "IntegerField",
    "MadeField",
    "ScalarResultField",
    "emit",
]
