// The W of least norm with ⟨A_k, W⟩ ≥ b_k, by active sets, with multipliers that prove it.
//
// A problem for the solver is { rows: [k] = A_k as four numbers, bounds: [k] }. An answer is
// { status: "solved" | "infeasible" | "uncertified", W, dual: [k], gap, norm, value }.

const GAP = { fro: 1e-10, nuc: 1e-7, spectral: 1e-7, linf: 1e-9 }; // relative gap that counts as a proof
const DEPENDENT = 1e-11; // relative length below which a row counts as a combination of others

// What is left of a row outside the orthonormal Q, by Gram and Schmidt done twice, and its parts along them.
const projected = (row, Q) => {
  const parts = Q.map(() => 0);
  let rest = [...row];
  for (let pass = 0; pass < 2; pass++) {
    Q.forEach((q, j) => {
      const part = dot(q, rest);
      parts[j] += part;
      rest = rest.map((x, c) => x - part * q[c]);
    });
  }
  return { rest, parts };
};
// Columns of Q (orthonormal) and R with rowsᵀ = Q R.
const factorised = (rows) => {
  const Q = [], R = rows.map(() => rows.map(() => 0));
  rows.forEach((row, k) => {
    const { rest, parts } = projected(row, Q);
    [...parts, length(rest)].forEach((part, j) => { R[j][k] = part; });
    Q.push(rest.map((x) => x / R[k][k]));
  });
  return { Q, R };
};
const backward = (R, b) => { // R x = b
  const x = [...b];
  for (let k = x.length - 1; k >= 0; k--) {
    for (let j = k + 1; j < x.length; j++) x[k] -= R[k][j] * x[j];
    x[k] /= R[k][k];
  }
  return x;
};
const forward = (R, b) => { // Rᵀ x = b
  const x = [...b];
  for (let k = 0; k < x.length; k++) {
    for (let j = 0; j < k; j++) x[k] -= R[j][k] * x[j];
    x[k] /= R[k][k];
  }
  return x;
};

// Least Euclidean norm: Goldfarb and Idnani, Mathematical Programming 27 (1983). Returns { w, dual, feasible }; where
// infeasible, `dual` combines the rows to zero with a positive bound (Farkas).
const leastNorm = (given, limits) => {
  const sizes = given.map((row) => length(row) || 1);
  const rows = given.map((row, k) => row.map((x) => x / sizes[k])), bounds = limits.map((b, k) => b / sizes[k]);
  const all = rows.map(() => 0), undone = (dual) => dual.map((y, k) => y / sizes[k]);
  let w = new Array(4).fill(0), active = [], dual = [];
  const spread = (numbers) => active.reduce((sum, k, j) => { sum[k] = numbers[j]; return sum; }, [...all]);
  for (let round = 0; round < 50 * (rows.length + 1); round++) {
    const room = 1e-13 * (length(w) + Math.max(...bounds));
    let worst = -1, depth = -room;
    rows.forEach((row, k) => {
      const slack = dot(row, w) - bounds[k];
      if (slack < depth && !active.includes(k)) { worst = k; depth = slack; }
    });
    if (worst < 0) break;
    let own = 0;
    for (;;) {
      const { Q, R } = factorised(active.map((k) => rows[k])), row = rows[worst];
      const along = Q.map((q) => dot(q, row)), shares = backward(R, along), { rest } = projected(row, Q);
      let leaving = -1, reach = Infinity;
      shares.forEach((share, j) => { if (share > 1e-14 && dual[j] / share < reach) { leaving = j; reach = dual[j] / share; } });
      const free = dot(rest, rest), full = free > DEPENDENT ** 2 ? -(dot(row, w) - bounds[worst]) / free : Infinity;
      const step = Math.min(reach, full);
      if (step === Infinity) {
        const certificate = spread(shares.map((share) => Math.max(-share, 0)));
        certificate[worst] = 1;
        return { w, dual: undone(certificate), feasible: false };
      }
      if (full !== Infinity) w = w.map((x, c) => x + step * rest[c]);
      dual = dual.map((y, j) => y - step * shares[j]);
      own += step;
      if (step === full) { active.push(worst); dual.push(own); break; }
      active.splice(leaving, 1);
      dual.splice(leaving, 1);
    }
  }
  if (active.length) { // once more from the active rows alone, without what rounding left on the way
    const { Q, R } = factorised(active.map((k) => rows[k])), inner = forward(R, active.map((k) => bounds[k]));
    const again = backward(R, inner);
    if (again.every((y) => y >= 0)) {
      w = w.map((_, c) => Q.reduce((sum, q, j) => sum + inner[j] * q[c], 0));
      dual = again;
    }
  }
  return { w, dual: undone(spread(dual)), feasible: true };
};

