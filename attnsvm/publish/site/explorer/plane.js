// The plane: tokens to scale inside a disc, and the curves W z_i in their true directions with their lengths bent, so
// that the rim of the disc is infinity. Handles on the ring outside turn the queries and the score direction.

const SVG = "http://www.w3.org/2000/svg";
const RIM = 392, CENTRE = 500, TRACKS = { query: 434, head: 474 };
const SHAPES = [ // one per input, of radius 1
  "M1 0A1 1 0 1 1-1 0A1 1 0 1 1 1 0Z",
  "M-.9-.9H.9V.9H-.9Z",
  "M0-1.2L1.12.75H-1.12Z",
  "M0-1.25L1.25 0 0 1.25-1.25 0Z",
];
const STAR = Array.from({ length: 10 }, (_, k) => {
  const r = k % 2 ? 0.78 : 1.65, angle = (Math.PI * k) / 5 - Math.PI / 2;
  return `${k ? "L" : "M"}${(r * Math.cos(angle)).toFixed(3)} ${(r * Math.sin(angle)).toFixed(3)}`;
}).join("") + "Z";
const SUBSCRIPTS = ["₁", "₂", "₃", "₄"];

const draw = (kind, attributes = {}, parent = null, text = null) => {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== null) element.textContent = text;
  if (parent) parent.append(element);
  return element;
};
const place = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value); // what stays as it is need not be painted again
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
};
const round = (x) => Math.round(x * 10) / 10;

class Plane {
  // `moves`: { token(i, t, point, done), query(i, angle, done), head(angle, done) }, called while something is moved.
  constructor(svg, ground, moves) {
    this.svg = svg;
    this.ground = ground; // what stays while a run plays: a layer of its own, painted once
    this.moves = moves;
    this.half = 1.5; // half the width of the plane that the disc shows
    this.pixel = 1; // units of the drawing per pixel of the screen
    this.shape = "";
    this.dragging = null;
    this.drawn = new Map();
    svg.addEventListener("pointermove", (event) => this.drag(event));
    for (const kind of ["pointerup", "pointercancel"]) svg.addEventListener(kind, (event) => this.drop(event));
  }

  resize() {
    this.pixel = 1000 / (this.svg.getBoundingClientRect().width || 1000);
    this.shape = "";
  }

  fit(tokens) {
    const farthest = Math.max(...tokens.flat().map(length));
    const wanted = Math.max(0.6, 1.22 * farthest);
    if (wanted > this.half || wanted < 0.8 * this.half) this.half = wanted;
  }

  scaled([x, y]) { return [CENTRE + (RIM / this.half) * x, CENTRE - (RIM / this.half) * y]; }
  bent(point) {
    const r = length(point), scale = Number.isFinite(r) ? 1 / (1 + r / this.half) : 0;
    return this.scaled([point[0] * scale, point[1] * scale]);
  }
  onRing(direction, radius) {
    const angle = Math.atan2(direction[1], direction[0]);
    return [CENTRE + radius * Math.cos(angle), CENTRE - radius * Math.sin(angle)];
  }
  where(event) { // of the plane, from a pointer event
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 1000, y = ((event.clientY - box.top) / box.height) * 1000;
    return [((x - CENTRE) * this.half) / RIM, ((CENTRE - y) * this.half) / RIM];
  }

