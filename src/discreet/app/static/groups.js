// Groups: drag values onto groups, choose a file to import, move ends on the scale. Forms do the same without it.
import { post, say } from "./live.js";

let dragged = null;
const column = () => document.querySelector("#treeform [name=column]").value;

function ready() {
  for (const item of document.querySelectorAll("#treeform .tree li")) item.draggable = true;
  const line = document.getElementById("groups-file-line");
  if (line) line.hidden = false;
  for (const scale of document.querySelectorAll(".scale")) handles(scale);
}

document.addEventListener("dragstart", (event) => {
  const item = event.target.closest?.("#treeform .tree li");
  if (!item) return;
  const chosen = [...document.querySelectorAll("#treeform [name=node]:checked")].map((box) => box.value);
  dragged = chosen.includes(item.dataset.label) ? chosen : [item.dataset.label];
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", String(dragged.length));
});
const target = (event) => event.target.closest?.("#treeform .tree li.group, #treeform ul.tree");
document.addEventListener("dragover", (event) => {
  const place = dragged && target(event);
  for (const other of document.querySelectorAll(".tree .over, .tree.over")) if (other !== place) other.classList.remove("over");
  if (!place) return;
  event.preventDefault();
  place.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const place = dragged && target(event);
  if (!place) return;
  event.preventDefault();
  post(`/groups/tree?column=${encodeURIComponent(column())}`, { column: column(), act: "move", to: place.dataset.label ?? place.dataset.root, node: dragged });
  dragged = null;
});
document.addEventListener("dragend", () => { dragged = null; });

document.addEventListener("change", async (event) => {
  if (event.target.id !== "groups-file" || !event.target.files.length) return;
  const file = event.target.files[0];
  if (file.size > 2e6) { say("This file is large: put it into the folder of the app, and write its name."); return; }
  document.getElementById("groups-text").value = await file.text();
  document.getElementById("groups-path").value = "";
  event.target.form.requestSubmit(document.getElementById("import"));
});

/** Handles on the scale: each moves one end, by pointer or by arrow keys; let go, it is saved. */
function handles(scale) {
  if (scale.dataset.ready) return;
  scale.dataset.ready = "yes";
  const low = Number(scale.dataset.low), high = Number(scale.dataset.high), chart = scale.querySelector(".hist");
  const wide = high - low || 1;
  const days = document.querySelector("#end1") && !/^[-+]?[\d.,]+$/.test(document.querySelector("#end1").value);
  if (days) return; // dates are moved in their fields
  const tidy = (value) => {
    const step = scale.dataset.whole ? 1 : 10 ** Math.floor(Math.log10(wide / 200));
    return String(Number((Math.round(value / step) * step).toPrecision(12)));
  };
  for (const field of document.querySelectorAll(".ends [name=end]")) {
    const at = Number(field.value);
    if (!(at >= low && at <= high)) continue;
    const handle = document.createElement("span");
    handle.className = "handle";
    handle.id = `handle-${field.id}`;
    handle.tabIndex = 0;
    handle.setAttribute("role", "slider");
    handle.setAttribute("aria-label", field.labels[0]?.textContent ?? "End");
    handle.setAttribute("aria-valuemin", String(low));
    handle.setAttribute("aria-valuemax", String(high));
    const show = () => {
      handle.style.left = `${(100 * (Number(field.value) - low)) / wide}%`;
      handle.setAttribute("aria-valuenow", field.value);
      handle.title = field.value;
    };
    const save = () => field.form.requestSubmit(document.getElementById("save-ends"));
    handle.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      handle.focus();
      handle.setPointerCapture(event.pointerId);
      const box = chart.getBoundingClientRect();
      handle.onpointermove = (move) => {
        const share = Math.min(Math.max((move.clientX - box.left) / box.width, 0), 1);
        field.value = tidy(low + share * wide);
        show();
      };
      handle.onpointerup = () => { handle.onpointermove = handle.onpointerup = null; save(); };
    });
    handle.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 10, PageDown: -10 }[event.key];
      if (!by) return;
      event.preventDefault();
      const step = scale.dataset.whole ? 1 : 10 ** Math.floor(Math.log10(wide / 200));
      field.value = tidy(Math.min(Math.max(Number(field.value) + by * step, low), high));
      show();
      clearTimeout(handle.timer);
      handle.timer = setTimeout(save, 700);
    });
    show();
    chart.append(handle);
  }
}
document.addEventListener("drawn", ready);
ready();
