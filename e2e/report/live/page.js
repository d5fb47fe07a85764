"use strict";
// The server sends the state as HTML, and at last the event "report".
(() => {
  const state = document.getElementById("state");
  const spoken = document.getElementById("spoken");
  const lost = document.getElementById("lost");
  const texts = () => [...state.querySelectorAll("pre")];
  const events = new EventSource("events");
  events.onopen = () => { lost.hidden = true; };
  events.onerror = () => { lost.hidden = false; };
  events.addEventListener("state", (e) => {
    const focused = texts().indexOf(document.activeElement); // Failures are only added at the end.
    const scrolled = texts().map((text) => text.scrollTop);
    state.innerHTML = e.data;
    texts().forEach((text, i) => { text.scrollTop = scrolled[i] ?? 0; });
    if (focused >= 0) {
      texts()[focused].focus({ preventScroll: true });
    }
    const summary = state.querySelector("[data-summary]").dataset.summary;
    if (spoken.textContent !== summary) {
      spoken.textContent = summary;
    }
  });
  events.addEventListener("report", () => { events.close(); location.reload(); });
})();
