// The page: buttons and keys in, states and pictures out.

const app = { run: null, now: null, playing: false, target: 0, due: 0, last: 0, shown: 0, dirty: true, stale: true, settled: -Infinity, preset: "" };
const plane = new Plane(byId("plane"), byId("ground"), {
  token: (i, t, point) => move((state) => { state.tokens[i][t] = point; }),
  query: (i, angle) => move((state) => { state.queries[i] = turnedTo(state.queries[i], angle); }),
  head: (_, angle) => move((state) => { state.head = turnedTo(state.head, angle); }),
  remove: (i, t) => removeToken(i, t),
  nudge: (what, by, far) => nudge(what, by, far),
  done: () => settle(),
});
const panel = new Panel();
const turnedTo = (vector, angle) => [length(vector) * Math.cos(angle), length(vector) * Math.sin(angle)];

// Begin anew from a state, at its start; `target` steps are then caught up with.
const begin = (state, target = 0) => {
  app.run = new Run(state);
  app.target = target;
  app.dirty = true;
};
// What the reader changes: the run starts again with it.
const change = (edit, target = 0) => {
  const state = copied(app.run.state);
  edit(state);
  app.preset = "";
  begin({ ...state, step: 0 }, target);
};
// What the reader moves while nothing plays: the run starts again and goes as far as it had gone.
const move = (edit) => change(edit, app.playing ? 0 : Math.max(app.run.step, app.target));
const settle = () => { app.settled = -Infinity; app.dirty = true; showChoices(); };
const nudge = ({ kind, i, t }, [dx, dy], far) => {
  if (kind === "token") {
    const by = (far ? 0.1 : 0.02) * plane.half;
    move((state) => {
      const moved_ = [state.tokens[i][t][0] + by * dx, state.tokens[i][t][1] + by * dy];
      if (length(moved_) < plane.half) state.tokens[i][t] = moved_;
    });
  } else {
    const by = ((far ? 15 : 2) * Math.PI) / 180 * (dx || dy);
    const turn = (vector) => turnedTo(vector, Math.atan2(vector[1], vector[0]) + by);
    move((state) => { if (kind === "query") state.queries[i] = turn(state.queries[i]); else state.head = turn(state.head); });
  }
  settle();
};

const play = (on) => {
  app.playing = on && app.run.step < MOST.steps;
  app.due = 0;
  const button = byId("play");
  button.classList.toggle("on", app.playing);
  write(button.querySelector("span"), app.playing ? "Pause" : "Play");
  if (!app.playing) settle();
};
const paces = { growing: (step) => Math.max(1, 0.025 * step), slow: () => 0.2, fast: () => 20 }; // steps per 1/60 s

// ------------------------------------------------------------------------------------------------ the controls

const showChoices = () => {
  const { state } = app.run;
  for (const name of ["train", "rule"]) {
    for (const input of document.querySelectorAll(`input[name=${name}]`)) input.checked = input.value === state[name];
  }
  for (const chip of byId("presets").children) chip.setAttribute("aria-pressed", String(chip.dataset.name === app.preset));
  const known = PRESETS.find(({ name }) => name === app.preset);
  write(byId("hint"), known ? known.hint : "Changed: drag tokens, and turn the queries z and the score direction v on the ring.");
  byId("inputs").replaceChildren(...state.tokens.map((own, i) => {
    const button = (text, label, act, off) => {
      const element = node("button", { type: "button", "aria-label": label, title: label, "data-key": label }, text);
      element.disabled = off;
      element.addEventListener("click", () => { act(); settle(); const again = document.querySelector(`[data-key="${label}"]`); if (again) again.focus(); });
      return element;
    };
    return node("div", { class: `row input${i + 1}` },
      node("span", { class: "who" }, `input ${i + 1}`),
      button("−", `Remove a token of input ${i + 1}`, () => removeToken(i, own.length - 1), own.length <= 2),
      node("span", {}, `${own.length} tokens`),
      button("+", `Add a token to input ${i + 1}`, () => addToken(i), own.length >= MOST.tokens),
      button(state.labels[i] > 0 ? "y = +1" : "y = −1", `Label of input ${i + 1}: turn its sign`, () => change((s) => { s.labels[i] *= -1; }), false));
  }));
  byId("fewer").disabled = state.tokens.length <= 2;
  byId("more").disabled = state.tokens.length >= MOST.inputs;
  const choices = localChoices(app.run.problem), best = bestTokens(app.run.problem).join();
  app.traps = choices.filter((choice) => choice.join() !== best);
  byId("best").disabled = choices.length === app.traps.length;
  byId("trap").disabled = !app.traps.length;
  byId("trap").title = app.traps.length ? `${app.traps.length} locally optimal choices in addition to the best` : "Only the best choice of tokens is locally optimal here";
  write(byId("traps"), app.traps.length ? ` ${app.traps.length}` : " none");
};
const removeToken = (i, t) => {
  if (app.run.state.tokens[i].length <= 2) return;
  change((state) => { state.tokens[i].splice(t, 1); });
  settle();
};
const anywhere = () => [1, 1].map(() => (Math.random() * 2 - 1) * 0.7 * plane.half);
const addToken = (i) => change((state) => { state.tokens[i].push(anywhere()); });
// What the reader chooses: the run starts again with it, and plays.
const restart = (edit) => { change(edit); settle(); play(true); };
const startAt = (start) => restart((state) => Object.assign(state.start, start));
const startNear = (choice) => {
  const W = startTowards(app.run.problem, choice);
  if (W) startAt({ W, ...factors(W) });
};
const starts = {
  zero: () => startAt({ W: [0, 0, 0, 0], K: [0.31, -0.07, -0.09, 0.01], Q: [0, 0, 0, 0] }),
  random: () => {
    const draw_ = () => [1, 1, 1, 1].map(() => (Math.random() * 2 - 1) * Math.SQRT1_2);
    startAt(Object.fromEntries(STARTS.map((name) => [name, draw_()])));
  },
  best: () => startNear(bestTokens(app.run.problem)),
  trap: () => {
    app.turn = ((app.turn || 0) + 1) % app.traps.length;
    startNear(app.traps[app.turn]);
  },
};
const open = (preset, going) => {
  begin(copied(preset.state));
  app.preset = preset.name;
  plane.half = 0; // fits anew
  showChoices();
  play(going);
};

