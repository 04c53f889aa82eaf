"""What is said of the paper and has no meaning that a number could decide."""

from attnsvm.audit import Claim

CLAIMS = (
    Claim(
        key="multi_head",
        group="secondary",
        short="heads as a regulariser",
        statement="Multi-head attention acts like a regulariser of the SVM.",
        check="none",
        why="the statement names neither the objective that is regularised nor the quantity that shrinks; the paper "
        "analyses one head, and heads that are trained together have no common SVM to which the statement could refer",
        figure="",
    ),
)
