"""`python -m dfad.suite`: which cases it measures, how it compares them, what it prints; with stand-ins for the systems."""

import importlib.util
import json
from dataclasses import replace

import numpy as np
import pytest

from dfad import suite
from dfad.suite import __main__ as command
from dfad.suite import measure as measuring
from dfad.suite import report
from dfad.suite.measure import Row
from dfad.suite.resident import resident_bytes
from dfad.suite.results import CannotRun, difference
from dfad.suite.systems import prepare
from tests.references import gradient_error, relative_error, run_numpy

KERNELS = suite.kernels()


class Fixed:
    """A subject that always takes the same time and gives the same result."""

    def __init__(self, seconds, result):
        self.compile_seconds, self.seconds, self.result, self.calls = 0.5, seconds, (np.asarray(result),), 0

    def run(self):
        self.calls += 1
        return self.seconds * self.calls, self.result

    def peak_bytes(self):
        return 3_000_000


@pytest.fixture
def fixed(monkeypatch):
    subjects = {"dfad": Fixed(0.1, [1.0, 2.0]), "jax_best": Fixed(0.3, [1.0, 2.5])}

    def prepare(system, benchmark, size, *, primal, threads):
        if system not in subjects:
            raise CannotRun("no memory\nat all")
        return subjects[system]

    monkeypatch.setattr(measuring, "prepare", prepare)
    monkeypatch.setattr(command, "warm", lambda system: None)
    return subjects


def test_a_port_beyond_its_limit_gets_a_case_of_its_own():
    seidel = KERNELS["seidel_2d"]
    full, limited = measuring.cases([seidel], "L", ["jax_port", "jax_best"])
    assert (full.systems, full.size) == (("dfad", "jax_best"), seidel.sizes["L"])
    assert (limited.systems, limited.size) == (("dfad", "jax_port"), seidel.port_limit)
    (gemm,) = measuring.cases([KERNELS["gemm"]], "L", ["jax_port", "jax_best", "jax_lib"])
    assert gemm.systems == ("dfad", "jax_port", "jax_best")


def test_systems_run_in_turn_and_are_compared_with_the_first(fixed):
    case = measuring.Case(KERNELS["softmax"], {"N": 1}, ("dfad", "jax_best", "jax_port"))
    said = []
    rows = measuring.measure(case, primal=False, threads=None, repeats=3, report=said.append)
    assert said == ["softmax dfad", "softmax jax_best", "softmax jax_port"]
    dfad, best, port = rows
    assert (fixed["dfad"].calls, fixed["jax_best"].calls) == (4, 4), "one call to warm up, three that count"
    assert dfad.median == pytest.approx(0.3)
    assert (dfad.ratio, dfad.difference) == (1.0, None)
    assert best.ratio == pytest.approx(3.0)
    assert best.difference == pytest.approx(0.2)
    assert (port.median, port.ratio, port.problem) == (None, None, "no memory\nat all")


def test_without_dfad_there_are_figures_but_no_ratio(fixed):
    del fixed["dfad"]
    rows = measuring.measure(
        measuring.Case(KERNELS["softmax"], {}, ("dfad", "jax_best")), primal=False, threads=None, repeats=1, report=lambda name: None
    )
    assert [row.ratio for row in rows] == [None, None]
    assert rows[1].median == pytest.approx(0.6)


def test_means_are_geometric_per_class_and_leave_library_calls_out():
    rows = [Row("a", "L", {}, "jax_best", ratio=2.0), Row("b", "L", {}, "jax_best", ratio=8.0), Row("b", "L", {}, "jax_lib", ratio=0.1)]
    assert report.means(rows) == {"L": {"jax_best": pytest.approx(4.0)}}
    assert "jax_best takes 4.00 times dfad's time, mean of a, b" in report.mean_lines(rows)


def test_difference_never_calls_nan_equal():
    one, other, nan = np.array([1.0, 3.0]), np.array([1.0, 2.0]), np.array([np.nan])
    assert difference((np.zeros(2),), (np.zeros(2),)) == 0.0
    assert difference((other, one), (other, other)) == pytest.approx(0.5)
    assert np.isnan(difference((one, nan), (one, nan)))


