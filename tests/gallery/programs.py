"""Whole programs of the kinds that people bring: stencils, factorizations, array code, non-linear marches in time."""

import math

import numpy as np

from tests.gallery import Entry
from tests.gallery.makers import all_of, array, number, signed, value


def program_fdtd(ex, ey, hz, fict):
    """Maxwell's equations in two dimensions, three fields updated in place."""
    for t in range(fict.shape[0]):
        ey[0, :] = fict[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def program_adi(u, steps):
    """Alternating directions: forward recurrences and back substitution per row and column."""
    n = u.shape[0]
    v = np.zeros_like(u)
    p = np.zeros_like(u)
    q = np.zeros_like(u)
    a, b, c = -0.3, 1.6, -0.3
    d, e, f = -0.2, 1.4, -0.2
    for _t in range(steps):
        v[0, 1 : n - 1] = 1.0
        p[1 : n - 1, 0] = 0.0
        q[1 : n - 1, 0] = v[0, 1 : n - 1]
        for j in range(1, n - 1):
            p[1 : n - 1, j] = -c / (a * p[1 : n - 1, j - 1] + b)
            q[1 : n - 1, j] = (-d * u[j, : n - 2] + (1.0 + 2.0 * d) * u[j, 1 : n - 1] - f * u[j, 2:n] - a * q[1 : n - 1, j - 1]) / (
                a * p[1 : n - 1, j - 1] + b
            )
        v[n - 1, 1 : n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1 : n - 1] = p[1 : n - 1, j] * v[j + 1, 1 : n - 1] + q[1 : n - 1, j]
        for j in range(1, n - 1):
            u[1 : n - 1, j] = (v[j - 1, 1 : n - 1] + e * v[j, 1 : n - 1]) / (1.0 + e)


def program_durbin(r):
    """Levinson's recursion with a reversed prefix."""
    y = np.empty_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(r[:k][::-1], y[:k])) / beta
        y[:k] += alpha * y[:k][::-1]
        y[k] = alpha
    return y


def program_trisolv(L, x, b):
    """A triangular solve with dot products of prefixes."""
    for i in range(x.shape[0]):
        x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]


def program_cholesky_dot(A):
    """Cholesky with dot products of row prefixes."""
    A[0, 0] = np.sqrt(A[0, 0])
    for i in range(1, A.shape[0]):
        for j in range(i):
            A[i, j] -= np.dot(A[i, :j], A[j, :j])
            A[i, j] /= A[j, j]
        A[i, i] -= np.dot(A[i, :i], A[i, :i])
        A[i, i] = np.sqrt(A[i, i])


def program_lu(A):
    """LU in place with row and column prefixes."""
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, A.shape[0]):
            A[i, j] -= A[i, :i] @ A[:i, j]


def program_gramschmidt(A):
    """QR by columns."""
    Q = np.zeros_like(A)
    R = np.zeros((A.shape[1], A.shape[1]))
    for k in range(A.shape[1]):
        nrm = np.dot(A[:, k], A[:, k])
        R[k, k] = np.sqrt(nrm)
        Q[:, k] = A[:, k] / R[k, k]
        for j in range(k + 1, A.shape[1]):
            R[k, j] = np.dot(Q[:, k], A[:, j])
            A[:, j] -= Q[:, k] * R[k, j]
    return Q, R


def program_trmm(alpha, A, B):
    """A triangular product by columns."""
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1 :, i], B[i + 1 :, j])
    B *= alpha


def program_syrk(alpha, beta, C, A):
    """A symmetric update by row slices."""
    for i in range(A.shape[0]):
        C[i, : i + 1] *= beta
        for k in range(A.shape[1]):
            C[i, : i + 1] += alpha * A[i, k] * A[: i + 1, k]


def program_gemver(alpha, beta, A, u1, v1, u2, v2, w, x, y, z):
    """A rank-2 update, then two products."""
    A += np.outer(u1, v1) + np.outer(u2, v2)
    x += beta * y @ A + z
    w += alpha * A @ x


def program_doitgen(A, C4):
    """A product along the last axis."""
    for r in range(A.shape[0]):
        for q in range(A.shape[1]):
            A[r, q, :] = A[r, q, :] @ C4


def program_covariance(data):
    """Column means removed, then the symmetric matrix row by row."""
    mean = np.mean(data, axis=0)
    data -= mean
    m = data.shape[1]
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i:m, i] = cov[i, i:m] = data[:, i] @ data[:, i:m] / (data.shape[0] - 1.0)
    return cov


