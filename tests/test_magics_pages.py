"""What the notebook layer writes: calls and options read, sizes and times, the graph, the annotated listing, the card."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from dfad_magics import Card, OptionError, annotate, compare, graph, page
from dfad_magics.comparison import HEAD, Comparison, Row
from dfad_magics.line import Call, evaluate, split, words
from dfad_magics.units import MIB, duration, size, sizes

import dfad
from tests import stand_in

SVG = "{http://www.w3.org/2000/svg}"


def squares(A, n):
    s = 0.0
    return s + np.sum(A*A)  # fmt: skip


@pytest.fixture
def kernel():
    return stand_in.kernel(squares)


@pytest.mark.parametrize(
    ("line", "call", "options"),
    [
        ("f(A, -1)", "f(A, -1)", []),
        ("f(A, -1) --jax g", "f(A, -1)", ["--jax", "g"]),
        ("  f(A[1:, ::-1], n=-2)   --jax 'g'", "f(A[1:, ::-1], n=-2)", ["--jax", "g"]),
        ('f(")", x) --budget "500 MB"', 'f(")", x)', ["--budget", "500 MB"]),
        ("m.f(g(A), (1, 2)) --budget=3", "m.f(g(A), (1, 2))", ["--budget=3"]),
        ("f(A) --jax g(x)", "f(A)", ["--jax", "g(x)"]),
        ("f(A);", "f(A)", []),
        ("f(A)  # why", "f(A)", []),
    ],
)
def test_the_call_is_cut_off_before_the_options(line, call, options):
    assert split(line) == (call, options)


@pytest.mark.parametrize("line", ["", "f", "--jax g f(A)", "3 + f(A)", "f(A", "f(A)--jax g"])
def test_a_line_without_a_call_is_refused(line):
    with pytest.raises(OptionError):
        split(line)


def test_an_open_quotation_is_refused():
    with pytest.raises(OptionError, match="quotation"):
        words("--jax 'g")


def test_arguments_are_copies_and_defaults_are_filled_in(kernel):
    array = np.arange(3.0)
    call = evaluate("k(n=2, A=a)", {"k": kernel, "a": array})
    assert call.args[1] == 2
    assert np.array_equal(call.args[0], array)
    assert not np.shares_memory(call.args[0], array)
    call.fresh()[0][0] = 7.0
    assert call.args[0][0] == 0.0


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (640, "640 B"), (1024, "1 KiB"), (1.5 * MIB, "1.5 MiB"), (1000 * MIB, "1000 MiB"), (5 * 2**40, "5120 GiB")],
)
def test_sizes(count, text):
    assert size(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0, "0 ns"), (8.5e-7, "850 ns"), (1.2e-3, "1.2 ms"), (3.4, "3.4 s"), (1234.0, "1234 s"), (4e-5, "40 µs")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_sizes_that_differ_are_told_apart():
    assert sizes([2 * MIB, 4 * MIB]) == ["2 MiB", "4 MiB"]
    assert sizes([4 * MIB, 4 * MIB + 1024]) == ["4 MiB", "4.001 MiB"]
    assert sizes([2**40, 2**40 + 1]) == [f"{2**40} B", f"{2**40 + 1} B"]
    assert sizes([MIB, MIB]) == ["1 MiB", "1 MiB"]


# The graph


def boxes(picture):
    """The frames and nodes of a drawing: (left, top, right, bottom)."""
    for element in picture.iter():
        read = {name: float(value) for name, value in element.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
        if element.tag == f"{SVG}rect":
            yield read["x"], read["y"], read["x"] + read["width"], read["y"] + read["height"]
        elif element.tag == f"{SVG}ellipse":
            yield read["cx"] - read["rx"], read["cy"] - read["ry"], read["cx"] + read["rx"], read["cy"] + read["ry"]


def test_the_graph_is_well_formed_and_without_script():
    text = graph.svg(stand_in.GRAPH)
    picture = ElementTree.fromstring(text)
    assert "<script" not in text
    assert "&lt;b&gt;" in text
    assert len(list(boxes(picture))) == len(stand_in.GRAPH["nodes"])
    assert len(picture.findall(f".//{SVG}path[@marker-end]")) == len(stand_in.GRAPH["edges"])


def test_boxes_nest_or_stand_apart():
    drawn = list(boxes(ElementTree.fromstring(graph.svg(stand_in.GRAPH))))
    for number, (left, top, right, bottom) in enumerate(drawn):
        for other_left, other_top, other_right, other_bottom in drawn[:number]:
            apart = right <= other_left or other_right <= left or bottom <= other_top or other_bottom <= top
            inside = other_left <= left and right <= other_right and other_top <= top and bottom <= other_bottom
            assert apart or inside


def test_two_graphs_on_a_page_have_arrows_of_their_own():
    renamed = {"nodes": [{**node, "label": node["label"] + "2"} for node in stand_in.GRAPH["nodes"]], "edges": stand_in.GRAPH["edges"]}
    names = {re.search(r'marker id="([^"]+)"', graph.svg(flow))[1] for flow in (stand_in.GRAPH, renamed)}
    assert len(names) == 2


def test_a_graph_that_nobody_could_read_is_not_drawn():
    many = [{"id": number, "kind": "access", "label": "a", "parent": None} for number in range(graph.LIMIT + 1)]
    assert "too many" in graph.svg({"nodes": many, "edges": []})
    assert "empty" in graph.svg({"nodes": [], "edges": []})


# The listing


LISTING = "cdef int f() noexcept nogil:\n    s = 0.0  # line 3\n    for i in range(n):  # line 4\n        s += x[i]  # line 4\n    return 0"


def test_generated_lines_are_found_by_source_line():
    assert annotate.by_source_line(LISTING) == {3: ["    s = 0.0"], 4: ["    for i in range(n):", "        s += x[i]"]}


def test_the_annotated_listing_opens_each_source_line():
    html = annotate.annotated("def f(x):\n    s = 0.0\n    return np.sum(x)", 2, LISTING)
    assert html.count("<details>") == 3
    assert "2 generated" in html
    assert "# line" not in html


# Cards and tables


def test_a_card_before_and_after_a_call(kernel):
    card = Card(kernel)
    assert "types come from the first call" in str(card)
    assert "<details" not in card.html()
    kernel.grad(np.arange(3.0), 1)
    html = card.html()
    for title in ("Dataflow", "IR", "Adjoint", "Cython"):
        assert f"<summary>{title}" in html
    assert "built now" in html
    kernel.grad(np.arange(3.0), 1)
    assert "taken from memory" in str(card)


def test_a_card_says_when_nothing_is_recorded(kernel):
    kernel.grad(np.arange(3.0), 1)
    said = "nothing is recorded: all that the reverse sweep reads is still in place, or computed again"
    assert said not in str(Card(kernel))
    kernel.memory["tape"] = 0
    assert said in Card(kernel).facts()
    kernel.transform = "primal"
    assert said not in str(Card(kernel))


def test_a_card_of_what_was_only_compiled_tells_of_no_call(kernel):
    call = Call.of(kernel, (np.arange(3.0), 1))
    text = str(Card(kernel, call, stand_in.grad(kernel).for_args(*call.args)))
    assert "built now" in text
    assert "the last call" not in text
    kernel.grad(np.arange(3.0), 1)
    assert "the last call held 4 MiB" in str(Card(kernel))


def test_a_card_with_a_call_tells_what_is_recorded_and_why(kernel):
    kernel.grad(np.arange(3.0), 1)
    card = Card(kernel, Call.of(kernel, (np.arange(3.0), 1)))
    assert "squares(A: float64[3], n: int)" in str(card)
    assert "keeps x0 (4 MiB): read by the reverse of line 4" in str(card)
    assert "<summary>Plan" in card.html()


def test_texts_are_escaped():
    assert "<b>" not in page.table(["<b>"], [["<b>"]])
    assert "&lt;b&gt;" in page.title("<b>")
    assert "&lt;" in page.code("a < b")


def test_a_table_reads_the_same_as_text_and_as_html(kernel):
    comparison = compare(kernel, np.arange(4.0), 1, seconds=0.001)
    for row in comparison.rows:
        assert all(cell in comparison.html() and cell in str(comparison) for cell in row.cells())


@pytest.mark.parametrize(("difference", "warned"), [(None, False), (1e-6, False), (1.1e-6, True), (float("nan"), True)])
def test_gradients_that_differ_are_told_in_words(difference, warned):
    comparison = Comparison("f()", (Row("dfad gradient", (0.1,)), Row("JAX gradient: g", (0.1,), difference=difference)))
    said = f"WARNING: JAX gradient: g differs from dfad&#x27;s by {difference or 0:.1e} of the largest element"
    assert (said in comparison.html()) == warned
    assert (said.replace("&#x27;", "'") in str(comparison).splitlines()[1]) == warned


def test_a_title_says_what_the_kernel_is():
    def told(A):
        """Sum of squares.

        More.
        """
        return np.sum(A * A)

    call = Call.of(stand_in.kernel(told), (np.arange(3.0),))
    assert call.title == "told(A): Sum of squares"
    assert Call.of(stand_in.kernel(squares), (np.arange(3.0), 1)).title == "squares(A, n)"


def test_bars_of_nothing_measured():
    comparison = Comparison("f()", (Row("one", (0.1, 0.2, 0.3)),))
    assert comparison.rows[0].cells() == ("one", "200 ms", "100 ms", "300 ms", "–", "–", "–")
    assert len(comparison.rows[0].cells()) == len(HEAD)
    assert comparison.figure().startswith(b"\x89PNG")


def test_what_is_no_kernel_is_refused():
    with pytest.raises(OptionError, match="is not a dfad kernel"):
        compare(squares, np.arange(3.0), 1)


def test_arguments_that_do_not_fit_are_an_error_of_ours(kernel):
    with pytest.raises(dfad.KernelTypeError, match="missing a required argument"):
        compare(kernel, np.arange(3.0))


def test_a_misspelt_keyword_of_a_call_is_named(kernel):
    with pytest.raises(dfad.KernelTypeError) as caught:
        evaluate("squares(A, m=3)", {"squares": kernel, "A": np.arange(3.0)})
    assert caught.value.message == "squares(A, n): got an unexpected keyword argument 'm'"
    assert caught.value.hint == "its parameters are A, n"
