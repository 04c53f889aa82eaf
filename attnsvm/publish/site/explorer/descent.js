// Descent on one attention layer: the loss mean_i log(1 + exp(−y_i f_i)) with f_i = vᵀ Xᵢᵀ softmax(Xᵢ W zᵢ).
//
// A problem is { tokens: [i][t] = [x, y], queries: [i], labels: [i], head: v }. As the softmax saturates the gradient
// falls like exp(−gap) and would underflow; that factor is kept apart as a logarithm, so that every step has the exact
// direction at any ‖W‖.

// Softmax of the logits of one input, relative to the winning one: { winner, behind: [t], probabilities: [t] }.
const soften = (logits) => {
  let winner = 0, total = 0;
  for (let t = 1; t < logits.length; t++) if (logits[t] > logits[winner]) winner = t;
  const behind = logits.map((logit) => logit - logits[winner]);
  const probabilities = behind.map(Math.exp);
  for (const p of probabilities) total += p;
  for (let t = 0; t < logits.length; t++) probabilities[t] /= total;
  return { winner, behind, probabilities };
};
const softplus = (x) => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
const highest = (row) => row.reduce((best, value, t) => (value > row[best] ? t : best), 0);

// One forward and backward pass. `direction`[i][t] times exp(logFactor) is ∂L/∂logit.
const evaluate = (problem, W) => {
  const { tokens, queries, labels, head } = problem, n = tokens.length;
  const inputs = tokens.map((own, i) => {
    const along = times(W, queries[i]);
    const at = soften(own.map((x) => x[0] * along[0] + x[1] * along[1]));
    at.values = own.map((x) => x[0] * head[0] + x[1] * head[1]);
    at.output = dot(at.probabilities, at.values);
    return at;
  });
  let logFactor = -1e300, loss = 0;
  inputs.forEach(({ behind, winner }) => {
    behind.forEach((gap, t) => { if (t !== winner) logFactor = Math.max(logFactor, gap); });
  });
  const direction = inputs.map(({ winner, behind, probabilities, values, output }, i) => {
    loss += softplus(-labels[i] * output) / n;
    const weight = (-labels[i] / (n * (1 + Math.exp(labels[i] * output)))) * probabilities[winner];
    const slopes = values.map((value) => value - values[winner]), mean = dot(probabilities, slopes);
    let total = 0;
    const row = slopes.map((slope, t) => {
      const share = t === winner ? 0 : Math.exp(behind[t] - logFactor) * weight * (slope - mean);
      total += share;
      return share;
    });
    row[winner] = -total;
    return row;
  });
  return { inputs, direction, logFactor, loss };
};

// What a factor moves by for a learning rate of one: steepest descent in three norms.
const RULES = {
  fro: (G) => { const scale = 1 / (length(G) + SMALLEST); return G.map((g) => g * scale); },
  linf: (G) => G.map(Math.sign),
  spectral: polar,
};

// Xᵢᵀ ∂L/∂logits of every input.
const mixtures = (problem, at) => problem.tokens.map((own, i) => {
  let x = 0, y = 0;
  own.forEach((token, t) => { x += at.direction[i][t] * token[0]; y += at.direction[i][t] * token[1]; });
  return [x, y];
});
const summed = (lefts, rights) => {
  const G = [0, 0, 0, 0];
  lefts.forEach((x, i) => {
    const z = rights[i];
    G[0] += x[0] * z[0]; G[1] += x[0] * z[1]; G[2] += x[1] * z[0]; G[3] += x[1] * z[1];
  });
  return G;
};
const moved = (W, direction, rate) => W.map((w, k) => w - rate * direction[k]);
const transposed = (W, z) => [W[0] * z[0] + W[2] * z[1], W[1] * z[0] + W[3] * z[1]];

// Weights are { W } or { K, Q }. A step evaluates where it stands, and moves every factor by its own norm.
const stepWeights = (problem, weights, rule, rate) => {
  const at = evaluate(problem, combined(weights)), mixed = mixtures(problem, at), steepest = RULES[rule];
  if (weights.W) return { W: moved(weights.W, steepest(summed(mixed, problem.queries)), rate) };
  const { K, Q } = weights;
  const gradK = summed(mixed, problem.queries.map((z) => transposed(Q, z)));
  const gradQ = summed(problem.queries, mixed.map((x) => transposed(K, x)));
  return { K: moved(K, steepest(gradK), rate), Q: moved(Q, steepest(gradQ), rate) };
};
const combined = (weights) => weights.W || product(weights.K, weights.Q);
