"""The great-circle distance between pairs of points on the unit sphere, by the haversine formula.

Name and algorithm are those of `arc_distance` in NPBench, where it comes from the benchmarks of Pythran.
"""

import numpy as np

from dfad.suite.data import wave

family = "V"
wrt = ("theta_1", "phi_1", "theta_2", "phi_2")
outputs = ("return",)
sizes = {
    "S": {"N": 200},
    "M": {"N": 100_000},
    "L": {"N": 2_000_000},
    "paper": {"N": 10_000_000},
}


def initialize(size):
    """Latitudes theta and longitudes phi in radians, never the same point nor opposite ones."""
    N = (sizes[size] if isinstance(size, str) else size)["N"]
    theta_1, phi_1 = wave(N) - 1.0, wave(N, phase=1.1)
    return {"theta_1": theta_1, "phi_1": phi_1, "theta_2": theta_1 + 0.3 * wave(N, phase=1.9), "phi_2": phi_1 + wave(N, phase=2.6)}


def tape_minimum(size):
    """The adjoint starts from the arguments again: nothing."""
    return 0


def arc_distance(theta_1, phi_1, theta_2, phi_2):
    hav_theta = np.sin((theta_2 - theta_1) / 2.0) ** 2
    hav_phi = np.sin((phi_2 - phi_1) / 2.0) ** 2
    hav = hav_theta + np.cos(theta_1) * np.cos(theta_2) * hav_phi
    return 2.0 * np.arctan2(np.sqrt(hav), np.sqrt(1.0 - hav))


def jax_port(theta_1, phi_1, theta_2, phi_2):
    import jax.numpy as jnp

    hav_theta = jnp.sin((theta_2 - theta_1) / 2.0) ** 2
    hav_phi = jnp.sin((phi_2 - phi_1) / 2.0) ** 2
    hav = hav_theta + jnp.cos(theta_1) * jnp.cos(theta_2) * hav_phi
    return 2.0 * jnp.arctan2(jnp.sqrt(hav), jnp.sqrt(1.0 - hav))


jax_best = jax_port
function = arc_distance
