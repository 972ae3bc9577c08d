"""A function's text is read with the places of the file, wherever it is defined."""

import ast
import functools
import linecache
import math

import pytest

from dfad.errors import KernelTypeError, UnsupportedSyntax
from dfad.source import Location, SourceText, read_source

SCALE = 2.0


def marked(function):
    return function


@marked
@marked
def decorated(
    x,  # a comment
    y=1.0,
):
    """Docstring."""
    ß = "é"; z = x + y  # noqa: E702
    return ß, z


class Holder:
    def method(self, a):
        text = """
not indented
"""
        return a, text

    @staticmethod
    def static(a):
        return a + SCALE


def make(offset):
    unset: float

    def inner(a):
        return a + offset + SCALE + math.pi + len(unset)

    if offset is None:
        unset = 1.0
    return inner


def test_decorators_are_dropped_and_lines_are_the_files():
    source = read_source(decorated)
    assert source.tree.decorator_list == []
    assert source.name == "decorated"
    assert source.filename == __file__
    assert source.text.startswith("def decorated(\n")
    assert source.text.endswith("return ß, z\n")
    lines = linecache.getlines(__file__)
    assert lines[source.tree.lineno - 1] == "def decorated(\n"
    assert lines[source.tree.body[-1].lineno - 1] == "    return ß, z\n"


def test_columns_count_characters():
    source = read_source(decorated)
    assignment = source.tree.body[2]
    where = source.locate(assignment)
    line = linecache.getline(__file__, where.line)
    assert line[where.column : where.end_column] == "z = x + y"


@pytest.mark.parametrize(
    ("function", "expected"),
    [(Holder.method, "a, text"), (Holder.static, "a + SCALE"), (make(1.0), "a + offset + SCALE + math.pi + len(unset)")],
)
def test_indented_definitions_keep_their_columns(function, expected):
    source = read_source(function)
    where = source.locate(source.tree.body[-1].value)
    assert linecache.getline(__file__, where.line)[where.column : where.end_column] == expected


def test_names_are_looked_up_alive(monkeypatch):
    source = read_source(make(5.0))
    assert source.lookup("offset") == 5.0
    assert source.lookup("math") is math
    assert source.lookup("len") is len
    assert source.lookup("SCALE") == 2.0
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert source.lookup("SCALE") == 3.0
    with pytest.raises(KeyError, match="nothing"):
        source.lookup("nothing")
    with pytest.raises(KeyError, match="unset"):
        source.lookup("unset")


def test_text_of_a_notebook_cell_is_found(monkeypatch):
    cell = "%%magic\nimport math\n\ndef f(x):\n    return x\n"
    monkeypatch.setitem(linecache.cache, "<cell 3>", (len(cell), None, cell.splitlines(True), "<cell 3>"))
    namespace = {}
    exec(compile("\n" + cell.partition("\n")[2], "<cell 3>", "exec"), namespace)
    source = read_source(namespace["f"])
    assert source.text == "def f(x):\n    return x\n"
    assert source.locate(source.tree.body[0]) == Location("<cell 3>", 5, 4, 5, 12)


def test_missing_text_is_an_error():
    namespace = {}
    exec("def f(x):\n    return x\n", namespace)
    with pytest.raises(KernelTypeError, match="the source text of f is not available") as caught:
        read_source(namespace["f"])
    assert caught.value.line == 1


def test_text_of_another_function_is_an_error(monkeypatch):
    cell = "def g(x, y):\n    return x\n"
    monkeypatch.setitem(linecache.cache, "<edited>", (len(cell), None, cell.splitlines(True), "<edited>"))
    namespace = {}
    exec(compile("def f(x):\n    return x\n", "<edited>", "exec"), namespace)
    with pytest.raises(KernelTypeError, match="not available"):
        read_source(namespace["f"])


async def coroutine(x):
    return x


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        (lambda x: x, UnsupportedSyntax, "a lambda cannot be a kernel"),
        (coroutine, UnsupportedSyntax, "a coroutine cannot be a kernel"),
        (len, KernelTypeError, "len has no Python source"),
        (int, KernelTypeError, "int has no Python source"),
        (Holder().method, KernelTypeError, "Holder.method is a bound method"),
        (functools.partial(decorated, 1), KernelTypeError, "a kernel is a Python function, not partial"),
        (3, KernelTypeError, "a kernel is a Python function, not int"),
    ],
)
def test_what_has_no_text_is_refused(function, kind, message):
    with pytest.raises(kind) as caught:
        read_source(function)
    assert caught.value.message == message


def test_locations_compare_by_value_and_make_places():
    where = Location(__file__, 1, 0, 1, 3)
    assert where == Location(__file__, 1, 0, 1, 3)
    assert len({where, Location(__file__, 1, 0, 1, 3)}) == 1
    assert where.place()["text"] == '"""A function\'s text is read with the places of the file, wherever it is defined."""'
    assert Location(__file__, 1, 3, 4, 5).place()["end_column"] == len(where.place()["text"])


def test_every_node_has_a_location():
    source = read_source(decorated)
    assert isinstance(source, SourceText)
    for node in ast.walk(source.tree):
        where = source.locate(node)
        assert source.tree.lineno <= where.line <= where.end_line <= source.tree.end_lineno
