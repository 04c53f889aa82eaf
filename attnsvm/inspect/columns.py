"""The columns of the table, in their order, and what each means."""

NORMS = {"fro": "Frobenius", "nuc": "nuclear"}

OF_A_HEAD = {
    "layer": "number of the layer, from 0",
    "head": "number of the head in its layer, from 0",
    "theory": "`exact`; `selections`: a soft cap, only the selections are exact; `frozen norms`: descriptive only",
    "beats": "controls that the head beats, in all norms: W_mm predicts its held-out selections better than the best "
    "rule, and than null models are predicted, by an exact 95 % interval over texts",
    "undecided": "controls of which that interval says neither",
    "controls": "of so many, those that there are numbers of",
    "rank_head": "rank of the head's W, relative tolerance 1e-9",
    "inputs_held_out": "queries on which predictions are scored",
    "texts_held_out": "their texts",
    "does": "what it does in most inputs, fitted and held out: which tokens it selects, with their shares, and "
    "the weight of the selected token",
    "chance": "share of held-out queries that a guess among all tokens gets right",
    "rule": "the rule that fits best: first, last, itself, before, after; for lifted heads also `3 before` and so on",
    "rule_predicted": "share of held-out inputs on which this rule names the token that the head selects",
    "delimiter_selected": "share of fitted inputs whose selected token is a delimiter",
    "half_length_predicted": "length at half weight, predicted: 1 + (T − 1)p/(1 − p) with the weight p of the selected "
    "token among T, median over the shorter third of the fitted inputs; if further tokens are independent and like "
    "these, the mean length is at least this and less than twice it; soft caps and sinks are left out",
    "half_length_predicted_low": "lower end of its 95 % interval",
    "half_length_predicted_high": "upper end",
    "half_length_measured": "the same, measured on fitted inputs four times as long and longer; equal if further "
    "tokens are like the first ones",
    "half_length_measured_low": "lower end of this 95 % interval",
    "half_length_measured_high": "upper end of it",
}
OF_A_NORM = {
    "inputs": "queries fitted",
    "constraints": "one per fitted query and token that it does not select",
    "status": "`solved`: separable, with a certificate; `infeasible`: proved not to be; `remote`: no W up to a large "
    "norm separates; `uncertified`: not proved",
    "gap": "relative distance between the proved bounds of the least norm",
    "margin": "largest margin of a W of norm one, 1/‖W_mm‖; in units of token times query",
    "margin_random": "the same for random heads, mean",
    "margin_ratio": "smallest margin of the head's W at norm one, relative to `margin`; 1 for a max-margin W",
    "support": "tokens on the margin",
    "rank": "numerical rank of the certified solution; for lifted heads with a relative tolerance of 1e-6",
    "alignment": "cosine of the head's W with W_mm, both projected onto the span of the constraint matrices",
    "alignment_random": "the same for random heads and the selections of these heads, mean",
    "alignment_permuted": "the head's W with the solution of permuted selections, mean",
    "separable_random": "random heads whose solution was certified, the number behind those means",
    "separable_permuted": "permutations that were separable, the number behind those means",
    "predicted": "share of held-out inputs on which W_mm selects the head's token",
    "predicted_random": "the same for random heads: their selections, predicted from their solution, mean",
    "predicted_permuted": "the head's selections, predicted by solutions of permuted ones, mean",
}
FROBENIUS_ONLY = {  # where the theory is exact
    "changed": "share of held-out selections that change once the direction of W_mm is taken from the head's W",
    "changed_low": "lower end of its 95 % interval",
    "changed_high": "upper end",
    "changed_random": "the same for W_mm turned at random, of the same norm and singular values, mean; where it is not "
    "below that interval, the direction matters no more than another one",
    "loss_added": "by how much the loss of the whole model rises with it on the held-out texts, mean, in nats: −log of "
    "its probability of the next token, or of the masked ones (every seventh word)",
    "loss_added_low": "lower end of its 95 % interval over texts",
    "loss_added_high": "upper end",
    "loss_added_random": "the same for W_mm turned at random, mean",
}
LIFTED_ONLY = {  # in the Frobenius norm, where logits depend on distance
    "alignment_distances": "the head's W with the solution of permuted distances to the selected token, mean",
    "alignment_mismatched": "of heads with the keys of this one and the queries of another, mean",
    "separable_distances": "permutations of distances that were separable, the number behind those means",
    "separable_mismatched": "mismatched heads whose solution was certified, the number behind those means",
    "predicted_distances": "the head's selections, predicted by solutions of permuted distances, mean",
    "predicted_mismatched": "mismatched heads: their selections, predicted from their solution, mean",
}
NUCLEAR_ONLY = {"rank_bound": "upper bound on the rank of every solution, by complementary slackness"}


def columns(norms, lifted: bool = False) -> dict[str, str]:
    """{column: meaning}, of the norms asked for; `lifted`: where logits depend on distance."""
    found = dict(OF_A_HEAD)
    for norm in norms:
        own = OF_A_NORM | (FROBENIUS_ONLY if norm == "fro" else NUCLEAR_ONLY) | (LIFTED_ONLY if lifted else {})
        found |= {f"{name}_{norm}": f"{meaning} ({NORMS[norm]} norm)" for name, meaning in own.items()}
    return found