  // All elements, made anew when the number of tokens or the size of the page changes.
  build(state) {
    const shape = JSON.stringify([state.tokens.map((own) => own.length), state.train, this.pixel]);
    if (shape === this.shape) return;
    const focused = document.activeElement && document.activeElement.dataset.key;
    this.shape = shape;
    this.svg.replaceChildren();
    this.ground.replaceChildren();
    const px = this.pixel, size = this.size = Math.min(10.5, Math.max(8.5, 17 / px)) * px, { svg, ground } = this;
    const defs = draw("defs", {}, ground);
    const clip = draw("clipPath", { id: "disc" }, draw("defs", {}, svg));
    draw("circle", { cx: CENTRE, cy: CENTRE, r: RIM }, clip);
    this.slope = draw("linearGradient", { id: "slope", gradientUnits: "userSpaceOnUse" }, defs);
    draw("stop", { offset: 0, class: "low" }, this.slope);
    draw("stop", { offset: 1, class: "high" }, this.slope);
    draw("circle", { cx: CENTRE, cy: CENTRE, r: TRACKS.query, class: "track" }, ground);
    draw("circle", { cx: CENTRE, cy: CENTRE, r: TRACKS.head, class: "track" }, ground);
    draw("circle", { cx: CENTRE, cy: CENTRE, r: RIM, class: "disc" }, ground);
    draw("circle", { cx: CENTRE, cy: CENTRE, r: RIM, fill: "url(#slope)" }, ground);
    const inside = draw("g", { "clip-path": "url(#disc)" }, svg);
    draw("path", { class: "axes", d: `M${CENTRE - RIM} ${CENTRE}H${CENTRE + RIM}M${CENTRE} ${CENTRE - RIM}V${CENTRE + RIM}` }, ground);
    draw("circle", { cx: CENTRE, cy: CENTRE, r: RIM, class: "rim", "stroke-width": 1.5 * px }, ground);
    const each = (make) => state.tokens.map((_, i) => make(`input${i + 1}`, i));
    const line = (kind, width, parent) => each((name) => draw("path", { class: `${kind} ${name}`, "stroke-width": width * px, fill: "none" }, parent));
    this.lowerBands = line("band lower", 6, inside);
    this.bands = line("band", 11, inside);
    this.lines = line("separator", 1.6, inside);
    this.trails = line("trail", 2.4, inside);
    this.goals = each((name) => draw("path", { class: `goal ${name}` }, svg));
    this.goalNames = each((name) => draw("text", { class: `name ${name}`, "font-size": 12 * px }, svg, ""));
    this.halos = each((name, i) => state.tokens[i].map(() => draw("circle", { class: `halo ${name}` }, svg)));
    this.rings = each((name, i) => state.tokens[i].map(() => draw("circle", { class: `ring ${name}`, "stroke-width": 2.2 * px }, svg)));
    this.tokens = each((name, i) => state.tokens[i].map((_, t) => {
      const g = this.handle("token", `t${i},${t}`, name, "Arrow keys move it, Delete removes it.");
      draw("circle", { r: 21 * px, class: "touch" }, g);
      const mark = draw("path", { class: "mark", "stroke-width": 1.3 * px }, g);
      draw("text", { "font-size": size, class: "digit" }, g, t + 1);
      this.listen(g, { kind: "token", i, t });
      return { g, mark };
    }));
    this.heads = each((name) => draw("path", { class: `tip ${name}` }, svg));
    this.headNames = each((name, i) => draw("text", { class: `name ${name}`, "font-size": 13 * px }, svg, `Wz${SUBSCRIPTS[i]}`));
    this.queries = each((name, i) => this.turner("query", i, name, `z${SUBSCRIPTS[i]}`));
    this.score = this.turner("head", 0, "score", "v");
    if (focused) { const again = svg.querySelector(`[data-key="${focused}"]`); if (again) again.focus(); }
  }

  handle(kind, key, name, help) {
    return draw("g", { class: `handle ${kind} ${name}`, tabindex: 0, "data-key": key, "aria-description": help }, this.svg);
  }

  turner(kind, i, name, label) {
    const g = this.handle(kind, `${kind}${i}`, name, "Arrow keys turn it."), px = this.pixel;
    draw("circle", { r: 20 * px, class: "touch" }, g);
    draw("circle", { r: 11.5 * px, class: "knob", "stroke-width": 1.5 * px }, g);
    const arrow = draw("path", { class: "arrow", d: `M${11 * px} ${-5 * px}L${18.5 * px} 0L${11 * px} ${5 * px}Z` }, g);
    draw("text", { "font-size": 11.5 * px, class: "digit" }, g, label);
    place(g, { role: "slider", "aria-valuemin": -180, "aria-valuemax": 180 });
    this.listen(g, { kind, i });
    return { g, arrow };
  }

