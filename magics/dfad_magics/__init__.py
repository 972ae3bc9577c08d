"""The notebook layer of dfad: magics, cards and panels."""
