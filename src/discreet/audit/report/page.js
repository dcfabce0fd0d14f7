for (const holder of document.querySelectorAll("[data-chart]")) {
  const spec = JSON.parse(document.getElementById(holder.dataset.chart).textContent);
  vegaEmbed(holder, spec, { actions: false, renderer: "svg", ast: true }).then(
    () => holder.setAttribute("data-drawn", ""),
    (error) => {
      holder.textContent = "This chart could not be drawn. Its figures are in the table below.";
      console.error(error);
    },
  );
}
