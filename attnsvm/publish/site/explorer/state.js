// A state is all that the picture follows from: the problem, what is trained and how, where it starts, how many steps.
// It is written into the address as text; numbers keep all their digits, so a link brings back the same bits.

const MOST = { inputs: 4, tokens: 6, steps: 200000 };
const WAYS = ["W", "KQ", "layers"];
const STARTS = ["W", "K", "Q", "first", "second"];

const numbersOf = (text, count) => {
  const numbers = text.split(",").map((part) => (/^-?[\d.]+(e[-+]?\d+)?$/i.test(part) ? Number(part) : NaN));
  if (numbers.length !== count || !numbers.every((x) => Number.isFinite(x) && Math.abs(x) < 1e9)) {
    throw new Error(`expected ${count} numbers, got "${text.slice(0, 40)}"`);
  }
  return numbers;
};
const oneOf = (text, names) => {
  if (!names.includes(text)) throw new Error(`expected ${names.join(", ")}, got "${String(text).slice(0, 40)}"`);
  return text;
};
const between = (count, least, most, what) => {
  if (!(count >= least && count <= most)) throw new Error(`expected ${least} to ${most} ${what}, got ${count}`);
};

const written = (state) => {
  const rows = (vectors) => vectors.map((vector) => vector.join(",")).join(";");
  const fields = {
    v: 1, train: state.train, rule: state.rule, rate: state.rate, step: state.step,
    tokens: state.tokens.map(rows).join("_"), queries: rows(state.queries), labels: state.labels.join(","),
    head: state.head.join(","), start: STARTS.map((name) => state.start[name].join(",")).join(";"),
  };
  return Object.entries(fields).map(([name, value]) => `${name}=${value}`).join("&");
};

// The state of an address; throws an Error that says what is wrong with it.
const readState = (text) => {
  const fields = Object.fromEntries(text.replace(/^#/, "").split("&").map((field) => {
    const [name, value = ""] = field.split("=");
    return [name, decodeURIComponent(value)];
  }));
  if (fields.v !== "1") throw new Error(`expected v=1, got "${String(fields.v).slice(0, 40)}"`);
  for (const name of ["tokens", "queries", "labels", "head", "start", "rate", "step"]) {
    if (!fields[name]) throw new Error(`${name} is missing`);
  }
  const tokens = fields.tokens.split("_").map((own) => own.split(";").map((token) => numbersOf(token, 2)));
  between(tokens.length, 2, MOST.inputs, "inputs");
  tokens.forEach((own) => between(own.length, 2, MOST.tokens, "tokens"));
  const queries = fields.queries.split(";").map((query) => numbersOf(query, 2));
  between(queries.length, tokens.length, tokens.length, "queries");
  queries.forEach((query) => { if (!(length(query) > 1e-6)) throw new Error("a query is zero"); });
  const labels = numbersOf(fields.labels, tokens.length);
  labels.forEach((label) => { if (Math.abs(label) !== 1) throw new Error("a label is neither 1 nor -1"); });
  const head = numbersOf(fields.head, 2), [rate] = numbersOf(fields.rate, 1), [step] = numbersOf(fields.step, 1);
  if (!(length(head) > 1e-6)) throw new Error("the score direction is zero");
  if (!(rate > 0 && rate <= 10)) throw new Error("rate: expected a number above 0, at most 10");
  between(step, 0, MOST.steps, "steps");
  const given = fields.start.split(";").map((matrix) => numbersOf(matrix, 4));
  between(given.length, STARTS.length, STARTS.length, "start matrices");
  return {
    train: oneOf(fields.train, WAYS), rule: oneOf(fields.rule, Object.keys(RULES)), rate,
    step: Math.floor(step), tokens, queries, labels, head,
    start: Object.fromEntries(STARTS.map((name, k) => [name, given[k]])),
  };
};
const copied = (state) => JSON.parse(JSON.stringify(state));
