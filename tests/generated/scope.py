"""What a statement of a generated kernel may name."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Index:
    """A loop variable; whether its value -1 and +1 are in range(n) too, and whether it is in range(n) at all."""

    name: str
    below: bool = False
    above: bool = False
    inside: bool = True


@dataclass
class Scope:
    """What may be named where a statement stands. `vectors` have n elements, views among them."""

    indices: list[Index] = field(default_factory=list)
    scalars: list[str] = field(default_factory=lambda: ["c", "s"])
    vectors: list[str] = field(default_factory=lambda: ["x", "y"])
    matrices: list[str] = field(default_factory=lambda: ["A", "B"])
    integers: list[str] = field(default_factory=list)
    conditional: bool = False

    def inside(self, *indices: Index, conditional: bool = False) -> Scope:
        """The scope of a region inside this one."""
        return Scope(
            [*self.indices, *indices], [*self.scalars], [*self.vectors], [*self.matrices], [*self.integers], self.conditional or conditional
        )

    @property
    def own(self) -> list[str]:
        """The vectors that are no views."""
        return [name for name in self.vectors if name[0] in "xyw"]
