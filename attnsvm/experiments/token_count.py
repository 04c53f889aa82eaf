"""Convergence types as the number of tokens grows, at a fixed number of inputs and dimension."""

from attnsvm.experiments.base import require
from attnsvm.experiments.convergence_types import ConvergenceTypes


class TokenCount(ConvergenceTypes):
    def cells(self):
        shape = self.config["problems"]
        require(
            len({n for n, _ in shape["shapes"]}) == len(shape["d"]) == 1,
            "config: experiments.token_count.problems: only T may vary, give one n and one d",
        )
        return super().cells()


EXPERIMENT = TokenCount
