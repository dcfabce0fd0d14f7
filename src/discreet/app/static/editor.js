// The policy as text: lines are numbered, a mistake leads to its line, Ctrl+Enter saves.
function number(field) {
  const lines = field.closest(".numbered").querySelector(".lines");
  const wrong = new Set([...lines.children].filter((each) => each.classList.contains("wrong")).map((each) => each.textContent));
  const many = field.value.split("\n").length;
  if (lines.children.length !== many) {
    lines.replaceChildren(...Array.from({ length: many }, (_, place) => {
      const each = document.createElement("span");
      each.textContent = String(place + 1);
      if (wrong.has(each.textContent)) each.classList.add("wrong");
      return each;
    }));
  }
  lines.scrollTop = field.scrollTop;
}
function ready() {
  const field = document.getElementById("policy-text");
  if (!field || field.dataset.ready) return;
  field.dataset.ready = "yes";
  const first = field.value;
  field.addEventListener("input", () => {
    if (field.value === first) delete field.dataset.dirty; else field.dataset.dirty = "yes";
    number(field);
  });
  field.addEventListener("scroll", () => number(field));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); field.form.requestSubmit(); }
  });
  number(field);
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-line]");
  const field = document.getElementById("policy-text");
  if (!link || !field) return;
  event.preventDefault();
  const lines = field.value.split("\n"), line = Number(link.dataset.line);
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  field.focus();
  field.setSelectionRange(start, start + (lines[line - 1] || "").length);
  field.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(field).lineHeight));
});
document.addEventListener("drawn", ready);
ready();
