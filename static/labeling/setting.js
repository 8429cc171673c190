/* The threshold slider of the evaluation: every position came with the page, so moving it asks the server for nothing. */
"use strict";
(() => {
  const find = (selector) => document.querySelector(selector);
  const findAll = (selector) => document.querySelectorAll(selector);
  let read = null;
  let data = null;
  let held = false;

  function figures() {
    const source = find("#setting-data");
    if (source !== read) {
      read = source;
      data = source ? JSON.parse(source.textContent) : null;
    }
    return data;
  }

  const chosen = () => {
    const recipe = find("#setting input[name=recipe]:checked");
    const range = find("#at");
    return recipe && range ? { recipe: recipe.value, at: range.value, range } : null;
  };

  const withSetting = (address, values) => {
    const url = new URL(address, location.href);
    for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
    return `${url.pathname}${url.search}${url.hash}`;
  };

  function show() {
    const setting = chosen();
    if (!setting || !figures()) return;
    const { recipe, at, range } = setting;
    const place = Math.round((at - range.min) / range.step);
    const position = data.positions[place];
    const words = data.figures[recipe][place];
    find("#at-words").textContent = position.words;
    range.setAttribute("aria-valuetext", `${position.words}: precision ${words.precision}, recall ${words.recall}`);
    for (const cell of findAll("[data-figure]")) {
      cell.textContent = words[cell.dataset.figure];
      cell.hidden = cell.textContent === "";
    }
    for (const mark of findAll("[data-mark]")) {
      mark.setAttribute("x1", position.mark);
      mark.setAttribute("x2", position.mark);
    }
    for (const chart of findAll("[data-recipe]")) chart.classList.toggle("chosen", chart.dataset.recipe === recipe);
    for (const field of findAll("[data-keeps]")) field.value = field.dataset.keeps === "recipe" ? recipe : position.value;
    for (const link of findAll("[data-decides]")) link.href = withSetting(link.href, { recipe, threshold: position.value });
  }

  /* What lies further down, the piles and the plan for labels, follows once the slider rests. */
  function follow() {
    const setting = chosen();
    if (!setting) return;
    const address = withSetting(location.href, { recipe: setting.recipe, at: setting.at });
    history.replaceState(history.state, "", address);
    const swap = { target: "#following", select: "#following", swap: "outerHTML show:none" };
    window.htmx.ajax("GET", address.split("#")[0], swap).catch(() => {}); // its heading names the setting that it shows
  }

  const isSetting = (event) => event.target instanceof Element && event.target.closest("#setting");

  document.addEventListener("input", (event) => { if (isSetting(event)) show(); });
  document.addEventListener("change", (event) => {
    if (!isSetting(event)) return;
    show();
    follow();
  });
  document.addEventListener("pointerdown", (event) => { held = Boolean(isSetting(event)); });
  for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => { held = false; });

  function start() {
    for (const button of findAll("[data-without-script]")) button.hidden = true;
    show();
  }

  /* New labels replace the figures: not under a finger, with the setting in hand, and with what was open still open. */
  const isPoll = (event) => event.detail.target && event.detail.target.id === "figures";
  let open = [];
  document.addEventListener("htmx:configRequest", (event) => {
    const setting = chosen();
    if (!isPoll(event) || !setting) return;
    event.detail.parameters.recipe = setting.recipe;
    event.detail.parameters.at = setting.at;
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!isPoll(event)) return;
    if (held) event.detail.shouldSwap = false;
    open = [...findAll("#figures details[id][open]")].map((details) => details.id);
  });
  document.addEventListener("htmx:afterSettle", () => {
    for (const id of open) if (document.getElementById(id)) document.getElementById(id).open = true;
    open = [];
    start();
  });

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
