// Two attention layers: X¹_r = x_r + Σ_s A_rs x_s with A_r = softmax over s of x_sᵀ W1 x_r, then
// f = vᵀ (X¹)ᵀ softmax(X¹ W2 z). Both are trained together, divided by the norm of both gradients, exact direction.

const compose = (problem, first) => problem.tokens.map((own) => {
  const rows = own.map((x) => {
    const along = times(first, x);
    return soften(own.map((s) => dot(s, along)));
  });
  const tokens = own.map((x, r) => {
    const sum = [...x];
    own.forEach((s, k) => { const p = rows[r].probabilities[k]; sum[0] += p * s[0]; sum[1] += p * s[1]; });
    return sum;
  });
  return { rows, tokens };
});
const above = (problem, composed) => ({ ...problem, tokens: composed.map((own) => own.tokens) });

// Terms Σ factor·exp(log)·left rightᵀ, added up without underflow: { matrix, log } stands for matrix·exp(log).
const gathered = (terms) => {
  const log = terms.reduce((most, term) => Math.max(most, term.log), -1e300), matrix = [0, 0, 0, 0];
  for (const { factor, left, right, log: own } of terms) {
    const scale = factor * Math.exp(own - log);
    outer(left, right).forEach((x, k) => { matrix[k] += scale * x; });
  }
  return { matrix, log };
};

// The gradients with respect to W1 and W2, each { matrix, log }, and the pass of layer 2.
const layerGradients = (problem, weights) => {
  const { tokens, queries, labels, head } = problem, n = tokens.length;
  const composed = compose(problem, weights.first), at = evaluate(above(problem, composed), weights.second);
  const second = [], first = [];
  composed.forEach(({ rows, tokens: upper }, i) => {
    const { winner, behind, probabilities, values, output } = at.inputs[i];
    const slope = -labels[i] / (n * (1 + Math.exp(labels[i] * output))), share = probabilities[winner];
    const along = times(weights.second, queries[i]);
    const relative = values.map((value) => value - values[winner]), mean = dot(probabilities, relative);
    upper.forEach((x, t) => {
      if (t !== winner) {
        const factor = slope * share * (relative[t] - mean);
        second.push({ factor, left: minus(x, upper[winner]), right: queries[i], log: behind[t] });
      }
    });
    // ∂L/∂X¹_r is exp(behind_r)·share times this vector.
    upper.forEach((_, r) => {
      const pull = slope * (relative[r] - mean);
      const towards = [slope * head[0] + pull * along[0], slope * head[1] + pull * along[1]];
      const row = rows[r], won = tokens[i][row.winner];
      const slopes = tokens[i].map((s) => dot(minus(s, won), towards)), middle = dot(row.probabilities, slopes);
      tokens[i].forEach((s, k) => {
        if (k !== row.winner) {
          const factor = share * row.probabilities[row.winner] * (slopes[k] - middle);
          first.push({ factor, left: minus(s, won), right: tokens[i][r], log: behind[r] + row.behind[k] });
        }
      });
    });
  });
  return { first: gathered(first), second: gathered(second), composed, at };
};

const stepLayers = (weights, { first, second }, rate) => {
  const log = Math.max(first.log, second.log);
  const G = first.matrix.map((g) => g * Math.exp(first.log - log));
  const H = second.matrix.map((g) => g * Math.exp(second.log - log));
  const scale = rate / (Math.sqrt(dot(G, G) + dot(H, H)) + SMALLEST);
  return { first: moved(weights.first, G, scale), second: moved(weights.second, H, scale) };
};
