"""The suite's kernels: their records, their data, and their JAX counterparts against the complex step."""

import numpy as np
import pytest

from dfad import suite
from tests.references import gradient_error, jax_gradient, relative_error, run_numpy, weights

KERNELS = suite.kernels()

# Sizes at which the complex step takes a moment; the second is above 200 unknowns, or not square, where there is a choice.
TINY = {
    "gemm": ({"NI": 3, "NJ": 4, "NK": 5}, {"NI": 15, "NJ": 4, "NK": 16}),
    "k2mm": ({"NI": 3, "NJ": 4, "NK": 5, "NL": 2}, {"NI": 15, "NJ": 4, "NK": 16, "NL": 3}),
    "k3mm": ({"NI": 3, "NJ": 4, "NK": 5, "NL": 2, "NM": 6}, {"NI": 15, "NJ": 4, "NK": 16, "NL": 3, "NM": 7}),
    "atax": ({"M": 4, "N": 5}, {"M": 16, "N": 15}),
    "bicg": ({"M": 4, "N": 5}, {"M": 16, "N": 15}),
    "mvt": ({"N": 4}, {"N": 15}),
    "gemver": ({"N": 4}, {"N": 15}),
    "gesummv": ({"N": 4}, {"N": 15}),
    "doitgen": ({"NR": 2, "NQ": 3, "NP": 4}, {"NR": 6, "NQ": 5, "NP": 8}),
    "covariance": ({"M": 4, "N": 6}, {"M": 15, "N": 16}),
    "correlation": ({"M": 5, "N": 6}, {"M": 14, "N": 17}),
    "softmax": ({"N": 2, "H": 1, "SM": 4, "dtype": "float64"}, {"N": 2, "H": 2, "SM": 8, "dtype": "float64"}),
    "mlp": (
        {"C_in": 3, "N": 2, "S0": 5, "S1": 4, "S2": 3, "dtype": "float64"},
        {"C_in": 2, "N": 4, "S0": 12, "S1": 13, "S2": 8, "dtype": "float64"},
    ),
    "conv2d_bias": (
        {"N": 2, "C_in": 2, "C_out": 3, "K": 2, "H": 4, "W": 5, "dtype": "float64"},
        {"N": 3, "C_in": 2, "C_out": 4, "K": 3, "H": 7, "W": 6, "dtype": "float64"},
    ),
    "lenet": ({"N": 1, "H": 16, "W": 17, "dtype": "float64"}, {"N": 2, "H": 20, "W": 16, "dtype": "float64"}),
    "resnet": (
        {"N": 3, "W": 4, "H": 3, "C1": 3, "C2": 2, "dtype": "float64"},
        {"N": 4, "W": 4, "H": 5, "C1": 4, "C2": 3, "dtype": "float64"},
    ),
    "arc_distance": ({"N": 6}, {"N": 55}),
    "go_fast": ({"N": 4}, {"N": 17}),
    "compute": ({"M": 4, "N": 5}, {"M": 15, "N": 16}),
    "hdiff": ({"I": 2, "J": 3, "K": 2}, {"I": 6, "J": 5, "K": 3}),
    "azimint_naive": ({"N": 20, "npt": 4}, {"N": 220, "npt": 9}),
    "seidel_2d": ({"T": 3, "N": 6}, {"T": 4, "N": 15}),
    "jacobi_1d": ({"T": 4, "N": 7}, {"T": 9, "N": 220}),
    "jacobi_2d": ({"T": 3, "N": 6}, {"T": 5, "N": 16}),
    "heat_3d": ({"T": 3, "N": 4}, {"T": 4, "N": 7}),
    "fdtd_2d": ({"T": 3, "NX": 5, "NY": 6}, {"T": 4, "NX": 12, "NY": 10}),
    "adi": ({"T": 2, "N": 6}, {"T": 3, "N": 15}),
    "deriche": ({"W": 5, "H": 6}, {"W": 15, "H": 14}),
    "durbin": ({"N": 6}, {"N": 40}),
    "trisolv": ({"N": 6}, {"N": 15}),
    "lu": ({"N": 6}, {"N": 15}),
    "ludcmp": ({"N": 6}, {"N": 15}),
    "gramschmidt": ({"M": 6, "N": 5}, {"M": 16, "N": 14}),
    "trmm": ({"M": 5, "N": 6}, {"M": 12, "N": 11}),
    "symm": ({"M": 5, "N": 6}, {"M": 12, "N": 11}),
    "syrk": ({"M": 5, "N": 6}, {"M": 12, "N": 11}),
    "syr2k": ({"M": 5, "N": 6}, {"M": 12, "N": 11}),
    "cavity_flow": ({"ny": 7, "nx": 6, "nt": 3, "nit": 2}, {"ny": 15, "nx": 16, "nt": 4, "nit": 3}),
    "vadv": ({"I": 3, "J": 2, "K": 5}, {"I": 5, "J": 6, "K": 8}),
    "spmv": ({"M": 7, "N": 6, "nnz": 17}, {"M": 40, "N": 50, "nnz": 190}),
    "channel_flow": ({"ny": 7, "nx": 6, "nit": 2}, {"ny": 9, "nx": 8, "nit": 3}),
    "nbody": ({"N": 4, "T": 3}, {"N": 40, "T": 4}),
    "azimint_hist": ({"N": 60, "npt": 5}, {"N": 250, "npt": 12}),
    "floyd_warshall": ({"N": 6}, {"N": 15}),
    "cholesky": ({"N": 6}, {"N": 15}),
    "burgers_1d": ({"N": 7, "steps": 3}, {"N": 12, "steps": 20}),
    "burgers_2d": ({"N": 6, "steps": 3}, {"N": 11, "steps": 7}),
    "seidel_nonlinear": ({"T": 3, "N": 5}, {"T": 4, "N": 15}),
    "shallow_water": ({"N": 6, "steps": 3}, {"N": 11, "steps": 7}),
    "heat_radiation": ({"N": 6, "steps": 3}, {"N": 9, "steps": 7}),
    "lorenz_rk4": ({"N": 3, "steps": 4}, {"N": 70, "steps": 20}),
    "lstm": ({"units": 2, "steps": 3}, {"units": 5, "steps": 7}),
    "gray_scott": ({"N": 5, "steps": 3}, {"N": 9, "steps": 8}),
    "plasticity": ({"points": 5, "steps": 9}, {"points": 17, "steps": 40}),
    "option_mc": ({"paths": 4, "steps": 5}, {"paths": 20, "steps": 12}),
    "newton_loop": ({"N": 5}, {"N": 30}),
    "cg": ({"N": 3}, {"N": 8}),
}
PORTS = [(name, system) for name, benchmark in KERNELS.items() for system in benchmark.systems]


