// Drop a file onto the page: it goes to the private working folder of the app on this machine, and nowhere else.
import { say } from "./live.js";

function send(file) {
  const told = document.getElementById("dropping");
  const request = new XMLHttpRequest();
  request.open("PUT", `/upload?name=${encodeURIComponent(file.name)}`);
  request.setRequestHeader("x-discreet-token", document.body.dataset.token);
  request.setRequestHeader("content-type", "application/octet-stream");
  request.upload.onprogress = (event) => {
    told.textContent = `Copying ${file.name}: ${Math.round((100 * event.loaded) / Math.max(event.total, 1))}%`;
  };
  request.onload = () => {
    if (request.status === 200) location.assign("/table");
    else { told.textContent = ""; say(request.responseText); }
  };
  request.onerror = () => { told.textContent = ""; say("The file was not taken: it is too large, or the app has ended."); };
  request.send(file);
}

function ready() {
  const place = document.getElementById("drop");
  if (!place || place.dataset.ready) return;
  place.dataset.ready = "yes";
  place.hidden = false;
  document.getElementById("file").addEventListener("change", (event) => {
    if (event.target.files.length) send(event.target.files[0]);
  });
}
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (![...(event.dataTransfer?.types || [])].includes("Files")) return;
    event.preventDefault();
    document.getElementById("drop")?.classList.toggle("over", name === "dragover");
    if (name === "drop" && event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
  });
}
document.addEventListener("drawn", ready);
ready();
