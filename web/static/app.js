// Everything works without this file. It saves a page load, and the reader's place, when a watch is changed.
"use strict";

document.addEventListener("submit", async (event) => {
  const form = event.target, button = event.submitter;
  if (!button?.matches("button.watch[form]")) return;
  event.preventDefault();
  try {
    const answer = await fetch(form.action, { method: "POST", body: new FormData(form, button) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const isSamePage = answer.ok && new URL(answer.url).pathname === location.pathname;
    if (isSamePage) showAgain(page, button);
    else location.assign(answer.url); // to sign in, most often
  } catch {
    location.reload(); // no answer: show what is so
  }
});

// The page's content as the server gave it just now, opened where it was open, with the focus where it was.
function showAgain(page, button) {
  const place = button.getAttribute("form").replace(/-off$/, ""), term = CSS.escape(button.value);
  const fresh = replaceMain(page);
  const again = fresh.querySelector(`button.watch[form="${place}"][value="${term}"], button.watch[form="${place}-off"][value="${term}"]`);
  again?.focus({ preventScroll: true });
  document.getElementById("status").textContent = again?.textContent ?? "";
}

function replaceMain(page) {
  const old = document.querySelector("main"), fresh = page.querySelector("main");
  const isOpen = [...old.querySelectorAll("details")].map((one) => one.open);
  fresh.querySelectorAll("details").forEach((one, at) => { one.open = isOpen[at] ?? false; });
  old.replaceWith(fresh);
  return fresh;
}
