// Two by two matrices as arrays [w11, w12, w21, w22], and vectors of any length as arrays.

const SMALLEST = 1e-140; // below it the square of a norm underflows: better no step than one of any length
const ROOT_HALF = Math.SQRT1_2;

const dot = (a, b) => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};
const length = (a) => Math.sqrt(dot(a, a));
const times = (W, z) => [W[0] * z[0] + W[1] * z[1], W[2] * z[0] + W[3] * z[1]];
const outer = (x, z) => [x[0] * z[0], x[0] * z[1], x[1] * z[0], x[1] * z[1]];
const minus = (x, y) => [x[0] - y[0], x[1] - y[1]];
const correlation = (A, B) => dot(A, B) / (length(A) * length(B));

// A matrix of the plane is a turn with scaling plus a mirroring with scaling. In these orthonormal coordinates
// (p, q) the singular values are (‖p‖ + ‖q‖)/√2 and |‖p‖ − ‖q‖|/√2.
const split = (W) => [
  ROOT_HALF * (W[0] + W[3]), ROOT_HALF * (W[2] - W[1]),
  ROOT_HALF * (W[0] - W[3]), ROOT_HALF * (W[1] + W[2]),
];
const joined = (s) => [
  ROOT_HALF * (s[0] + s[2]), ROOT_HALF * (s[3] - s[1]),
  ROOT_HALF * (s[1] + s[3]), ROOT_HALF * (s[0] - s[2]),
];
const parts = (W) => {
  const s = split(W);
  return [Math.hypot(s[0], s[1]), Math.hypot(s[2], s[3])];
};

const NORMS = {
  fro: { value: length, dual: length },
  nuc: { value: (W) => Math.SQRT2 * Math.max(...parts(W)), dual: (W) => NORMS.spectral.value(W) },
  spectral: { value: (W) => { const [P, Q] = parts(W); return ROOT_HALF * (P + Q); }, dual: (W) => NORMS.nuc.value(W) },
  linf: { value: (W) => Math.max(...W.map(Math.abs)), dual: (W) => W.reduce((sum, w) => sum + Math.abs(w), 0) },
};

// The polar factor U Vᵀ of U Σ Vᵀ, without the directions whose singular value is zero.
const polar = (W) => {
  const s = split(W), P = Math.hypot(s[0], s[1]), Q = Math.hypot(s[2], s[3]);
  if (P + Q === 0) return [0, 0, 0, 0];
  const flat = Math.abs(P - Q) <= 1e-12 * (P + Q);
  const turn = flat ? ROOT_HALF / P : P > Q ? Math.SQRT2 / P : 0;
  const mirror = flat ? ROOT_HALF / Q : Q > P ? Math.SQRT2 / Q : 0;
  return joined([turn * s[0], turn * s[1], mirror * s[2], mirror * s[3]]);
};

// K and Q with K Qᵀ = W and equal singular values.
const factors = (W) => {
  const s = split(W), P = Math.hypot(s[0], s[1]), Q = Math.hypot(s[2], s[3]);
  const turned = P > 0 ? Math.atan2(s[1], s[0]) : 0, mirrored = Q > 0 ? Math.atan2(s[3], s[2]) : 0;
  const left = (mirrored + turned) / 2, right = (mirrored - turned) / 2;
  const first = Math.sqrt(ROOT_HALF * (P + Q)), second = Math.sqrt(ROOT_HALF * Math.abs(P - Q)), sign = P < Q ? -1 : 1;
  const U = [Math.cos(left), -Math.sin(left), Math.sin(left), Math.cos(left)];
  const V = [Math.cos(right), -Math.sin(right), Math.sin(right), Math.cos(right)];
  return {
    K: [U[0] * first, U[1] * second, U[2] * first, U[3] * second],
    Q: [V[0] * first, sign * V[1] * second, V[2] * first, sign * V[3] * second],
  };
};
const product = (K, Q) => [
  K[0] * Q[0] + K[1] * Q[1], K[0] * Q[2] + K[1] * Q[3],
  K[2] * Q[0] + K[3] * Q[1], K[2] * Q[2] + K[3] * Q[3],
];
