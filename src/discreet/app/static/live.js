// What makes pages live: forms without a reload, parts that are drawn anew when something has changed, several tabs.
// Every form works without it.

const token = () => document.body.dataset.token;

/** Take over from another page what has changed; where one was typing or stood stays. */
function swap(text, url) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const fresh = page.getElementById("screen");
  if (!fresh) { location.reload(); return; }
  const here = document.activeElement;
  const id = here && here.id, scrolled = window.scrollY;
  const boxes = [...document.querySelectorAll("#screen [id].scroll")].map((box) => [box.id, box.scrollLeft, box.scrollTop]);
  const open = [...document.querySelectorAll("#screen details[id][open]")].map((each) => each.id);
  for (const name of ["header.top", "nav.steps"]) {
    document.querySelector(name).replaceWith(page.querySelector(name));
  }
  document.getElementById("screen").replaceWith(fresh);
  document.title = page.title;
  document.body.dataset.state = page.body.dataset.state;
  for (const [name, left, top] of boxes) {
    const box = document.getElementById(name);
    if (box) { box.scrollLeft = left; box.scrollTop = top; }
  }
  for (const name of open) document.getElementById(name)?.setAttribute("open", "");
  if (url && url !== location.href) history.replaceState(null, "", url);
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
  window.scrollTo({ top: scrolled, behavior: "instant" });
  showStep();
  document.dispatchEvent(new CustomEvent("drawn"));
  // What was still being reckoned when the server drew this may be there by now, and we were told before we had it.
  for (const part of document.querySelectorAll("[data-live]")) if (part.querySelector(".state.coming, progress")) soon(part);
}

/** Where the steps do not fit, show the present one. */
function showStep() {
  const steps = document.querySelector("nav.steps"), here = steps?.querySelector("[aria-current]");
  if (here) steps.scrollLeft = here.offsetLeft - (steps.clientWidth - here.offsetWidth) / 2;
}

async function refresh(url = location.href) {
  const answer = await fetch(url, { headers: { accept: "text/html" } });
  if (answer.ok) swap(await answer.text(), answer.url);
}

let sent = 0;
/** Send a form, and show what comes of it; of several that were sent, what comes of the last. */
export async function send(form, submitter) {
  const mine = ++sent;
  const said = new URLSearchParams(new FormData(form, submitter));
  form.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(form.action, { method: "POST", body: said });
    const url = new URL(answer.url);
    if (mine !== sent) return;
    if (answer.ok && url.pathname !== location.pathname) { location.assign(answer.url); return; }
    if ((answer.headers.get("content-type") || "").startsWith("text/html")) {
      swap(await answer.text(), answer.ok ? answer.url : undefined);
    } else { say(await answer.text()); }
  } catch { say("The app does not answer. Is `discreet app` still running?"); }
  form.removeAttribute("aria-busy");
}

/** Send what a form with one action would; a list is a field that stands there several times. */
export async function post(path, fields) {
  const form = document.createElement("form");
  form.method = "post";
  form.action = path;
  for (const [name, value] of Object.entries({ ...fields, token: token() })) {
    for (const one of [value].flat()) {
      const field = document.createElement("input");
      field.name = name;
      field.value = one;
      form.append(field);
    }
  }
  await send(form);
}

export function say(text) {
  const place = document.getElementById("elsewhere");
  if (!place) return;
  place.textContent = text;
  place.hidden = false;
}

/** Whether somebody is writing something that is not sent yet. */
const writing = () => document.querySelector("#screen [data-dirty]") !== null;

async function draw(part) {
  const url = new URL(part.dataset.live, location.href);
  url.search = location.search;
  const answer = await fetch(url);
  if (!answer.ok) return;
  const id = document.activeElement && part.contains(document.activeElement) && document.activeElement.id;
  const text = await answer.text();
  if (part.dataset.drawn === text) return;
  part.dataset.drawn = text;
  const open = [...part.querySelectorAll("details[id][open]")].map((each) => each.id);
  part.innerHTML = text; // from our own server, escaped there
  for (const name of open) document.getElementById(name)?.setAttribute("open", "");
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
  document.dispatchEvent(new CustomEvent("drawn"));
}

const waiting = new Map();
/** Draw a part soon, and once for several things that happened. */
function soon(part) {
  if (waiting.has(part)) return;
  waiting.set(part, setTimeout(() => { waiting.delete(part); if (part.isConnected) draw(part); }, 80));
}

function heard(what) {
  for (const part of document.querySelectorAll("[data-live]")) {
    if (part.dataset.on.split(" ").includes(what)) soon(part);
  }
}

function listen() {
  const events = new EventSource("/events");
  events.addEventListener("figure", (event) => heard(`figure:${JSON.parse(event.data).name}`));
  events.addEventListener("job", () => heard("job"));
  events.addEventListener("progress", () => heard("progress"));
  const state = (event) => {
    const { number } = JSON.parse(event.data);
    heard("state");
    if (String(number) === document.body.dataset.state || document.querySelector("form[aria-busy]")) return;
    if (writing()) say("The policy was changed elsewhere (another tab, or a draft that was ready). Save or reload.");
    else refresh();
  };
  events.addEventListener("state", state);
  events.addEventListener("hello", (event) => {
    state(event);
    for (const part of document.querySelectorAll("[data-live]")) soon(part); // what happened before we listened
  });
  window.addEventListener("pagehide", () => events.close());
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("form[data-quick]")) return;
  event.preventDefault();
  send(form, event.submitter);
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  refresh(link.href);
});
window.addEventListener("popstate", () => refresh());
// A choice is sent when it is made, a slider when it has stood still for a moment (keys move it step by step).
let still = 0;
document.addEventListener("change", (event) => {
  const field = event.target;
  if (!field.matches("[data-send]") || !field.form) return;
  clearTimeout(still);
  still = setTimeout(() => field.isConnected && field.form.requestSubmit(), field.type === "range" ? 350 : 0);
});
document.addEventListener("input", (event) => {
  const field = event.target;
  if (field.dataset.shows) {
    const place = document.getElementById(field.dataset.shows);
    if (place) place.textContent = field.value + (field.dataset.unit || "");
  }
});
showStep();
listen();
