// Everything works without this file. It offers, at a selection in an abstract, what the form below it does.
"use strict";

(() => {
  const bar = document.createElement("div"), status = document.getElementById("status");
  bar.className = "judge-bar";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", "What you selected");
  bar.addEventListener("mousedown", (event) => event.preventDefault()); // the selection stays
  let waiting;

  document.addEventListener("selectionchange", () => {
    clearTimeout(waiting);
    waiting = setTimeout(offer, 250);
  });
  document.addEventListener("keydown", (event) => {
    if (!bar.isConnected) return;
    const first = bar.querySelector("button");
    if (first && event.key === "Tab" && !event.shiftKey && !bar.contains(document.activeElement)) {
      event.preventDefault(); // wherever the focus was, next comes what the selection offers
      first.focus({ preventScroll: true });
    }
    if (event.key !== "Escape") return;
    const form = bar.parentElement.closest("article").querySelector(".judge summary");
    if (bar.contains(document.activeElement)) form.focus({ preventScroll: true });
    bar.remove();
    getSelection().removeAllRanges();
  });

  function offer() {
    const selection = getSelection();
    const range = selection.rangeCount && !selection.isCollapsed ? selection.getRangeAt(0) : null;
    const inside = range?.commonAncestorContainer, part = (inside?.nodeType === 1 ? inside : inside?.parentElement)?.closest(".text p");
    const form = part?.closest("article").querySelector(".judge form");
    if (!form) {
      if (!bar.contains(document.activeElement)) bar.remove();
      return;
    }
    const quote = quoted(range, part), marks = [...part.querySelectorAll("mark")].filter((mark) => range.intersectsNode(mark));
    const choices = [];
    if (marks.length === 1) {
      const whole = document.createRange();
      whole.selectNodeContents(marks[0]);
      const marked = quoted(whole, part);
      choices.push(["Not a term", marked, "not_a_term"]);
      if (marked.exact === quote.exact) quote.exact = "";
    }
    if (quote.exact && quote.exact.length <= 120) choices.push(["Should be a term", quote, "term"]);
    if (!choices.length) return bar.remove();
    bar.replaceChildren(...choices.map((choice) => buttonFor(form, ...choice)));
    place(range, part.closest(".abstract"));
    status.textContent = `Selected. Press Tab for: ${choices.map(([words]) => words).join(", ")}. Escape closes.`;
  }

  // The selected words with what stands around them, as the reading text has it.
  function quoted(range, part) {
    const before = document.createRange(), after = document.createRange(), words = plain(range);
    before.selectNodeContents(part);
    before.setEnd(range.startContainer, range.startOffset);
    after.selectNodeContents(part);
    after.setStart(range.endContainer, range.endOffset);
    const exact = words.trim(), lead = words.indexOf(exact);
    return {
      exact,
      prefix: [...(plain(before) + words.slice(0, lead))].slice(-32).join(""),
      suffix: [...(words.slice(lead + exact.length) + plain(after))].slice(0, 32).join(""),
    };
  }

  function plain(range) {
    const copy = range.cloneContents();
    copy.querySelectorAll("math, code.tex").forEach((formula) => formula.replaceWith("\ufffc"));
    copy.querySelectorAll(".beside").forEach((price) => price.remove());
    return copy.textContent;
  }

  function buttonFor(form, words, quote, verdict) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = `${words}: ${quote.exact.length > 40 ? `${quote.exact.slice(0, 39)}…` : quote.exact}`;
    button.addEventListener("click", () => send(form, { ...quote, verdict, term: "" }));
    return button;
  }

  function place(range, abstract) {
    if (bar.parentElement !== abstract) abstract.querySelector(".text").after(bar);
    const box = abstract.getBoundingClientRect(), at = range.getBoundingClientRect();
    bar.style.top = `${at.bottom - box.top + 8}px`;
    bar.style.left = `${Math.max(0, Math.min(at.left - box.left, box.width - bar.offsetWidth))}px`;
  }

  async function send(form, values) {
    const data = new FormData(form), place = form.closest("article").id;
    Object.entries(values).forEach(([name, value]) => data.set(name, value));
    try {
      const answer = await fetch(form.action, { method: "POST", body: data });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (!answer.ok) throw new Error(page.querySelector("main p")?.textContent);
      if (new URL(answer.url).pathname !== location.pathname) return location.assign(answer.url); // to sign in
      bar.remove();
      getSelection().removeAllRanges();
      replaceMain(page);
      document.getElementById(place)?.querySelector(".judge summary")?.focus({ preventScroll: true });
      status.textContent = document.querySelector("main .message")?.textContent ?? "";
    } catch (fault) {
      bar.textContent = status.textContent = `This was not kept. ${fault.message}`;
    }
  }
})();
