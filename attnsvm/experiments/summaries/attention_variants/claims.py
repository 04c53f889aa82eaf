"""What dropout, merged tokens and a missing softmax change."""

from attnsvm.audit.conditions import LAST, TENTH, Those, number
from attnsvm.audit.evaluation import Claims

FEWER = "fewer tokens alone widen every margin: merging must do more than leaving out"
DROPOUT = Those("with dropout", lambda name: name.startswith("dropout"))
end = number(step=LAST, missing="{quantity} of {variant}")
near = end(variant=DROPOUT, quantity="distance", text="1 − correlation with the certified solution", missing="dropout")
same = end(quantity="same", text="share of inputs that select the same pair")
CLAIMS = Claims(group="secondary")


CLAIMS.declare(
    "dropout_law",
    near.must(
        "≤ 0.05", "a correlation of .95, as for plain attention after as many steps", "{variant} near its solution"
    ),
    near.without_interval().below(near(step=TENTH).without_interval(), "{variant} still falling"),
    short="dropout keeps the law",
    statement="With dropout on the attention weights W still goes to the max-margin solution of what it selects.",
)

CLAIMS.declare(
    "dropout_tokens",
    near(quantity="same", text="share of inputs with the same token from the same start").must(
        "≥ 0.9", "nine inputs in ten: one in eight would agree by chance", "{variant} keeps the tokens"
    ),
    short="dropout keeps the selection",
    statement="Dropout on the attention weights does not change which tokens are selected.",
)

CLAIMS.declare(
    "merged_margin",
    end(variant="merged", quantity="margin_half", text="margin over that on one token of every pair").must(
        "> 1.0", FEWER, "wider than on one token of every pair"
    ),
    end(variant="merged", quantity="margin").must("> 1.0", FEWER, "wider than on all tokens"),
    short="merged tokens widen the margin",
    statement="Merging neighbouring tokens widens the margin of what is selected.",
)

CLAIMS.declare(
    "merged_tokens",
    same(variant="merged").must("≥ 0.5", "most inputs: one in four would agree by chance", "the same pair"),
    same(variant="merged").above(same(variant="half"), "more often than with one of two"),
    short="merged tokens keep the selection",
    statement="After merging, the pair is selected that holds the token selected before.",
)

CLAIMS.declare(
    "softmax_selects",
    end(variant=("linear", "mixer", "uniform"), quantity="peak", text="largest part of the weight on one token").must(
        "≤ 0.5", "a token that is selected has most of the weight", "{variant}: no token has most of the weight"
    ),
    end(variant="attention", quantity="peak").must(
        "with a softmax > 0.95", "nearly all of the weight: the softmax has saturated", "softmax: one token has"
    ),
    short="no softmax, no selection",
    statement="Without a softmax (linear attention, a mixer) no token is selected.",
)

CLAIMS.declare(
    "linear_attention",
    end(variant="linear", quantity="predictions", text="1 − correlation with the solution of predictions").must(
        "≤ 0.05", "a correlation of .95: the same as asked of softmax attention", "near the solution of its predictions"
    ),
    end(variant="linear", quantity="distance").misses("far from the solution of tokens"),
    end(variant="attention", quantity="predictions").misses("softmax attention far from that of the predictions"),
    short="linear attention has another SVM",
    statement="Linear attention goes to the max-margin solution of its predictions, and not of tokens.",
)