def test_the_command_prints_a_table_and_writes_the_numbers(fixed, tmp_path, capsys):
    file = tmp_path / "rows.json"
    assert command.main(["cholesky", "--size", "S", "--repeats", "3", "--json", str(file)]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert lines[0].split()[:4] == ["class", "kernel", "size", "system"]
    assert any("jax_best" in line and line.endswith("3.00") for line in lines)
    assert any("jax_port" in line and "cannot: no memory at all" in line for line in lines)
    assert "[" in printed.err
    written = json.loads(file.read_text())
    assert written["provenance"]["versions"]["numpy"] == np.__version__
    assert [row["system"] for row in written["rows"]] == ["dfad", "jax_port", "jax_best", "jax_lib"]
    assert written["means"] == {"L": {"jax_best": pytest.approx(3.0)}}


def test_a_command_that_cannot_be_meant_says_why():
    with pytest.raises(SystemExit, match="leave out --primal"):
        command.main(["gemm", "--primal", "--resident"])
    with pytest.raises(SystemExit, match=r"no kernel named seidel; the suite has gemm, .*seidel_2d"):
        command.main(["seidel"])


def test_a_bug_still_shows_the_rows_measured_so_far(fixed, monkeypatch, capsys):
    fixed["dfad"].peak_bytes = lambda: 1 / 0
    with pytest.raises(ZeroDivisionError):
        command.main(["softmax", "--size", "S"])
    assert "median ms" in capsys.readouterr().out


@pytest.mark.slow
def test_jax_is_measured_on_the_gradient_that_it_should_compute():
    burgers, size = KERNELS["burgers_1d"], {"N": 12, "steps": 3}
    subject = prepare("jax_best", burgers, size, primal=False, threads=None)
    seconds, (gradient,) = subject.run()
    assert 0 < seconds < 10
    assert 0 < subject.compile_seconds < 60
    assert subject.peak_bytes() >= 2 * gradient.nbytes
    assert gradient_error(burgers.function, burgers.initialize(size), gradient, wrt="u") <= 1e-13
    _, values = prepare("jax_best", burgers, size, primal=True, threads=None).run()
    assert relative_error(values, run_numpy(burgers.function, burgers.initialize(size))) <= 1e-14


def test_a_kernel_without_that_formulation_cannot_run():
    with pytest.raises(CannotRun, match="no jax_lib"):
        prepare("jax_lib", KERNELS["gemm"], {"NI": 2, "NJ": 2, "NK": 2}, primal=False, threads=None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "name", "size"),
    [
        ("jax_best", "seidel_nonlinear", {"T": 20, "N": 300}),
        ("dfad", "seidel_nonlinear", {"T": 20, "N": 400}),
        ("dfad", "go_fast", {"N": 2000}),
        ("dfad", "cholesky", {"N": 1000}),
    ],
)
def test_the_operating_system_confirms_the_peak(system, name, size):
    said = prepare(system, KERNELS[name], size, primal=False, threads=None).peak_bytes()
    assert resident_bytes(system, KERNELS[name], size) == pytest.approx(said, rel=0.15)


def test_a_process_that_fails_is_heard():
    with pytest.raises(CannotRun, match="no jax_lib"):
        resident_bytes("jax_lib", KERNELS["gemm"], {"NI": 2, "NJ": 2, "NK": 2})


@pytest.mark.slow
def test_one_kernel_end_to_end(capsys):
    assert command.main(["burgers_1d", "--size", "S", "--repeats", "1", "--against", "jax_best"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines[1:3]] == ["burgers_1d", "burgers_1d"]
    assert not any("cannot" in line for line in lines)
    assert "jax_best takes" in lines[-1]


def test_a_primal_is_measured_beside_numpy_and_numba():
    spmv, size = KERNELS["spmv"], KERNELS["spmv"].sizes["S"]
    numpy = prepare("numpy", spmv, size, primal=True, threads=None)
    _, (expected,) = numpy.run()
    assert relative_error((expected,), run_numpy(spmv.function, spmv.initialize(size))) == 0.0
    assert numpy.compile_seconds is None
    assert numpy.peak_bytes() >= expected.nbytes
    with pytest.raises(CannotRun, match="numpy has no gradients"):
        prepare("numpy", spmv, size, primal=False, threads=None)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spmv", "cavity_flow", "softmax"])
def test_numba_compiles_a_kernel_with_its_helpers_or_says_why_not(name):
    benchmark, size = KERNELS[name], KERNELS[name].sizes["S"]
    if importlib.util.find_spec("numba") is None:
        with pytest.raises(CannotRun, match="Numba is not installed"):
            prepare("numba", benchmark, size, primal=True, threads=None)
    elif name == "softmax":
        with pytest.raises(CannotRun, match=r"TypingError: .*function max"):
            prepare("numba", benchmark, size, primal=True, threads=None)
    else:
        subject = prepare("numba", benchmark, size, primal=True, threads=None)
        _, outputs = subject.run()
        assert relative_error(outputs, run_numpy(benchmark.function, benchmark.initialize(size), benchmark.of)) <= 1e-12
        assert subject.compile_seconds > 0.0


def test_a_kernel_that_jax_cannot_reverse_says_why():
    channel = replace(KERNELS["cavity_flow"], no_reverse="its length depends on data", systems={"jax_port": lambda: None})
    (case,) = measuring.cases([replace(channel, port_limit=None)], "S", ["jax_port", "jax_best", "jax_lib"])
    assert case.systems == ("dfad", "jax_port", "jax_best")
    with pytest.raises(CannotRun, match="depends on data"):
        prepare("jax_best", channel, channel.sizes["S"], primal=False, threads=None)


def test_a_system_that_is_slow_runs_once(fixed):
    fixed["jax_best"].seconds = 6.0
    rows = measuring.measure(
        measuring.Case(KERNELS["softmax"], {}, ("dfad", "jax_best")), primal=False, threads=None, repeats=3, report=lambda name: None
    )
    assert [len(row.seconds) for row in rows] == [3, 1]
    assert fixed["jax_best"].calls == 1
