"use strict";
// Above the audit's tables: two menus that choose which rows are shown. Without this program all of them are.
(() => {
  const place = document.getElementById("filter"), tables = [...document.querySelectorAll("table.audit")];
  const rows = tables.flatMap((table) => [...table.querySelectorAll("tbody tr")]);
  const asked = new URLSearchParams(location.search);

  function menu(name, label, choices) {
    const outer = document.createElement("label"), select = document.createElement("select");
    outer.append(label + " ", select);
    select.name = name;
    for (const [value, text] of [["", "all"], ...choices]) select.add(new Option(text, value));
    if (choices.some(([value]) => value === asked.get(name))) select.value = asked.get(name);
    select.addEventListener("change", show);
    place.append(outer);
    return select;
  }

  const verdicts = new Map(rows.map((row) => [row.dataset.verdict, row.querySelector(".verdict").textContent]));
  const verdict = menu("verdict", "verdict", [...verdicts]);
  const section = menu("section", "section", tables.map((table) => [table.dataset.section, table.dataset.title]));
  const count = document.createElement("output");
  place.append(count);
  show();

  function show() {
    for (const table of tables) {
      const here = !section.value || table.dataset.section === section.value;
      const own = [...table.querySelectorAll("tbody tr")];
      for (const row of own) row.hidden = !(here && (!verdict.value || row.dataset.verdict === verdict.value));
      table.closest("section").hidden = own.every((row) => row.hidden);
    }
    count.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} claims`;
  }

  // A link to a row shows it, whatever was chosen.
  function found() {
    const row = document.getElementById(location.hash.slice(1));
    if (row && row.hidden) { verdict.value = section.value = ""; show(); row.scrollIntoView(); }
  }
  addEventListener("hashchange", found);
  found();
})();