// Least nuclear and spectral norm: with ‖p‖ and ‖q‖ of `split` these norms are √2·max(‖p‖, ‖q‖) and
// (‖p‖ + ‖q‖)/√2, and
//   max(‖p‖, ‖q‖)²  = max over θ of θ‖p‖² + (1 − θ)‖q‖²,     (‖p‖ + ‖q‖)² = min over θ of ‖p‖²/θ + ‖q‖²/(1 − θ).
// For each θ the W is a least Euclidean norm; θ in (0, 1) is found by bisection. Inside, the solution is unique.
const WIDEST = 21; // θ = 1/(1 + e^∓21): beyond it one part counts for nothing
const balanced = (rows, bounds, norm) => {
  const turned = rows.map(split);
  const at = (logit) => {
    const theta = 1 / (1 + Math.exp(-logit)), other = 1 / (1 + Math.exp(logit));
    const [a, b] = norm === "nuc" ? [Math.sqrt(theta), Math.sqrt(other)] : [1 / Math.sqrt(theta), 1 / Math.sqrt(other)];
    const { w, dual } = leastNorm(turned.map((s) => [s[0] / a, s[1] / a, s[2] / b, s[3] / b]), bounds);
    const s = [w[0] / a, w[1] / a, w[2] / b, w[3] / b], P = Math.hypot(s[0], s[1]), Q = Math.hypot(s[2], s[3]);
    const up = norm === "nuc" ? P > Q : P / theta > Q / other;
    return { W: joined(s), dual, up };
  };
  let low = -WIDEST, high = WIDEST, answer = at(0), ends = 0;
  for (let k = 0; k < 60; k++) {
    const middle = (low + high) / 2;
    answer = at(middle);
    if (answer.up) { low = middle; ends |= 1; } else { high = middle; ends |= 2; }
  }
  return { ...answer, unique: ends === 3 };
};