def program_mlp(x, w1, b1, w2, b2):
    """Two dense layers, relu and softmax."""
    h = np.maximum(x @ w1 + b1, 0.0)
    z = h @ w2 + b2
    e = np.exp(z - np.max(z, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def program_conv2d(image, weights, bias):
    """A convolution as a loop over output pixels of a broadcast product summed."""
    K = weights.shape[0]
    N, H, W = image.shape[0], image.shape[1] - K + 1, image.shape[2] - K + 1
    output = np.empty((N, H, W, weights.shape[3]))
    for i in range(H):
        for j in range(W):
            output[:, i, j, :] = np.sum(image[:, i : i + K, j : j + K, :, np.newaxis] * weights[np.newaxis, :, :, :], axis=(1, 2, 3))
    return output + bias


def program_hdiff(field, coeff):
    """Flux-limited diffusion with two limiters."""
    lap = 4.0 * field[1:-1, 1:-1] - (field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2])
    res = lap[1:, 1:-1] - lap[:-1, 1:-1]
    flx = np.where((res * (field[2:-1, 2:-2] - field[1:-2, 2:-2])) > 0, 0, res)
    res = lap[1:-1, 1:] - lap[1:-1, :-1]
    fly = np.where((res * (field[2:-2, 2:-1] - field[2:-2, 1:-2])) > 0, 0, res)
    return field[2:-2, 2:-2] - coeff * (flx[1:, :] - flx[:-1, :] + fly[:, 1:] - fly[:, :-1])


def program_thomas(a, b, c, d):
    """A tridiagonal solve along the last axis of many columns."""
    n = a.shape[1]
    c[:, 0] = c[:, 0] / b[:, 0]
    d[:, 0] = d[:, 0] / b[:, 0]
    for k in range(1, n):
        m = 1.0 / (b[:, k] - a[:, k] * c[:, k - 1])
        c[:, k] = c[:, k] * m
        d[:, k] = (d[:, k] - a[:, k] * d[:, k - 1]) * m
    for k in range(n - 2, -1, -1):
        d[:, k] -= c[:, k] * d[:, k + 1]


def program_recursive_filter(x):
    """Causal and anticausal second-order recurrences along rows."""
    y1 = np.empty_like(x)
    y2 = np.empty_like(x)
    y1[:, 0] = 0.3 * x[:, 0]
    y1[:, 1] = 0.3 * x[:, 1] + 0.2 * x[:, 0] + 0.5 * y1[:, 0]
    for j in range(2, x.shape[1]):
        y1[:, j] = 0.3 * x[:, j] + 0.2 * x[:, j - 1] + 0.5 * y1[:, j - 1] - 0.1 * y1[:, j - 2]
    y2[:, -1] = 0.0
    y2[:, -2] = 0.4 * x[:, -1]
    for j in range(x.shape[1] - 3, -1, -1):
        y2[:, j] = 0.4 * x[:, j + 1] - 0.1 * x[:, j + 2] + 0.5 * y2[:, j + 1] - 0.1 * y2[:, j + 2]
    return y1 + y2


def pressure_poisson(nit, p, dx, dy, b):
    for _q in range(nit):
        pn = p.copy()
        p[1:-1, 1:-1] = ((pn[1:-1, 2:] + pn[1:-1, 0:-2]) * dy**2 + (pn[2:, 1:-1] + pn[0:-2, 1:-1]) * dx**2) / (
            2 * (dx**2 + dy**2)
        ) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


def program_cavity_flow(nt, nit, u, v, dt, dx, dy, p, rho, nu):
    """Navier-Stokes in a cavity: a source term, pressure sweeps with copies, velocities."""
    b = np.zeros((u.shape[0], u.shape[1]))
    for _n in range(nt):
        un = u.copy()
        vn = v.copy()
        b[1:-1, 1:-1] = rho * (
            1 / dt * ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx) + (v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy))
            - ((u[1:-1, 2:] - u[1:-1, 0:-2]) / (2 * dx)) ** 2
            - 2 * ((u[2:, 1:-1] - u[0:-2, 1:-1]) / (2 * dy) * (v[1:-1, 2:] - v[1:-1, 0:-2]) / (2 * dx))
            - ((v[2:, 1:-1] - v[0:-2, 1:-1]) / (2 * dy)) ** 2
        )
        pressure_poisson(nit, p, dx, dy, b)
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, 0:-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[0:-2, 1:-1])
            - dt / (2 * rho * dx) * (p[1:-1, 2:] - p[1:-1, 0:-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2 * un[1:-1, 1:-1] + un[1:-1, 0:-2])
        )
        v[1:-1, 1:-1] = vn[1:-1, 1:-1] - dt / (2 * rho * dy) * (p[2:, 1:-1] - p[0:-2, 1:-1])
        u[0, :] = 0
        u[:, 0] = 0
        u[:, -1] = 0
        u[-1, :] = 1
        v[0, :] = 0
        v[-1, :] = 0


