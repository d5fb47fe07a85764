"use strict";
// The server sends the state as HTML, and at last the event "report".
(() => {
  const state = document.getElementById("state");
  const spoken = document.getElementById("spoken");
  const lost = document.getElementById("lost");
  // What has the focus, is scrolled or is unfolded stays so, although its element is replaced.
  const parts = () => [...state.querySelectorAll("a, pre, summary, .scroll")];
  const folded = () => [...state.querySelectorAll("details")];
  const key = (e) => e.tagName + (e.getAttribute("href") ?? e.id);
  const events = new EventSource("events");
  events.onopen = () => { lost.hidden = true; };
  events.onerror = () => { lost.hidden = false; };
  events.addEventListener("state", (e) => {
    const focused = state.contains(document.activeElement) ? key(document.activeElement) : "";
    const scrolled = new Map(parts().map((part) => [key(part), [part.scrollLeft, part.scrollTop]]));
    const open = folded().map((details) => details.open);
    state.innerHTML = e.data;
    folded().forEach((details, i) => { details.open = open[i] ?? false; });
    for (const part of parts()) {
      [part.scrollLeft, part.scrollTop] = scrolled.get(key(part)) ?? [0, 0];
    }
    parts().find((part) => key(part) === focused)?.focus({ preventScroll: true });
    const summary = state.querySelector("[data-summary]").dataset.summary;
    if (spoken.textContent !== summary) {
      spoken.textContent = summary;
    }
  });
  events.addEventListener("report", () => { events.close(); location.reload(); });
})();
