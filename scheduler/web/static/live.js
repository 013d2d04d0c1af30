// Keeps pages moving: fetches this page again every other second and brings the parts marked `data-live` up to date.
// Existing elements are changed in place, so that bars glide and a selection stays.
"use strict";

const EVERY = 2000;
const SLOWEST = 30000;
let wait = EVERY;

function bring(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh.cloneNode(true));
    return;
  }
  if (old.nodeType === Node.TEXT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) return;
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !(old.nodeName === "DETAILS" && name === "open")) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  const had = [...old.childNodes];
  const has = [...fresh.childNodes];
  for (let i = 0; i < Math.max(had.length, has.length); i++) {
    if (i >= has.length) had[i].remove();
    else if (i >= had.length) old.append(has[i].cloneNode(true));
    else bring(had[i], has[i]);
  }
}

async function look() {
  try {
    const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(15000) });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = new Map([...page.querySelectorAll("[data-live]")].map((part) => [part.dataset.live, part]));
    if (fresh.size === 0) throw new Error("no page of ours");
    for (const part of document.querySelectorAll("[data-live]")) {
      const now = fresh.get(part.dataset.live);
      if (now) bring(part, now);
    }
    document.documentElement.classList.remove("lost");
    wait = EVERY;
  } catch {
    document.documentElement.classList.add("lost");
    wait = Math.min(wait * 2, SLOWEST);
  }
  again();
}

function again() {
  setTimeout(() => (document.hidden ? again() : look()), wait);
}

if (document.querySelector("[data-live]")) again();