def laplacian(Z, i, j, n, m):
    return Z[i - 1, j] + Z[(i + 1) % n, j] + Z[i, j - 1] + Z[i, (j + 1) % m] - 4.0 * Z[i, j]


def program_gray_scott(u, v, steps, F, k):
    """Two species, a periodic Laplacian by a helper, arrays exchanged."""
    n, m = u.shape
    un = np.empty_like(u)
    vn = np.empty_like(v)
    for _t in range(steps):
        for i in range(n):
            for j in range(m):
                r = u[i, j] * v[i, j] * v[i, j]
                un[i, j] = u[i, j] + 0.16 * laplacian(u, i, j, n, m) - r + F * (1.0 - u[i, j])
                vn[i, j] = v[i, j] + 0.08 * laplacian(v, i, j, n, m) + r - (F + k) * v[i, j]
        u, un = un, u
        v, vn = vn, v
    return np.sum(u * v)


def lorenz(x, y, z, s, r, b):
    return s * (y - x), x * (r - z) - y, x * y - b * z


def program_lorenz(state, sigma, rho, beta, steps, dt):
    """Independent Lorenz systems by the classical Runge-Kutta method."""
    for c in range(state.shape[0]):
        x, y, z = state[c, 0], state[c, 1], state[c, 2]
        for _t in range(steps):
            k1x, k1y, k1z = lorenz(x, y, z, sigma, rho, beta)
            k2x, k2y, k2z = lorenz(x + 0.5 * dt * k1x, y + 0.5 * dt * k1y, z + 0.5 * dt * k1z, sigma, rho, beta)
            x, y, z = x + dt * k2x, y + dt * k2y, z + dt * k2z
        state[c, 0], state[c, 1], state[c, 2] = x, y, z
    return np.sum(state * state)


def program_lstm(xs, W, U, b, h, c):
    """A recurrent cell over a sequence."""
    H = h.shape[0]
    loss = 0.0
    for t in range(xs.shape[0]):
        z = W @ xs[t] + U @ h + b
        i = 1.0 / (1.0 + np.exp(-z[:H]))
        f = 1.0 / (1.0 + np.exp(-z[H : 2 * H]))
        o = 1.0 / (1.0 + np.exp(-z[2 * H : 3 * H]))
        g = np.tanh(z[3 * H :])
        c = f * c + i * g
        h = o * np.tanh(c)
        loss += np.sum(h * h)
    return loss


def lstm_arguments(n, rng):
    return (
        rng.uniform(-1, 1, (n, 3)),
        rng.uniform(-1, 1, (8, 3)),
        rng.uniform(-1, 1, (8, 2)),
        rng.uniform(-1, 1, 8),
        rng.uniform(-1, 1, 2),
        rng.uniform(-1, 1, 2),
    )


def program_plasticity(strain, E, sy0, H):
    """A return map with history: branch on yield."""
    steps, points = strain.shape
    stress = np.zeros(points)
    alpha = np.zeros(points)
    energy = 0.0
    for t in range(1, steps):
        for p in range(points):
            de = strain[t, p] - strain[t - 1, p]
            trial = stress[p] + E * de
            sy = sy0 + H * alpha[p]
            if abs(trial) > sy:
                stress[p] = sy if trial > 0 else -sy
                alpha[p] += (abs(trial) - sy) / E
            else:
                stress[p] = trial
            energy += stress[p] * de
    return energy


def program_heat_radiation(T, conductivity, steps):
    """Explicit heat with averaged face values and a T**4 sink."""
    for _t in range(steps):
        k = conductivity * (1.0 + 0.1 * T)
        flux = 0.5 * (k[1:] + k[:-1]) * (T[1:] - T[:-1])
        T[1:-1] += 0.01 * (flux[1:] - flux[:-1]) - 1e-3 * (T[1:-1] ** 4 - 0.5)
    return np.sum(T)


def program_shallow_water(h, hu, steps):
    """Lax-Friedrichs in one dimension with reflecting walls."""
    g = 9.81
    for _t in range(steps):
        f1 = hu
        f2 = hu * hu / h + 0.5 * g * h * h
        hn = h.copy()
        hun = hu.copy()
        hn[1:-1] = 0.5 * (h[2:] + h[:-2]) - 0.1 * (f1[2:] - f1[:-2])
        hun[1:-1] = 0.5 * (hu[2:] + hu[:-2]) - 0.1 * (f2[2:] - f2[:-2])
        hn[0], hn[-1] = hn[1], hn[-2]
        hun[0], hun[-1] = -hun[1], -hun[-2]
        h, hu = hn, hun
    return np.sum(h * h) + np.sum(hu)


