// The whole in marimo, which lays out no children of ipywidgets: the chart, and the list below it.

export default {
  async render({ model, el, host, signal }) {
    if (!host?.getWidget) {
      el.textContent = "This marimo shows no widget in another: show x.chart and x.list, as help(ww.Intervals) tells.";
      return;
    }
    for (const child of model.get("children").slice(0, 2)) {
      const box = document.createElement("div");
      el.append(box);
      const part = await host.getWidget(child.replace("IPY_MODEL_", "anywidget:"));
      await part.render({ el: box, signal });
    }
  },
};
