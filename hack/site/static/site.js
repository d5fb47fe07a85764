// The search, copy buttons, and the navigation on narrow screens. All pages can be read without it.
"use strict";

const form = document.querySelector(".search");
const input = form.querySelector("input");
const panel = document.getElementById("found");
const status = panel.querySelector("[role=status]");
const list = panel.querySelector("ol");
const limit = 40;
let index; // a promise of the entries of search-index.js, from the first search on

// The index is a script, so that it can be loaded from a folder without a server, too.
function load() {
  index ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "search-index.js";
    script.onload = () => resolve(searchIndex);
    script.onerror = () => {
      index = undefined; // The next search tries again.
      reject(new Error("search-index.js does not load"));
    };
    document.head.append(script);
  });
  return index;
}

// words returns the words of a text in lower case.
const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

// score says how well an entry has all words: in its title, or else in its text. 0: it does not.
function score(entry, wanted) {
  const title = entry.title.toLowerCase(), text = entry.text.toLowerCase();
  let sum = 0;
  for (const word of wanted) {
    const at = title.indexOf(word);
    if (at === 0) sum += title.length === word.length ? 8 : 5;
    else if (at > 0) sum += 3;
    else if (text.includes(word)) sum += 1;
    else return 0;
  }
  return sum;
}

// mark appends a text to an element, with the wanted words marked.
function mark(element, text, wanted) {
  const escaped = wanted.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${escaped.join("|")})`, "gi"));
  parts.forEach((part, i) => {
    if (i % 2 === 0) return element.append(part);
    const marked = document.createElement("mark");
    marked.textContent = part;
    element.append(marked);
  });
}

// around returns the part of a text around the first wanted word.
function around(text, wanted) {
  const lower = text.toLowerCase();
  const at = Math.min(...wanted.map((word) => lower.indexOf(word)).filter((i) => i >= 0), text.length);
  const from = at < 120 || at === text.length ? 0 : text.indexOf(" ", at - 60) + 1;
  const part = text.slice(from, from + 200);
  return (from > 0 ? "… " : "") + (from + 200 < text.length ? part.replace(/\s+\S*$/, " …") : part);
}

function show(entries, wanted) {
  const scored = entries.map((entry) => ({ entry, score: score(entry, wanted) })).filter((found) => found.score > 0);
  scored.sort((a, b) => b.score - a.score);
  list.replaceChildren(...scored.slice(0, limit).map(({ entry }) => {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("span"), kind = document.createElement("span");
    link.href = entry.url;
    mark(link, entry.title, wanted);
    kind.textContent = entry.kind;
    mark(text, around(entry.text, wanted), wanted);
    item.append(link, kind, text);
    return item;
  }));
  const more = scored.length > limit ? `, the first ${limit} of them are listed` : "";
  status.textContent = scored.length === 0 ? "Nothing found" : `${scored.length} found${more}`;
}

async function search() {
  const wanted = words(input.value);
  panel.hidden = wanted.length === 0;
  if (panel.hidden) return;
  try {
    const entries = await load();
    if (wanted.join(" ") === words(input.value).join(" ")) show(entries, wanted);
  } catch (error) {
    list.replaceChildren();
    status.textContent = `The index of the search cannot be loaded: ${error.message}`;
  }
}

form.hidden = false;
input.value = new URLSearchParams(location.search).get("q") ?? "";
if (input.value) search();
input.addEventListener("input", search);
input.addEventListener("focus", search);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
list.addEventListener("click", (event) => {
  if (event.target.closest("a")) panel.hidden = true;
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    if (panel.contains(document.activeElement)) input.focus(); // Before the panel goes, which has the focus.
    panel.hidden = true;
  }
  if (event.key === "/" && !event.target.closest("input, textarea")) {
    event.preventDefault();
    input.focus();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search, .found")) panel.hidden = true;
});

for (const block of document.querySelectorAll("main pre:not(figure *)")) {
  const button = document.createElement("button");
  const text = block.textContent;
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  });
  block.append(button);
}

// What scrolls can be reached with the keyboard, in every browser.
const reach = () => {
  for (const block of document.querySelectorAll("main pre")) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute("tabindex");
  }
};
addEventListener("resize", reach);
reach();

// On narrow screens the navigation is closed until somebody opens it, and so are the sections of a page. On wide ones they
// are open next to the page.
for (const [list, width] of [["pages", "56rem"], ["contents", "80rem"]]) {
  const narrow = matchMedia(`(max-width: ${width})`);
  const details = document.querySelector(`.${list} details`);
  const adapt = () => { if (details) details.open = !narrow.matches; };
  narrow.addEventListener("change", adapt);
  adapt();
}
