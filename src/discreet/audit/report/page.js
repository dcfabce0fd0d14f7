const draw = (holder) => {
  const spec = JSON.parse(document.getElementById(holder.dataset.chart).textContent);
  holder.setAttribute("data-asked", "");
  vegaEmbed(holder, spec, { actions: false, renderer: "svg", ast: true }).then(
    () => holder.setAttribute("data-drawn", ""),
    (error) => {
      holder.textContent = "This chart could not be drawn. Its figures are in the table below.";
      console.error(error);
    },
  );
};
const drawAll = () => {
  for (const holder of document.querySelectorAll("[data-chart]:not([data-asked])")) {
    if (!holder.closest("details:not([open])")) draw(holder);
  }
};
drawAll();
document.addEventListener("toggle", drawAll, true);
