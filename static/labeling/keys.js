/* Keys of the labelling page, focus after a swap, and honest words when an answer could not be saved. */
"use strict";
(() => {
  const ANSWERS = { 1: "duplicate", y: "duplicate", 2: "distinct", n: "distinct", 3: "unsure", u: "unsure", " ": "skip", z: "undo" };
  let busy = false;
  let change = 0;

  const find = (selector) => document.querySelector(selector);
  const say = (sentence) => {
    for (const status of document.querySelectorAll("#status, #announce")) {
      const words = document.createElement("span");
      words.className = "bad";
      words.textContent = sentence;
      status.replaceChildren(words);
    }
  };
  const isTyping = (element) =>
    element.isContentEditable || element.matches("input:not([type=checkbox], [type=radio], [type=hidden]), textarea, select");
  const hasOwnUse = (key, element) => key === " " && element.matches("a, button, summary, input, label");

  function goToChange(step) {
    const numbers = [...new Set([...document.querySelectorAll("#pair [data-change]")].map((mark) => Number(mark.dataset.change)))];
    if (numbers.length === 0) return;
    numbers.sort((a, b) => a - b);
    const position = numbers.indexOf(change);
    const next = position < 0 ? (step > 0 ? 0 : numbers.length - 1) : (position + step + numbers.length) % numbers.length;
    change = numbers[next];
    document.querySelectorAll(".current-change").forEach((mark) => mark.classList.remove("current-change"));
    const marks = document.querySelectorAll(`#pair [data-change="${change}"]`);
    marks.forEach((mark) => mark.classList.add("current-change"));
    for (let fold = marks[0].closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    marks[0].scrollIntoView({ block: "center" });
    const counter = find("#change-counter");
    if (counter) counter.textContent = `change ${next + 1} of ${numbers.length}`;
  }

  function expand() {
    const folds = [...document.querySelectorAll("#pair .difference details")];
    const open = folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = open; });
  }

  function showKeys() {
    const dialog = find("#keys-dialog");
    if (dialog && !dialog.open) dialog.showModal();
  }

  const isOpen = (selector) => Boolean(find(selector)?.open);

  function openReasons() {
    const reasons = find("#why");
    if (reasons) reasons.open = !reasons.open;
    return Boolean(reasons);
  }

  function chooseReason(key) {
    const chip = find(`#why [data-chip="${key}"]`);
    find("#why").open = false;
    if (!chip) return false;
    chip.click();
    return true;
  }

  function showRecent() {
    const recent = find("#recent");
    if (!recent) return;
    recent.open = true;
    (recent.querySelector("a") || recent).focus();
  }

  function act(key) {
    if (isOpen("#why") && /^[1-8]$/.test(key)) return chooseReason(key);
    if (key in ANSWERS) {
      const button = find(`#pair [data-answer="${ANSWERS[key]}"]`);
      if (!button) return false;
      button.click();
      return true;
    }
    if (key === "j") goToChange(1);
    else if (key === "k") goToChange(-1);
    else if (key === "e") expand();
    else if (key === "m" && find("#next-mode")) find("#next-mode").click();
    else if (key === "c" && find("#note")) find("#note").focus();
    else if (key === "t") return openReasons();
    else if (key === "b" && find("#flag")) find("#flag").click();
    else if (key === "r") showRecent();
    else if (key === "?") showKeys();
    else return false;
    return true;
  }

  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || event.keyCode === 229) return;
    const element = event.target;
    if (event.key === "Escape" && isTyping(element) && element.closest("#pair")) {
      element.blur();
      return;
    }
    if (event.key === "Escape" && isOpen("#why")) {
      find("#why").open = false;
      return;
    }
    if (isTyping(element) || find("dialog[open]")) return;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const isUndo = key === "z" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if ((event.ctrlKey || event.altKey || event.metaKey) && !isUndo) return;
    if (hasOwnUse(key, element) || !find("#pair")) return;
    if (busy && key in ANSWERS && !isOpen("#why")) {
      event.preventDefault();
      return;
    }
    if (act(key)) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest("[data-shows-keys]") && find("#keys-dialog")) {
      event.preventDefault();
      showKeys();
    }
    const jump = event.target.closest("[data-jump]");
    if (jump) goToChange(Number(jump.dataset.jump));
  });

  const isAnswer = (event) => event.detail.elt.closest && event.detail.elt.closest("#pair") && !event.detail.elt.closest("#last-answer");

  document.addEventListener("htmx:configRequest", (event) => {
    const token = document.cookie.match(/(?:^|; )csrftoken=([^;]+)/);
    if (token && event.detail.verb === "post") event.detail.parameters.csrfmiddlewaretoken = token[1];
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (isAnswer(event)) busy = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!event.detail.elt.closest?.("#last-answer")) busy = false;
  });
  document.addEventListener("htmx:responseError", (event) => {
    say(`Not saved: the server answered ${event.detail.xhr.status}. Your answer is still here; press its key again.`);
  });
  document.addEventListener("htmx:sendError", () => {
    say("Not saved: the server can't be reached. Your answer is still here; press its key again.");
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const pair = event.detail.elt;
    if (pair.id !== "pair") return;
    change = 0;
    if (pair.dataset.keepsPlace === undefined) {
      window.scrollTo(0, 0);
      pair.focus({ preventScroll: true });
    }
  });
})();
