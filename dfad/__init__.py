"""Exact, fast gradients of scientific loop kernels under a memory budget."""
