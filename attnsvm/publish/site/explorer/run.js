// A state is all that the picture follows from: the problem, what is trained and how, where it starts, how many steps.

const MOST = { inputs: 4, tokens: 6, steps: 200000 };
const STARTS = ["W", "K", "Q"];
const copied = (state) => JSON.parse(JSON.stringify(state));

// One descent run of a state: its weights, what is measured of them, and the trail they leave.

const TARGETS = { // what descent is drawn to: the norm of the max-margin problem
  W: { fro: "fro", linf: "linf", spectral: "spectral" },
  KQ: { fro: "nuc", linf: "nuc", spectral: "nuc" },
};
const TRAIL = 3000; // points of a curve before every second one is dropped
const NEAR = 0.006; // a point this close to the last one is not drawn, in units of the bent plane

class Run {
  constructor(state) {
    this.state = state;
    this.problem = { tokens: state.tokens, queries: state.queries, labels: state.labels, head: state.head };
    const { W, K, Q } = state.start;
    this.weights = state.train === "W" ? { W } : { K, Q };
    this.step = 0;
    this.solutions = new Map();
    this.trails = state.tokens.map(() => []);
    this.log = [];
    this.next = 0;
    this.follow();
  }

  advance(count, milliseconds = 7) {
    const until = performance.now() + milliseconds, last = Math.min(this.step + count, MOST.steps);
    while (this.step < last) {
      this.weights = stepWeights(this.problem, this.weights, this.state.rule, this.state.rate);
      this.step += 1;
      this.follow();
      if (this.step % 16 === 0 && performance.now() > until) break;
    }
  }

  // The matrix whose products with the queries are drawn: W, or K Qᵀ.
  get W() { return combined(this.weights); }

  follow() {
    const W = this.W;
    this.problem.queries.forEach((z, i) => this.mark(this.trails[i], times(W, z)));
    if (this.step >= this.next) {
      const now = this.measure();
      this.log.push({ step: this.step, loss: now.loss, correlations: now.correlations.map(({ value }) => value) });
      this.next = Math.max(this.step + 1, Math.ceil(this.step * 1.03));
    }
  }

  mark(trail, point) {
    const last = trail[trail.length - 1];
    if (last) {
      const a = 1 / (1 + length(point)), b = 1 / (1 + length(last));
      if (Math.abs(a * point[0] - b * last[0]) + Math.abs(a * point[1] - b * last[1]) < NEAR) return;
    }
    trail.push(point);
    if (trail.length > TRAIL) trail.splice(0, trail.length, ...trail.filter((_, k) => k % 2 === 0));
  }

  solution(key, problem, norm) {
    const name = `${norm} ${key}`;
    if (!this.solutions.has(name)) this.solutions.set(name, solve(problem(), norm));
    return this.solutions.get(name);
  }

  along(answer, queries) { return answer.status === "solved" ? queries.map((z) => times(answer.W, z)) : null; }

  // What the picture shows at this step.
  measure() {
    const { problem, W } = this, norm = TARGETS[this.state.train][this.state.rule], at = evaluate(problem, W);
    const undecided = at.inputs.every(({ behind }) => behind.every((gap) => gap === 0));
    const best = bestTokens(problem), selected = undecided ? best : at.inputs.map(({ winner }) => winner);
    const constraints = separation(problem, selected), solved = (wanted) => this.solution(selected, () => constraints, wanted);
    const own = solved(norm), frobenius = norm === "fro" ? own : solved("fro"), two = norm !== "fro";
    const compare = (answer) => ({
      norm: answer.norm, status: answer.status, gap: answer.gap,
      value: answer.status === "solved" && length(W) > 0 ? correlation(answer.W, W) : NaN,
    });
    const reached = Math.min(...constraints.rows.map((row) => dot(row, W)));
    return {
      selected, best, own, frobenius, loss: at.loss, size: length(W),
      probabilities: at.inputs.map(({ probabilities }) => probabilities),
      supports: supports(problem, selected, frobenius),
      correlations: (two ? [own, frobenius] : [own]).map(compare),
      share: own.status === "solved" && length(W) > 0 ? (reached / NORMS[norm].value(W)) * own.value : NaN,
      local: locallyOptimal(problem, selected, frobenius),
      directions: this.along(own, problem.queries), others: two ? this.along(frobenius, problem.queries) : null,
    };
  }
}