for (const preset of PRESETS) {
  const chip = node("button", { type: "button", "data-name": preset.name, "aria-pressed": "false" }, preset.title);
  chip.addEventListener("click", () => open(preset, true));
  byId("presets").append(chip);
}
for (const name of ["train", "rule"]) {
  for (const input of document.querySelectorAll(`input[name=${name}]`)) {
    input.addEventListener("change", () => restart((state) => { state[name] = input.value; }));
  }
}
for (const [name, act] of Object.entries(starts)) byId(name).addEventListener("click", act);
byId("play").addEventListener("click", () => play(!app.playing));
byId("one").addEventListener("click", () => { play(false); app.run.advance(1); settle(); });
byId("again").addEventListener("click", () => { const { preset } = app; begin({ ...app.run.state, step: 0 }); app.preset = preset; settle(); });
const atClick = (name, edit) => byId(name).addEventListener("click", () => { change(edit); settle(); });
atClick("fewer", (state) => { for (const name of ["tokens", "queries", "labels"]) state[name].pop(); });
atClick("more", (state) => {
  state.tokens.push(state.tokens[0].map(anywhere));
  state.queries.push(turnedTo([1, 0], Math.random() * 2 * Math.PI));
  state.labels.push(1);
});
document.addEventListener("keydown", (event) => {
  if (event.target.closest("button, input, select, a, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === " ") { event.preventDefault(); play(!app.playing); }
  if (event.key === "r") byId("again").click();
});
new ResizeObserver(() => { plane.resize(); app.dirty = true; }).observe(byId("plane"));

// ------------------------------------------------------------------------------------------------ the frames

const frame = (time) => {
  const { run } = app, ticks = Math.min(6, Math.max(1, Math.round((time - app.last) / (1000 / 60)) || 1));
  app.last = time;
  if (app.target > run.step) { run.advance(app.target - run.step, 12); app.dirty = true; if (run.step >= app.target) settle(); }
  else if (app.playing && !plane.dragging) {
    app.due += ticks * paces[byId("pace").value](run.step);
    const count = Math.floor(app.due);
    app.due -= count;
    if (count > 0) { run.advance(count, 5); app.dirty = true; }
    if (run.step >= MOST.steps) play(false);
  }
  if (app.dirty) {
    app.dirty = false;
    app.now = run.measure();
    plane.render(run, app.now);
    app.stale = true;
  }
  if (app.stale && !(app.playing && time - app.shown < 75)) { // faster than numbers are read
    app.stale = false;
    app.shown = time;
    panel.render(run, app.now);
    write(byId("sentence"), panel.sentence(run, app.now));
  }
  if (!(time - app.settled < 700)) { // names and what is read aloud: often enough for a listener, too often for every frame
    app.settled = time;
    plane.describe(run, app.now);
    write(byId("spoken"), panel.sentence(run, app.now));
  }
  requestAnimationFrame(frame);
};

const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
open(PRESETS[0], !still);
requestAnimationFrame(frame);

// For tests and for the curious, from the console of the browser.
window.explorer = {
  app: Object.assign(app, { render: () => plane.render(app.run, app.now), renderPanel: () => panel.render(app.run, app.now) }), open, play, stepWeights, combined, solve, separation,
  localChoices, locallyOptimal, startTowards, bestTokens, evaluate, factors, PRESETS, Run,
};
