"use strict";
/* Comforts on top of pages that work without: choosing the discard without a round trip, cards that
   fly, the tab's title, a tone, copying the link. Nothing here decides anything. */
(() => {
  const page = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const live = byId("live");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let picked = false;
  let version = "";
  let sent = "";
  let chime = null;
  let places = new Map();

  /* --- Copying and sharing: only where the browser can --- */

  const copies = "clipboard" in navigator || document.queryCommandSupported?.("copy");
  page.toggleAttribute("data-copies", Boolean(copies));
  page.toggleAttribute("data-shares", "share" in navigator);

  async function copy(text) {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "hush";
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("[data-copy], [data-share]");
    if (!button) return;
    if (button.dataset.share) {
      navigator.share({ text: button.dataset.text, url: button.dataset.share }).catch(() => {});
      return;
    }
    copy(button.dataset.copy).then(() => {
      const label = button.querySelector("span") ?? button.lastChild;
      const before = label.textContent;
      label.textContent = ` ${button.dataset.done}`;
      setTimeout(() => { label.textContent = before; }, 1600);
    });
  });

  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && /^#(menu|side)$/.test(location.hash)) {
      const opener = document.querySelector(`a[href="${location.hash}"]`);
      location.replace("#board");
      opener?.focus();
    }
    const turn = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
    const there = turn && !event.altKey && document.querySelector(`.replay-nav a[rel=${turn}]`);
    if (there) { there.click(); return; }
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -4, ArrowDown: 4 }[event.key];
    const grid = event.target.closest?.(".own .grid");
    if (!step || !grid) return;
    const slots = [...grid.children];
    let at = slots.indexOf(event.target);
    do { at += step; } while (slots[at] && slots[at].tagName !== "BUTTON");
    if (slots[at]) { slots[at].focus(); event.preventDefault(); }
  });

  /* --- An invitation that nobody has touched is kept up to date: the game may have begun --- */

  const invitation = document.querySelector("[data-again]");
  const typed = () => [...invitation.querySelectorAll("input")].some((each) => each.value !== each.defaultValue);
  if (invitation) setInterval(() => {
    if (!document.hidden && !typed()) location.reload();
  }, 1000 * Number(invitation.dataset.again));

  if (!live) return;
  const board = () => byId("board");

  /* htmx starts by a timer, perhaps before its extension for WebSockets has been loaded; then it
     would leave the table without a connection. Here all deferred scripts have run. */
  document.addEventListener("DOMContentLoaded", () => setTimeout(() => {
    if (window.htmx && !live._htmx?.ws?.initialized) window.htmx.process(live);
  }));

  /* --- The discard: chosen, changed, chosen again; nothing has happened until a slot is pressed --- */

  function choose(on) {
    picked = on;
    const here = board();
    const discard = byId("discard");
    const now = byId("now");
    here.classList.toggle("source", !on);
    here.classList.toggle("placing", on);
    discard.setAttribute("aria-pressed", String(on));
    now.textContent = on ? now.dataset.picked : now.dataset.plain;
    for (const slot of here.querySelectorAll("[data-later]")) {
      slot.type = on ? "submit" : "button";
      slot.name = on ? "action" : "";
      slot.value = on ? slot.dataset.later : "";
      slot.toggleAttribute("aria-disabled", !on);
      if (!on) slot.setAttribute("aria-disabled", "true");
    }
  }

  const canChoose = () => Boolean(board()?.querySelector("[data-later]"));

  live.addEventListener("click", (event) => {
    if (event.target.closest?.("#discard") && canChoose()) {
      event.preventDefault();
      choose(!picked);
    }
  }, true);

  /* --- Two fast taps are one move --- */

  document.addEventListener("submit", (event) => {
    if (event.target.id !== "play") return;
    if (sent === version) {
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    sent = version;
    const mine = version;
    setTimeout(() => { if (sent === mine) sent = ""; }, 2000);
    prepareTone();
  }, true);

  /* --- Flying cards: a copy flies over the table, the table itself is right at once --- */

  function remember() {
    places = new Map();
    for (const id of ["draw", "discard", "hand"]) note(byId(id));
    for (const slot of live.querySelectorAll("[id^=g]")) note(slot);
  }

  function note(element) {
    if (element) places.set(element.id, element.getBoundingClientRect());
  }

  function fly(hints) {
    const layer = byId("flight");
    layer?.replaceChildren(); // what still flies has been overtaken
    if (!hints || still.matches || !layer || document.hidden) return;
    for (const hint of hints.split(" ")) {
      const [sources, target] = hint.split(">");
      const from = sources.split("|").map((id) => places.get(id)).find(Boolean);
      const element = byId(target);
      if (from?.width && element) flight(layer, from, element);
    }
  }

  function flight(layer, from, element) {
    const to = element.getBoundingClientRect();
    const ghost = document.createElement("span");
    ghost.className = element.className.replace(/\b(fresh|turned)\b/g, "");
    ghost.innerHTML = element.innerHTML;
    if (element.dataset.n) ghost.dataset.n = element.dataset.n;
    ghost.style.fontSize = `${to.width}px`;
    ghost.style.setProperty("--h", `${to.height}px`);
    layer.append(ghost);
    const scale = from.width / to.width;
    const frames = [
      { transform: `translate(${from.left}px, ${from.top}px) scale(${scale})` },
      { transform: `translate(${to.left}px, ${to.top}px)` },
    ];
    const timing = { duration: 300, easing: "cubic-bezier(.3, .7, .3, 1)" };
    ghost.animate(frames, timing).finished.catch(() => {}).then(() => ghost.remove());
    element.animate({ opacity: [0, 0, 1], offset: [0, .97, 1] }, timing);
  }

  /* --- One's turn: the tab's title, and a tone for those who want it --- */

  let audio = null;

  function prepareTone() {
    if (page.dataset.sound !== "on" || audio) return;
    audio = new (window.AudioContext ?? window.webkitAudioContext)();
  }
  document.addEventListener("pointerdown", prepareTone, { once: true });

  function tone() {
    if (page.dataset.sound !== "on" || audio?.state !== "running") return;
    for (const [at, pitch] of [[0, 660], [.13, 880]]) {
      const start = audio.currentTime + at;
      const voice = new OscillatorNode(audio, { frequency: pitch, type: "sine" });
      const loud = new GainNode(audio, { gain: 0 });
      loud.gain.setValueAtTime(0, start);
      loud.gain.linearRampToValueAtTime(.12, start + .02);
      loud.gain.exponentialRampToValueAtTime(.001, start + .28);
      voice.connect(loud).connect(audio.destination);
      voice.start(start);
      voice.stop(start + .3);
    }
  }

  /* --- After every update --- */

  let rules = "";
  let ended = false;

  function updated() {
    const here = board();
    if (!here) return;
    const { version: next, title, chime: bell, fly: hints, build } = here.dataset;
    if (build && page.dataset.build && build !== page.dataset.build) { location.reload(); return; }
    document.title = title;
    if (next !== version) {
      if (version && byId("notice").childElementCount) byId("notice").replaceChildren();
      if (version) fly(hints);
      // The result waits for the cards only if one has seen them move.
      if (version && !ended) live.classList.remove("opened");
      ended = here.classList.contains("ended");
      version = next;
      picked = false;
    } else if (picked && canChoose()) {
      choose(true);
    }
    if (bell && chime !== null && bell !== chime) tone();
    chime = bell;
    const forms = byId("presets")?.dataset.rules ?? "";
    if (forms !== rules && rules) for (const id of ["presets", "knobs"]) byId(id)?.reset();
    rules = forms;
    watcher.takeRecords();
  }

  /* Whoever opens the page again wants to know how it ended, not look at the cards. */
  if (board()?.classList.contains("ended") && location.hash.startsWith("#cards-")) location.replace("#board");

  const watcher = new MutationObserver(updated);
  watcher.observe(live, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-version", "aria-pressed", "data-rules"] });
  updated();

  setInterval(() => {
    for (const clock of live.querySelectorAll("[data-left]")) {
      const left = Math.max(0, Number(clock.dataset.left) - 1);
      clock.dataset.left = String(left);
      clock.textContent = clock.textContent.replace(/\d+/, String(left));
    }
  }, 1000);

  /* --- The connection --- */

  const offline = byId("offline");
  let late = 0;
  live.addEventListener("htmx:ws:before:message:incoming", remember);
  live.addEventListener("htmx:ws:after:connection", () => {
    clearTimeout(late);
    late = 0;
    offline.hidden = true;
  });
  /* A press that did not get through may be repeated at once, and its maker is told. */
  live.addEventListener("htmx:finally:request", (event) => {
    const status = event.detail.ctx?.response?.status;
    if (!status || status >= 400) sent = "";
    if (status || !offline.hidden) return;
    offline.hidden = false;
    if (!late) setTimeout(() => { offline.hidden = !late; }, 4000);
  });
  live.addEventListener("htmx:ws:close", (event) => {
    if (event.detail.code === 1000) return; // deleted: there is nothing to wait for
    if (event.detail.code === 1008) setTimeout(() => location.reload(), 800);
    late ||= setTimeout(() => { offline.hidden = false; }, 1500);
  });
})();
