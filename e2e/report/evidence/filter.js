"use strict";
// Filters specs by words, outcome and profile. Without it, all specs are shown.
(() => {
  const element = (id) => document.getElementById(id);
  const [box, words, outcome, profile, shown] = ["filter", "words", "outcome", "profile", "shown"].map(element);
  if (!box) {
    return;
  }
  // A row of the table and an item of the time line begin with the id of their spec.
  const idOf = (e) => e.id.slice("spec-".length) || (e.cells?.[0] ?? e).firstChild.textContent.trim();
  const specs = new Map();
  for (const e of document.querySelectorAll('details[id^="spec-"], .all tbody tr, .timeline li')) {
    const id = idOf(e);
    const spec = specs.get(id) ?? { elements: [], text: "", outcome: "", profile: "" };
    specs.set(id, spec);
    spec.elements.push(e);
    spec.text += e.textContent.toLowerCase();
    if (e.cells) {
      spec.outcome = e.querySelector("b").textContent;
      spec.profile = e.dataset.profile;
    }
  }
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/);
    let count = 0;
    for (const spec of specs.values()) {
      const matches = (!outcome.value || spec.outcome === outcome.value) &&
        (!profile.value || spec.profile === profile.value) && wanted.every((word) => spec.text.includes(word));
      spec.elements.forEach((e) => { e.hidden = !matches; });
      count += matches ? 1 : 0;
    }
    shown.textContent = `${count} of ${specs.size} specs`;
  };
  const set = (o, p) => {
    words.value = "";
    outcome.value = o ?? "";
    profile.value = p ?? "";
    apply();
  };
  // A link to a spec shows it, even if it is folded or the filter hides it.
  const show = () => {
    const target = location.hash.startsWith("#spec-") && element(location.hash.slice(1));
    if (target) {
      if (target.hidden) {
        set();
      }
      target.open = true;
      target.scrollIntoView();
    }
  };
  box.hidden = false;
  [words, outcome, profile].forEach((e) => e.addEventListener("input", apply));
  element("clear").addEventListener("click", () => set());
  document.querySelectorAll("a[data-outcome]").forEach((a) => {
    a.addEventListener("click", () => set(a.dataset.outcome, a.dataset.profile));
  });
  addEventListener("hashchange", show);
  apply();
  show();
})();
