"""What people write: one small program for each construct of the language, named after it.

They are plainer than the gallery, which holds what once went wrong; together they say that nothing of docs/language.md is refused.
"""

from importlib import import_module

from tests.gallery import Entry

MODULES = (
    "statements", "loops", "expressions", "subscripts", "sequences", "masks", "gathers", "views", "functions", "axes", "shapes", "numbers",
    "mathematics", "keywords",
    "orders", "assembled", "algebra", "compared",
    "growing", "states", "chosen", "bits", "inner", "comprehended",
)  # fmt: skip

PROGRAMS: dict[str, Entry] = {
    entry.function.__name__: entry for module in MODULES for entry in import_module(f"tests.language.{module}").ENTRIES
}
