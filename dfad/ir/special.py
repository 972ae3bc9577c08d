"""Functions of the gamma family on numbers, where the module math raises an error instead of giving C's value, or has none.

In: a float. Out: a float; at the poles what C gives: an infinity, or NaN where the sides differ in sign.
"""

import math

_FROM = 10.0
"""From here on the asymptotic series of the digamma function is exact to the last bits."""
_BERNOULLI = (1 / 12, 1 / 120, 1 / 252, 1 / 240, 1 / 132, 691 / 32760, 1 / 12)
"""|B_2k| / 2k; the signs alternate."""


def gamma(x: float) -> float:
    """C's ``tgamma``."""
    if math.isnan(x) or x == -math.inf or (x < 0 and x == math.floor(x)):
        return math.nan
    if x == 0.0:
        return math.copysign(math.inf, x)
    try:
        return math.gamma(x)
    except OverflowError:
        return math.inf


def log_gamma(x: float) -> float:
    """C's ``lgamma``: the logarithm of the absolute value."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def digamma(x: float) -> float:
    """The derivative of `log_gamma`: recurrence up to 10, then the asymptotic series (Abramowitz and Stegun 6.3.5, 6.3.18), reflection
    (6.3.7) below 0. ``dfad_digamma`` of dfad.h is the same in C."""
    if math.isinf(x):
        return x if x > 0 else math.nan
    if x <= 0 and x == math.floor(x):
        return math.nan
    if x < 0:
        return digamma(1.0 - x) - math.pi / math.tan(math.pi * (x - math.floor(x)))
    result = 0.0
    while x < _FROM:
        result -= 1.0 / x
        x += 1.0
    square, series = 1.0 / (x * x), 0.0
    for place, coefficient in reversed(list(enumerate(_BERNOULLI))):
        series = square * (series + (coefficient if place % 2 == 0 else -coefficient))
    return result + math.log(x) - 0.5 / x - series