  listen(g, what) {
    g.addEventListener("pointerdown", (event) => {
      if (event.button > 0) return;
      event.preventDefault();
      g.focus({ preventScroll: true });
      this.dragging = { ...what, pointer: event.pointerId, g };
      g.classList.add("held");
      this.svg.setPointerCapture(event.pointerId);
    });
    g.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
      if (event.key === "Delete" && what.kind === "token") { event.preventDefault(); this.moves.remove(what.i, what.t); }
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.moves.nudge(what, by, event.shiftKey);
    });
  }

  drag(event) {
    const held = this.dragging;
    if (!held || held.pointer !== event.pointerId) return;
    const point = this.where(event);
    if (held.kind === "token") {
      const r = length(point), most = this.half * 0.985, scale = r > most ? most / r : 1;
      this.moves.token(held.i, held.t, point.map((x) => x * scale));
    } else if (length(point) > 1e-3 * this.half) this.moves[held.kind](held.i, Math.atan2(point[1], point[0]));
  }

  drop(event) {
    if (!this.dragging || this.dragging.pointer !== event.pointerId) return;
    this.dragging.g.classList.remove("held");
    this.dragging = null;
    this.moves.done();
  }

  render(run, now) {
    const { state } = run;
    if (!this.dragging) this.fit(state.tokens);
    this.build(state);
    const px = this.pixel, W = run.W, moving = length(W) > 0;
    const unit = state.head.map((x) => x / length(state.head));
    place(this.slope, {
      x1: CENTRE - RIM * unit[0], y1: CENTRE + RIM * unit[1], x2: CENTRE + RIM * unit[0], y2: CENTRE - RIM * unit[1],
    });
    this.turned(this.score, state.head, TRACKS.head, "Score direction v");
    this.named = [];
    state.tokens.forEach((own, i) => this.direction(run, i, now.directions && now.directions[i], this.bands[i], true));
    state.tokens.forEach((own, i) => {
      this.turned(this.queries[i], state.queries[i], TRACKS.query, `Query z of input ${i + 1}`);
      this.direction(run, i, now.others && now.others[i], this.lowerBands[i], false);
      const along = times(W, state.queries[i]);
      const end = this.curve(this.trails[i], run.trails[i], along);
      this.arrowHead(i, end, along, moving);
      this.separator(i, own, now.selected[i], along, moving);
      own.forEach((token, t) => this.token(run, now, i, t, px));
    });
  }

  turned({ g, arrow }, direction, radius, label) {
    const [x, y] = this.onRing(direction, radius), degrees = Math.round((Math.atan2(direction[1], direction[0]) * 180) / Math.PI);
    place(g, { transform: `translate(${round(x)} ${round(y)})`, "aria-valuenow": degrees, "aria-valuetext": `${degrees} degrees`, "aria-label": label });
    place(arrow, { transform: `rotate(${-degrees})` });
  }

  direction(run, i, along, band, named) {
    const shown = along && length(along) > 0;
    const [x, y] = shown ? this.onRing(along, RIM) : [CENTRE, CENTRE];
    place(band, { d: shown ? `M${CENTRE} ${CENTRE}L${round(x)} ${round(y)}` : "" });
    if (!named) return;
    const px = this.pixel, angle = shown ? (-Math.atan2(along[1], along[0]) * 180) / Math.PI : 0;
    place(this.goals[i], {
      d: shown ? `M${-1 * px} 0L${-13 * px} ${-8 * px}V${8 * px}Z` : "",
      transform: `translate(${round(x)} ${round(y)}) rotate(${round(angle)})`,
    });
    // Names of neighbours stand on different sides of their bands: directions may coincide.
    const [tx, ty] = shown ? this.onRing(along, RIM - (24 + 17 * (i >> 1)) * px) : [0, 0], aside = (i % 2 ? 30 : -30) * px;
    const turn = Math.atan2(ty - CENTRE, tx - CENTRE) + Math.PI / 2;
    write(this.goalNames[i], shown && run.state.tokens.length === 2 ? `SVM ${i + 1}` : ""); // of more, colours speak
    const at = [tx + aside * Math.cos(turn), ty + aside * Math.sin(turn)];
    this.named[i] = shown && run.state.tokens.length === 2 ? at : null;
    place(this.goalNames[i], { x: round(at[0]), y: round(at[1]) });
  }

  curve(path, trail, last) {
    // The part drawn before is kept, and only new points are added.
    let kept = this.drawn.get(path);
    if (!kept || kept.trail !== trail || kept.half !== this.half || kept.count > trail.length || kept.first !== trail[1]) {
      kept = { trail, half: this.half, count: 0, first: trail[1], d: "" };
      this.drawn.set(path, kept);
    }
    for (; kept.count < trail.length; kept.count++) {
      const [x, y] = this.bent(trail[kept.count]);
      kept.d += `${kept.d ? "L" : "M"}${round(x)} ${round(y)}`;
    }
    let { d } = kept;
    let end = null;
    if (last) { end = this.bent(last); d += `${d ? "L" : "M"}${round(end[0])} ${round(end[1])}`; }
    place(path, { d });
    return end;
  }

  arrowHead(i, end, along, moving) {
    const px = this.pixel, angle = (-Math.atan2(along[1], along[0]) * 180) / Math.PI;
    place(this.heads[i], {
      d: moving ? `M${8 * px} 0L${-6 * px} ${-7 * px}L${-3 * px} 0L${-6 * px} ${7 * px}Z` : "",
      transform: `translate(${round(end[0])} ${round(end[1])}) rotate(${round(angle)})`,
    });
    // On the side of the curve that is farther from the names of the bands; where both are taken, behind the arrow.
    const beside = (side, back) => {
      const a = (-angle * Math.PI) / 180, turn = a + side * Math.PI / 2;
      return [end[0] + px * (22 * Math.cos(turn) - back * Math.cos(a)), end[1] - px * (22 * Math.sin(turn) - back * Math.sin(a))];
    };
    const own = i % 2 ? 1 : -1, room = ([x, y]) => Math.min(60 * px, ...this.named.filter(Boolean).map(([a, b]) => Math.hypot(a - x, b - y)));
    const places = [[own, 0], [-own, 0], [own, 50], [-own, 50]].map(([side, back]) => beside(side, back));
    const best = places.reduce((a, b) => (room(b) > room(a) + 1e-9 ? b : a));
    place(this.headNames[i], { x: round(best[0]), y: round(best[1]), visibility: moving ? "visible" : "hidden" });
  }

  // {x : xᵀ W z = c}, half of the smallest margin short of the selected token.
  separator(i, own, selected, along, moving) {
    let d = "";
    const chosen = own[selected], size = length(along);
    if (moving && size > 0) {
      const gaps = own.filter((_, t) => t !== selected).map((x) => dot(minus(chosen, x), along));
      const away = (dot(chosen, along) - Math.min(...gaps) / 2) / size;
      if (Math.abs(away) < this.half) {
        const reach = Math.sqrt(this.half ** 2 - away ** 2), u = [along[0] / size, along[1] / size];
        const [a, b] = [1, -1].map((sign) => this.scaled([away * u[0] - sign * reach * u[1], away * u[1] + sign * reach * u[0]]));
        d = `M${round(a[0])} ${round(a[1])}L${round(b[0])} ${round(b[1])}`;
      }
    }
    place(this.lines[i], { d });
  }

  token(run, now, i, t, px) {
    const { g, mark } = this.tokens[i][t], best = now.best[i] === t, p = now.probabilities[i][t];
    const [x, y] = this.scaled(run.state.tokens[i][t]), at = { cx: round(x), cy: round(y) };
    place(g, { transform: `translate(${round(x)} ${round(y)})` });
    place(mark, { d: best ? STAR : SHAPES[i], transform: `scale(${round(this.size)})`, "stroke-width": 1.3 * px / this.size });
    place(this.halos[i][t], { ...at, r: round(px * (12 + 20 * p)), "fill-opacity": (0.5 * p).toFixed(3) });
    place(this.rings[i][t], { ...at, r: round(17.5 * px), visibility: now.supports[i][t] ? "visible" : "hidden" });
  }

  // Names for who does not see the picture; not at every frame.
  describe(run, now) {
    const score = scores(run.problem);
    run.state.tokens.forEach((own, i) => own.forEach(([x, y], t) => {
      const words = [
        `Token ${t + 1} of input ${i + 1} at ${x.toFixed(2)}, ${y.toFixed(2)}`, `score ${score[i][t].toFixed(2)}`,
        `attention ${now.probabilities[i][t].toFixed(2)}`,
        ...(now.best[i] === t ? ["the best token"] : []), ...(now.selected[i] === t ? ["selected"] : []),
        ...(now.supports[i][t] ? ["support token"] : []),
      ];
      place(this.tokens[i][t].g, { role: "button", "aria-roledescription": "token to drag", "aria-label": words.join(", ") });
    }));
  }
}
