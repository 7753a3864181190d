// Sets the colours before the page is drawn, so that it does not flash. It is a plain script because modules run later.
(() => {
  const chosen = localStorage.getItem('sluice.theme');
  if (chosen === 'light' || chosen === 'dark') {
    document.documentElement.dataset.theme = chosen;
  }
})();
