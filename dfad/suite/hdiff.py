"""Horizontal diffusion of an atmospheric model: a Laplacian, and fluxes that are cut off where they would steepen the field.

Name and algorithm are those of `hdiff` in NPBench, where it comes from COSMO's benchmark of GridTools.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = "in_field"
outputs = ("out_field",)
sizes = {
    "S": {"I": 8, "J": 9, "K": 4},
    "M": {"I": 64, "J": 64, "K": 60},
    "L": {"I": 256, "J": 256, "K": 160},
    "paper": {"I": 256, "J": 256, "K": 160},
}


def initialize(size):
    size = sizes[size] if isinstance(size, str) else size
    rows, columns, levels = size["I"], size["J"], size["K"]
    out_field = wave(rows, columns, levels, phase=1.1)
    coeff = 0.1 * wave(rows, columns, levels, phase=1.9)
    return {"in_field": wave(rows + 4, columns + 4, levels), "out_field": out_field, "coeff": coeff}


def tape_minimum(size):
    """The adjoint starts from the argument again: nothing."""
    return 0


def hdiff(in_field, out_field, coeff):
    lap = 4.0 * in_field[1:-1, 1:-1, :] - (
        in_field[2:, 1:-1, :] + in_field[:-2, 1:-1, :] + in_field[1:-1, 2:, :] + in_field[1:-1, :-2, :]
    )
    rise = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flx = np.where(rise * (in_field[2:-1, 2:-2, :] - in_field[1:-2, 2:-2, :]) > 0, 0, rise)
    rise = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fly = np.where(rise * (in_field[2:-2, 2:-1, :] - in_field[2:-2, 1:-2, :]) > 0, 0, rise)
    out_field[:] = in_field[2:-2, 2:-2, :] - coeff * (flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :])


def jax_port(in_field, out_field, coeff):
    import jax.numpy as jnp

    lap = 4.0 * in_field[1:-1, 1:-1, :] - (
        in_field[2:, 1:-1, :] + in_field[:-2, 1:-1, :] + in_field[1:-1, 2:, :] + in_field[1:-1, :-2, :]
    )
    rise = lap[1:, 1:-1, :] - lap[:-1, 1:-1, :]
    flx = jnp.where(rise * (in_field[2:-1, 2:-2, :] - in_field[1:-2, 2:-2, :]) > 0, 0, rise)
    rise = lap[1:-1, 1:, :] - lap[1:-1, :-1, :]
    fly = jnp.where(rise * (in_field[2:-2, 2:-1, :] - in_field[2:-2, 1:-2, :]) > 0, 0, rise)
    return in_field[2:-2, 2:-2, :] - coeff * (flx[1:, :, :] - flx[:-1, :, :] + fly[:, 1:, :] - fly[:, :-1, :])


jax_best = jax_port
function = hdiff
