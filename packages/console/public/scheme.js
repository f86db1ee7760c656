// Runs before the first paint, so that the page does not flash in the other scheme.
(() => {
  const chosen = localStorage.getItem("mantine-color-scheme-value") ?? "auto";
  const isDark = chosen === "dark" || (chosen === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.mantineColorScheme = isDark ? "dark" : "light";
})();