// Least largest entry: the linear program max bᵀy with ‖Σ y_k A_k‖₁ ≤ 1, y ≥ 0, by the simplex method with Bland's
// rule. Its own multipliers are W.
const leastEntry = (rows, bounds) => {
  const m = rows.length, width = m + 9; // y, the positive and negative parts u of Σ y A, and the slack
  const table = [0, 1, 2, 3].map((c) => [
    ...rows.map((row) => row[c]), ...[0, 1, 2, 3].map((j) => -(j === c)), ...[0, 1, 2, 3].map((j) => +(j === c)), 0, 0,
  ]);
  table.push([...new Array(m).fill(0), ...new Array(8).fill(1), 1, 1]);
  const cost = [...bounds, ...new Array(9).fill(0)], base = [m + 4, m + 5, m + 6, m + 7, m + 8];
  // Bring the last row to the basis of the negative parts.
  for (let c = 0; c < 4; c++) table[4] = table[4].map((x, j) => x - table[c][j]);
  for (let round = 0; round < 5000; round++) {
    const gain = (j) => cost[j] - base.reduce((sum, b, i) => sum + cost[b] * table[i][j], 0);
    let entering = -1;
    for (let j = 0; j < width && entering < 0; j++) if (!base.includes(j) && gain(j) > 1e-11) entering = j;
    if (entering < 0) break;
    let leaving = -1, least = Infinity;
    table.forEach((row, i) => {
      if (row[entering] > 1e-11) {
        const ratio = row[width] / row[entering];
        if (ratio < least - 1e-15 || (ratio <= least + 1e-15 && base[i] < base[leaving])) { least = ratio; leaving = i; }
      }
    });
    if (leaving < 0) break;
    const pivot = table[leaving][entering];
    table[leaving] = table[leaving].map((x) => x / pivot);
    table.forEach((row, i) => {
      const factor = row[entering];
      if (i !== leaving && factor !== 0) table[i] = row.map((x, j) => x - factor * table[leaving][j]);
    });
    base[leaving] = entering;
  }
  const dual = new Array(m).fill(0);
  base.forEach((b, i) => { if (b < m) dual[b] = Math.max(table[i][width], 0); });
  // The multiplier of row c is read in the columns of u_c.
  const price = (j) => base.reduce((sum, b, i) => sum + cost[b] * table[i][j], 0);
  const W = [0, 1, 2, 3].map((c) => (price(m + 4 + c) - price(m + c)) / 2);
  const unique = table.every((row) => row[width] > 1e-9); // a vertex that is not degenerate has one set of multipliers
  return { W, dual, unique };
};

// Σ y_k A_k.
const combination = (rows, dual) => rows.reduce((sum, row, k) => sum.map((x, c) => x + dual[k] * row[c]), [0, 0, 0, 0]);
// What an answer proves, from the rows alone: scaled to margin one and to a dual norm of one, its duality gap.
const certificate = (rows, bounds, norm, W, dual) => {
  const tight = rows.reduce((least, row, k) => (bounds[k] > 0 ? Math.min(least, dot(row, W) / bounds[k]) : least), Infinity);
  const scaled = W.map((w) => w / tight), size = NORMS[norm].dual(combination(rows, dual)), value = NORMS[norm].value(scaled);
  const proof = dual.map((y) => y / size), bound = dot(proof, bounds);
  const loose = rows.some((row, k) => bounds[k] === 0 && dot(row, scaled) < -1e-9 * length(row) * length(scaled));
  const sound = tight > 0 && !loose && dual.every((y) => y >= 0 && Number.isFinite(y));
  return { W: scaled, dual: proof, value, gap: sound ? (value - bound) / value : Infinity };
};
const farkas = (rows, bounds, dual) => {
  const largest = Math.max(...rows.map(length)) || 1;
  return length(combination(rows, dual)) / (largest * dot(dual, bounds));
};

const solve = ({ rows, bounds }, norm = "fro") => {
  const least = leastNorm(rows, bounds);
  if (!least.feasible) {
    const residual = farkas(rows, bounds, least.dual), proved = residual >= 0 && residual <= 1e-10;
    return { status: proved ? "infeasible" : "uncertified", norm, dual: least.dual, residual };
  }
  const found = norm === "fro" ? { W: least.w, dual: least.dual, unique: true }
    : norm === "linf" ? leastEntry(rows, bounds) : balanced(rows, bounds, norm);
  const proof = certificate(rows, bounds, norm, found.W, found.dual);
  return { status: proof.gap <= GAP[norm] ? "solved" : "uncertified", norm, unique: found.unique, ...proof };
};

// The constraints that separate the token α_i from the others of input i.
const separation = ({ tokens, queries }, selected) => {
  const rows = [], index = [];
  tokens.forEach((own, i) => own.forEach((x, t) => {
    if (t !== selected[i]) { rows.push(outer(minus(own[selected[i]], x), queries[i])); index.push([i, t]); }
  }));
  return { rows, bounds: rows.map(() => 1), index };
};
