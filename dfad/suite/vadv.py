"""Vertical advection of an atmospheric model: one tridiagonal system in each column of air, by elimination along k.

Name and algorithm are those of `vadv` in NPBench, from the dynamical core of COSMO.

The map from the winds is linear; the eliminated diagonal is what the reverse needs, one array.
"""

import numpy as np

from dfad.suite.data import wave

family = "L"
wrt = ("utens", "u_stage")
outputs = ("utens_stage",)
sizes = {
    "S": {"I": 8, "J": 7, "K": 6},
    "M": {"I": 60, "J": 60, "K": 40},
    "L": {"I": 200, "J": 200, "K": 80},
    "paper": {"I": 256, "J": 256, "K": 160},
}
port_limit = {"I": 30, "J": 30, "K": 20}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    shape = size["I"], size["J"], size["K"]
    return {
        "utens_stage": wave(*shape),
        "u_stage": wave(*shape, phase=1.1),
        "wcon": wave(shape[0] + 1, *shape[1:], phase=1.9),
        "u_pos": wave(*shape, phase=2.3),
        "utens": wave(*shape, phase=3.1),
        "dtr_stage": 3.0 / 20.0 * 20.0,
    }


def tape_minimum(size):
    """The eliminated upper diagonal; the pivots follow from it and wcon."""
    return 8 * size["I"] * size["J"] * (size["K"] - 1)


def vadv(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    K = utens_stage.shape[2]
    ccol = np.empty_like(utens_stage)
    dcol = np.empty_like(utens_stage)

    g = 0.25 * (wcon[1:, :, 1] + wcon[:-1, :, 1])
    correction = -0.5 * g * (u_stage[:, :, 1] - u_stage[:, :, 0])
    pivot = 1.0 / (dtr_stage - 0.5 * g)
    ccol[:, :, 0] = 0.5 * g * pivot
    dcol[:, :, 0] = (dtr_stage * u_pos[:, :, 0] + utens[:, :, 0] + utens_stage[:, :, 0] + correction) * pivot

    for k in range(1, K - 1):
        above = -0.25 * (wcon[1:, :, k] + wcon[:-1, :, k])
        below = 0.25 * (wcon[1:, :, k + 1] + wcon[:-1, :, k + 1])
        correction = -0.5 * above * (u_stage[:, :, k - 1] - u_stage[:, :, k]) - 0.5 * below * (u_stage[:, :, k + 1] - u_stage[:, :, k])
        right = dtr_stage * u_pos[:, :, k] + utens[:, :, k] + utens_stage[:, :, k] + correction
        pivot = 1.0 / (dtr_stage - 0.5 * above - 0.5 * below - 0.5 * above * ccol[:, :, k - 1])
        ccol[:, :, k] = 0.5 * below * pivot
        dcol[:, :, k] = (right - 0.5 * above * dcol[:, :, k - 1]) * pivot

    above = -0.25 * (wcon[1:, :, -1] + wcon[:-1, :, -1])
    correction = -0.5 * above * (u_stage[:, :, -2] - u_stage[:, :, -1])
    right = dtr_stage * u_pos[:, :, -1] + utens[:, :, -1] + utens_stage[:, :, -1] + correction
    pivot = 1.0 / (dtr_stage - 0.5 * above - 0.5 * above * ccol[:, :, -2])
    column = (right - 0.5 * above * dcol[:, :, -2]) * pivot
    utens_stage[:, :, -1] = dtr_stage * (column - u_pos[:, :, -1])

    for k in range(K - 2, -1, -1):
        column = dcol[:, :, k] - ccol[:, :, k] * column
        utens_stage[:, :, k] = dtr_stage * (column - u_pos[:, :, k])


def jax_port(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """Level by level with fori_loop, each level a slice, as written."""
    import jax.numpy as jnp
    from jax import lax

    K = utens_stage.shape[2]
    right = dtr_stage * u_pos + utens + utens_stage
    weight = 0.25 * (wcon[1:] + wcon[:-1])

    def level(k, state):
        ccol, dcol = state
        above = jnp.where(k > 0, -weight[:, :, k], 0.0)
        below = jnp.where(k < K - 1, weight[:, :, jnp.minimum(k + 1, K - 1)], 0.0)
        before, after = jnp.maximum(k - 1, 0), jnp.minimum(k + 1, K - 1)
        u = u_stage[:, :, k]
        correction = -0.5 * above * (u_stage[:, :, before] - u) - 0.5 * below * (u_stage[:, :, after] - u)
        pivot = 1.0 / (dtr_stage - 0.5 * above - 0.5 * below - 0.5 * above * ccol[:, :, before])
        new = (right[:, :, k] + correction - 0.5 * above * dcol[:, :, before]) * pivot
        return ccol.at[:, :, k].set(0.5 * below * pivot), dcol.at[:, :, k].set(new)

    zero = jnp.zeros_like(utens_stage)
    ccol, dcol = lax.fori_loop(0, K, level, (zero, zero))

    def back(m, state):
        utens_stage, column = state
        k = K - 1 - m
        column = dcol[:, :, k] - ccol[:, :, k] * column
        return utens_stage.at[:, :, k].set(dtr_stage * (column - u_pos[:, :, k])), column

    return lax.fori_loop(0, K, back, (utens_stage, zero[:, :, 0]))[0]


def jax_best(utens_stage, u_stage, wcon, u_pos, utens, dtr_stage):
    """Everything that needs no recurrence on whole arrays; scans along k that carry one level."""
    import jax.numpy as jnp
    from jax import lax

    weight = 0.125 * (wcon[1:, :, 1:] + wcon[:-1, :, 1:])
    upper = jnp.pad(weight, ((0, 0), (0, 0), (0, 1)))
    lower = jnp.pad(-weight, ((0, 0), (0, 0), (1, 0)))
    slope = jnp.pad(u_stage[:, :, 1:] - u_stage[:, :, :-1], ((0, 0), (0, 0), (1, 1)))
    right = dtr_stage * u_pos + utens + utens_stage + lower * slope[:, :, :-1] - upper * slope[:, :, 1:]
    levels = [jnp.moveaxis(array, 2, 0) for array in (lower, upper, right)]

    def forward(state, at):
        c, d = state
        low, up, r = at
        pivot = 1.0 / (dtr_stage - low - up - low * c)
        state = (up * pivot, (r - low * d) * pivot)
        return state, state

    def backward(column, at):
        c, d = at
        column = d - c * column
        return column, column

    zero = jnp.zeros(utens_stage.shape[:2])
    _, solved = lax.scan(forward, (zero, zero), tuple(levels))
    _, columns = lax.scan(backward, zero, solved, reverse=True)
    return dtr_stage * (jnp.moveaxis(columns, 0, 2) - u_pos)


function = vadv
