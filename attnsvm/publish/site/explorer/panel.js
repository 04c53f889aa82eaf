// The numbers beside the plane: how close to the SVM, what attention sees, and the course of the run.

const byId = (id) => document.getElementById(id);
const node = (kind, attributes = {}, ...children) => {
  const element = document.createElement(kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const write = (element, text) => { if (element.textContent !== text) element.textContent = text; };
const degrees = (value) => (Math.acos(Math.min(1, Math.max(-1, value))) * 180) / Math.PI;
const digits = (x, count = 3) => (Number.isFinite(x) ? (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e5) ? x.toExponential(count > 1 ? 1 : 0) : Math.abs(x) >= 1000 ? counted(Math.round(x)) : x.toPrecision(count)) : "–");
const asCorrelation = (value) => (!Number.isFinite(value) ? "–" : value > 0.9999 ? (value > 0.999999 ? "> 0.999999" : value.toFixed(6)) : value.toFixed(4));
const NORM_NAMES = { fro: "Frobenius", nuc: "nuclear", spectral: "spectral", linf: "max-entry" };
const counted = (step) => String(step).replace(/\B(?=(\d{3})+$)/g, "\u202f");

class Panel {
  constructor() {
    this.shape = "";
    this.ranges = null;
  }

  render(run, now) {
    const [first, second] = now.correlations;
    const title = ({ norm }) => `correlation with the ${NORM_NAMES[norm]} SVM`;
    const apart = ({ value }) => (Number.isFinite(value) ? `${digits(degrees(value), 2)}° apart` : "");
    const tell = (name, texts) => texts.forEach((text, k) => write(byId(name).children[k], text));
    tell("first", [title(first), asCorrelation(first.value), this.proof(first) || apart(first)]);
    tell("second", second ? [title(second), asCorrelation(second.value), apart(second)]
      : ["margin reached, of the best possible", this.percent(now.share), ""]);
    write(byId("step"), counted(run.step));
    write(byId("loss"), digits(now.loss, 4));
    write(byId("size"), digits(now.size, 3));
    byId("margin").hidden = !second;
    byId("dashed").hidden = !second;
    write(byId("share"), this.percent(now.share));
    write(byId("gap"), now.own.status === "solved" ? digits(Math.max(now.own.gap, 0), 1) : "–");
    this.attention(run, now);
    this.chart(run, now);
  }

  proof({ status }) {
    if (status === "infeasible") return "no W separates these tokens (proved)";
    return status === "solved" ? "" : "no certified solution";
  }

  percent(share) {
    if (!Number.isFinite(share)) return "–";
    return share < 0 ? "below 0 %" : `${(100 * share).toFixed(share > 0.99 ? 2 : 1)} %`;
  }

  attention(run, now) {
    const shape = run.state.tokens.map((own) => own.length).join();
    if (shape !== this.shape) {
      this.shape = shape;
      byId("attention").replaceChildren(...run.state.tokens.map((own, i) => node("div", { class: `row input${i + 1}` },
        node("span", { class: "who" }, `input ${i + 1}`),
        ...own.map((_, t) => node("span", { class: "bar" }, node("u", {}, node("i")), node("b", {}, String(t + 1)))))));
    }
    [...byId("attention").children].forEach((row, i) => now.probabilities[i].forEach((p, t) => {
      const bar = row.children[t + 1];
      bar.firstChild.firstChild.style.transform = `scaleY(${p.toFixed(3)})`;
      bar.classList.toggle("selected", now.selected[i] === t);
      bar.classList.toggle("best", now.best[i] === t);
    }));
  }

  // 1 − correlation and the loss against the number of steps, both axes of the first logarithmic.
  chart(run, now) {
    const svg = byId("chart"), log = run.log, last = Math.max(run.step, 100), left = 40, right = 342, tops = [12, 122], height = [86, 42];
    const x = (step) => left + ((right - left) * Math.log10(Math.max(step, 1))) / Math.log10(last);
    const shown = log.flatMap(({ correlations }) => correlations).filter(Number.isFinite).map((c) => 1 - c);
    const lowest = Math.max(-9, Math.min(-2, Math.floor(Math.log10(Math.max(1e-9, Math.min(1, ...shown))))));
    const y = (c) => tops[0] + (height[0] * (Math.log10(2) - Math.log10(Math.min(2, Math.max(1 - c, 10 ** lowest))))) / (Math.log10(2) - lowest);
    const losses = log.map(({ loss }) => loss), top = Math.max(...losses), bottom = Math.min(...losses);
    const z = (loss) => tops[1] + height[1] * (top - bottom > 1e-12 ? (top - loss) / (top - bottom) : 0.5);
    const key = [Math.round(Math.log10(last) * 20), lowest].join();
    if (key !== this.ranges) {
      this.ranges = key;
      const grid = byId("grid");
      grid.replaceChildren();
      for (let power = lowest; power <= 0; power++) {
        if ((power - lowest) % Math.ceil(-lowest / 4)) continue;
        const at = y(1 - 10 ** power);
        draw("path", { d: `M${left} ${round(at)}H${right}`, class: "grid" }, grid);
        draw("text", { x: left - 5, y: round(at + 3.5), "text-anchor": "end" }, grid, power === 0 ? "1" : power === -1 ? "0.1" : `10${[...String(power)].map((c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]).join("")}`);
      }
      for (let power = 0; 10 ** power <= last; power++) {
        const at = x(10 ** power);
        draw("path", { d: `M${round(at)} ${tops[0]}V${tops[1] + height[1]}`, class: "grid" }, grid);
        draw("text", { x: round(at), y: tops[1] + height[1] + 14, "text-anchor": "middle" }, grid, counted(10 ** power));
      }
    }
    write(byId("high"), digits(top));
    write(byId("low"), digits(bottom));
    const path = (points) => points.map(([a, b], k) => `${k ? "L" : "M"}${round(a)} ${round(b)}`).join("");
    [0, 1].forEach((k) => {
      const points = log.filter(({ correlations }) => Number.isFinite(correlations[k])).map(({ step, correlations }) => [x(step), y(correlations[k])]);
      place(byId(`line${k + 1}`), { d: path(points) });
    });
    place(byId("losses"), { d: path(log.map(({ step, loss }) => [x(step), z(loss)])) });
    const names = now.correlations.map(({ norm }) => NORM_NAMES[norm]);
    write(byId("names"), `1 − correlation with the SVM${names.length > 1 ? `: ${names[0]} solid, ${names[1]} dashed` : ""}`);
  }

  // One sentence for everybody, and for who hears the page.
  sentence(run, now) {
    const [first] = now.correlations, tokens = now.selected.map((t) => t + 1).join(", ");
    const kind = now.selected.every((t, i) => t === now.best[i]) ? "the best ones" : now.local ? "not the best, but locally optimal" : "not the best";
    const ending = first.status === "infeasible" ? "No W separates these tokens from the others: a Farkas certificate proves it."
      : first.status !== "solved" ? "The SVM of these tokens has no certified solution."
        : !Number.isFinite(first.value) ? "Press play: the curves will turn onto the pale bands."
          : `The direction is ${digits(degrees(first.value), 2)}° from the certified max-margin solution.`;
    return `${run.step === 0 && !Number.isFinite(first.value) ? "Tokens to be selected" : "Selected tokens"}: ${tokens} (${kind}). ${ending}`;
  }
}
