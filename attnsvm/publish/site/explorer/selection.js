// Which tokens are best, which support a solution, and which choices hold descent fast.

const scores = ({ tokens, labels, head }) => tokens.map((own, i) => own.map((x) => labels[i] * dot(x, head)));
const bestTokens = (problem) => scores(problem).map(highest);

// Support tokens of a Frobenius solution, [i][t] of booleans: those whose margin is one.
const supports = (problem, selected, solution) => {
  const marks = problem.tokens.map((own) => own.map(() => false));
  if (solution.status !== "solved") return marks;
  const { rows, index } = separation(problem, selected), most = Math.max(...solution.dual);
  rows.forEach((row, k) => {
    if (dot(row, solution.W) <= 1 + 1e-6 || solution.dual[k] > 1e-6 * most) marks[index[k][0]][index[k][1]] = true;
  });
  return marks;
};
// Whether every selected token has a higher score than all its support tokens.
const locallyOptimal = (problem, selected, solution) => {
  const score = scores(problem), marks = supports(problem, selected, solution);
  return solution.status === "solved"
    && marks.every((row, i) => row.every((mark, t) => !mark || score[i][selected[i]] > score[i][t]));
};
// All locally optimal choices, the best tokens first.
const localChoices = (problem) => {
  const found = [], best = bestTokens(problem), choice = problem.tokens.map(() => 0);
  const walk = (i) => {
    if (i === choice.length) {
      if (locallyOptimal(problem, choice, solve(separation(problem, choice)))) found.push([...choice]);
      return;
    }
    for (let t = 0; t < problem.tokens[i].length; t++) { choice[i] = t; walk(i + 1); }
  };
  walk(0);
  const isBest = (other) => other.every((t, i) => t === best[i]);
  return [...found.filter(isBest), ...found.filter((other) => !isBest(other))];
};
// Weights near the solution of a choice: 15° away from it, all margins at least `reach` (less where 15° is too far).
const startTowards = (problem, choice, reach = 6) => {
  const constraints = separation(problem, choice), solution = solve(constraints);
  if (solution.status !== "solved") return null;
  const size = length(solution.W), unit = solution.W.map((w) => w / size);
  const aside = [unit[1], -unit[0], unit[3], -unit[2]]; // at a right angle to it, and as long
  for (let angle = Math.PI / 12; ; angle = angle > 1e-3 ? angle / 2 : 0) {
    const W = unit.map((w, k) => Math.cos(angle) * w + Math.sin(angle) * aside[k]);
    const margin = Math.min(...constraints.rows.map((row) => dot(row, W)));
    if (margin > 0.3 / size || angle === 0) return W.map((w) => (w * reach) / margin);
  }
};