def program_floyd_warshall(path):
    """All shortest paths, min plus."""
    for k in range(path.shape[0]):
        for i in range(path.shape[0]):
            path[i, :] = np.minimum(path[i, :], path[i, k] + path[k, :])


def program_nbody(pos, vel, mass, dt, steps):
    """Pairwise forces and a leapfrog step."""
    n = pos.shape[0]
    for _t in range(steps):
        for i in range(n):
            ax = 0.0
            ay = 0.0
            for j in range(n):
                if i != j:
                    dx = pos[j, 0] - pos[i, 0]
                    dy = pos[j, 1] - pos[i, 1]
                    r = math.sqrt(dx * dx + dy * dy + 0.01)
                    ax += mass[j] * dx / (r * r * r)
                    ay += mass[j] * dy / (r * r * r)
            vel[i, 0] += dt * ax
            vel[i, 1] += dt * ay
        pos += dt * vel
    return np.sum(pos * pos)


def positive_definite(n, rng):
    A = rng.uniform(-1, 1, (n, n))
    return (A @ A.T + n * np.eye(n),)


def lower_triangular(n, rng):
    return np.tril(rng.uniform(0.5, 1, (n, n))) + n * np.eye(n), np.zeros(n), rng.uniform(0, 1, n)


def vectors(n, rng):
    return (1.5, 1.2, rng.uniform(0, 1, (n, n)), *(rng.uniform(0, 1, n) for _ in range(8)))


def cavity(n, rng):
    shape = (n, n + 1)
    return 2, 3, rng.uniform(0, 0.1, shape), rng.uniform(0, 0.1, shape), 0.001, 0.1, 0.1, rng.uniform(0, 0.1, shape), 1.0, 0.1


ENTRIES = (
    Entry(program_fdtd, all_of(array("n", "n"), array("n", "n"), array("n", "n"), array(3)), least=1),
    Entry(program_adi, all_of(array("n", "n"), value(2)), least=2),
    Entry(program_durbin, all_of(array("n", high=0.6)), bits=False, least=1),
    Entry(program_trisolv, lower_triangular, bits=False),
    Entry(program_cholesky_dot, positive_definite, bits=False, least=1),
    Entry(program_lu, positive_definite, bits=False),
    Entry(program_gramschmidt, array("n+2", "n"), bits=False),
    Entry(program_trmm, all_of(number(), array("n", "n"), array("n", "n+1")), bits=False),
    Entry(program_syrk, all_of(number(), number(), array("n", "n"), array("n", "n+1"))),
    Entry(program_gemver, vectors, bits=False),
    Entry(program_doitgen, all_of(array("n", 2, 3), array(3, 3)), bits=False),
    Entry(program_covariance, array("n+2", "n"), bits=False),
    Entry(program_mlp, all_of(signed("n", 3), signed(3, 4), signed(4), signed(4, 2), signed(2)), bits=False),
    Entry(program_conv2d, all_of(array(2, "n+2", "n+2", 2), array(2, 2, 2, 3), array(3)), bits=False),
    Entry(program_hdiff, all_of(signed("n+4", "n+4"), signed("n", "n"))),
    Entry(program_thomas, all_of(array("n", 5, high=0.8), array("n", 5, low=2.0, high=3.0), array("n", 5), array("n", 5))),
    Entry(program_recursive_filter, array("n", 5)),
    Entry(program_cavity_flow, cavity, bits=False, least=2),
    Entry(program_gray_scott, all_of(array("n", "n+1"), array("n", "n+1"), value(2), value(0.035), value(0.065)), bits=False),
    Entry(program_lorenz, all_of(array("n", 3), value(10.0), value(28.0), value(8.0 / 3.0), value(4), value(0.01)), bits=False),
    Entry(program_lstm, lstm_arguments, bits=False),
    Entry(program_plasticity, all_of(signed("n", 3), value(2.0), value(0.5), value(0.1))),
    Entry(program_heat_radiation, all_of(array("n+2"), array("n+2"), value(3)), bits=False),
    Entry(program_shallow_water, all_of(array("n+2"), signed("n+2"), value(3)), bits=False),
    Entry(program_floyd_warshall, array("n", "n")),
    Entry(program_nbody, all_of(signed("n", 2), signed("n", 2), array("n"), value(0.01), value(2)), bits=False),
)
