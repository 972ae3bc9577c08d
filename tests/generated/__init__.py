"""Small kernels written at random as Python text: nested loops, slices, branches on data, exchanges, in-place updates."""