def test_every_kernel_has_a_complete_record():
    assert set(KERNELS) == set(TINY)
    for name, benchmark in KERNELS.items():
        assert benchmark.name == benchmark.function.__name__ == name
        assert name in suite.MODULES[benchmark.family]
        assert set(benchmark.sizes) == {"S", "M", "L", "paper"}
        assert "jax_port" in benchmark.systems
        assert ("jax_best" in benchmark.systems) == (benchmark.no_reverse is None)
        arguments = benchmark.initialize("S")
        assert {benchmark.wrt} <= set(arguments) if isinstance(benchmark.wrt, str) else set(benchmark.wrt) <= set(arguments)
        assert benchmark.of is None or set(benchmark.outputs) <= set(arguments)


def test_initial_data_is_the_same_every_time_and_uneven():
    for benchmark in KERNELS.values():
        first, second = benchmark.initialize("S"), benchmark.initialize(benchmark.sizes["S"])
        for name, value in first.items():
            assert np.array_equal(value, second[name])
            if isinstance(value, np.ndarray):
                assert np.all(np.isfinite(value))
                assert np.std(value) > 0.001


def test_the_cotangent_is_the_weight_of_the_tests():
    assert np.array_equal(suite.cotangent((3, 4)), weights((3, 4)))
    assert suite.cotangent(()).shape == ()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "system"), PORTS)
def test_jax_counterparts_compute_the_same_values(name, system):
    import jax

    jax.config.update("jax_enable_x64", True)
    benchmark = KERNELS[name]
    for size in TINY[name]:
        arguments = benchmark.initialize(size)
        expected = run_numpy(benchmark.function, arguments, benchmark.of)
        lifted = {key: jax.numpy.asarray(value) if isinstance(value, np.ndarray) else value for key, value in arguments.items()}
        outputs = benchmark.systems[system](**lifted)
        assert relative_error(outputs if isinstance(outputs, tuple) else (outputs,), expected) <= 1e-13


@pytest.mark.slow
@pytest.mark.parametrize(("name", "system"), [port for port in PORTS if KERNELS[port[0]].no_reverse is None])
def test_jax_counterparts_have_the_gradient_of_the_complex_step(name, system):
    benchmark = KERNELS[name]
    for size in TINY[name][: 1 if system == "jax_port" else None]:
        arguments = benchmark.initialize(size)
        gradient = jax_gradient(benchmark.systems[system], arguments, wrt=benchmark.wrt)
        assert gradient_error(benchmark.function, arguments, gradient, wrt=benchmark.wrt, of=benchmark.of) <= 1e-13


@pytest.mark.slow
def test_blocks_of_columns_join_up(monkeypatch):
    monkeypatch.setattr(suite.cholesky, "BLOCK", 4)
    arguments = suite.cholesky.initialize({"N": 14})
    gradient = jax_gradient(suite.cholesky.jax_best, arguments, wrt="A")
    assert gradient_error(suite.cholesky.function, arguments, gradient, wrt="A", of="A") <= 1e-13
