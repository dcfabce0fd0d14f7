// Columns are dragged from bin to bin; the list in each of them does the same by keyboard.
import { post } from "./live.js";

let dragged = null;
document.addEventListener("dragstart", (event) => {
  const item = event.target.closest?.("[data-column]");
  if (!item) return;
  dragged = item.dataset.column;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged);
  item.classList.add("dragged");
});
document.addEventListener("dragend", () => {
  dragged = null;
  for (const each of document.querySelectorAll(".dragged, .bin.over")) each.classList.remove("dragged", "over");
});
document.addEventListener("dragover", (event) => {
  const bin = event.target.closest?.("[data-bin]");
  if (!bin || dragged === null) return;
  event.preventDefault();
  for (const each of document.querySelectorAll(".bin.over")) if (each !== bin) each.classList.remove("over");
  bin.classList.add("over");
});
document.addEventListener("drop", (event) => {
  const bin = event.target.closest?.("[data-bin]");
  if (!bin || dragged === null) return;
  event.preventDefault();
  post("/columns/move", { column: dragged, to: bin.dataset.bin });
  dragged = null;
});
// Where one stood in a list stays there when the column has moved.
document.addEventListener("change", (event) => {
  const column = event.target.dataset?.columnChoice;
  if (column === undefined) return;
  const back = () => {
    document.removeEventListener("drawn", back);
    for (const each of document.querySelectorAll("[data-column-choice]")) {
      if (each.dataset.columnChoice === column) each.focus({ preventScroll: true });
    }
  };
  document.addEventListener("drawn", back);
});
