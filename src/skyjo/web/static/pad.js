"use strict";
/* The number pad and the card pad. Without this script both pages are plain forms. What is typed is
   noted by the server as soon as a number is finished, so that it survives whatever happens to the
   phone, and so that two phones can enter one round together. Nothing is reckoned here. */
(() => {
  const byId = (id) => document.getElementById(id);
  const page = document.documentElement;
  const enter = byId("enter");
  const count = byId("count");
  if (enter || count) page.classList.add("scripted");
  if (enter) numberPad(enter);
  if (count) cardPad(count);
  if (byId("names")) nameFields(byId("names"));

  /* Whoever taps a wrong number on the sheet wants to correct its round. */
  document.addEventListener("click", (event) => {
    if (!event.target.closest("a, button")) event.target.closest(".padsheet tbody tr")?.querySelector("a.round")?.click();
  });

  /* The return key of a telephone's keyboard goes on to the next name; it does not begin the game. */
  function nameFields(box) {
    const inputs = [...box.querySelectorAll("input[type=text]")];
    box.addEventListener("keydown", (event) => {
      const at = inputs.indexOf(event.target);
      if (event.key !== "Enter" || at < 0 || event.isComposing) return;
      event.preventDefault();
      (inputs[at + 1] ?? box.form.querySelector("button.main")).focus();
    });
  }

  /* A form that is sent into a dead line would be lost together with its page. */
  const isThere = () => fetch("/healthz", { cache: "no-store" }).then(() => true, () => false);

  /* Says that the line is dead, until it is not; then does what has had to wait. */
  let trying = 0;
  function lost(then) {
    byId("offline").hidden = false;
    trying ||= setTimeout(async () => {
      const here = await isThere();
      trying = 0;
      if (!here) { lost(then); return; }
      byId("offline").hidden = true;
      then();
    }, 1500);
  }

  function post(url, data) {
    return fetch(url, {
      method: "POST",
      headers: { "HX-Request": "true", "Content-Type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(data),
    });
  }

  function numberPad(form) {
    const live = byId("live");
    const correcting = form.dataset.correct === "1";
    const rows = [...form.querySelectorAll(".prow")];
    const fields = rows.map((row) => row.querySelector("input[type=text]"));
    const open = fields.filter((field) => !field.disabled);
    const dirty = new Set();
    let now = open.find((field) => !field.value) ?? open[0];
    let fresh = true; // the next digit begins the number anew
    let timer = 0;
    let closing = null; // whom we have marked as closer, until the server knows
    let newest = 0; // the newest version of the pad that we have seen
    let sending = Promise.resolve();
    let leaving = false; // our own round is being saved: what arrives now is no news

    form.querySelector(".keys").hidden = false;
    for (const field of fields) field.inputMode = "none";
    for (const box of form.querySelectorAll(".neg-box input")) { box.checked = false; box.disabled = true; }

    const seatOf = (field) => field.closest(".prow").dataset.seat;
    const closerOf = (field) => field.closest(".prow").querySelector("[name=closer]");
    const nobody = form.querySelector('[name=closer][value="-1"]');
    const hasCloser = () => Boolean(form.querySelector("[name=closer]:checked:not([value='-1'])"));

    function show() {
      for (const row of rows) row.classList.toggle("now", row.contains(now));
      const key = form.querySelector(".closed-key");
      key.setAttribute("aria-pressed", String(Boolean(now && closerOf(now)?.checked)));
      const ready = open.every((field) => field.value) && hasCloser();
      form.querySelector(".save").classList.toggle("ready", ready);
    }

    function select(field) {
      if (now && now !== field) settle();
      now = field;
      fresh = true;
      show();
    }

    function put(text) {
      now.value = text.slice(0, 6);
      dirty.add(now);
      clearTimeout(timer);
      timer = setTimeout(settle, 900);
      show();
    }

    function settle() {
      clearTimeout(timer);
      for (const field of fields) if (/^[-−]$/.test(field.value)) field.value = "";
      if (dirty.size) note();
    }

    function press(key) {
      if (!now) return;
      const text = now.value.replace("−", "-");
      if (/^\d$/.test(key)) {
        const start = fresh && text !== "-" ? "" : text;
        fresh = false;
        put(start === "0" ? key : start === "-0" ? `-${key}` : start + key);
      } else if (key === "minus") {
        fresh = false;
        put(text.startsWith("-") ? text.slice(1) : `-${text}`);
      } else if (key === "back") {
        fresh = false;
        put(text.slice(0, -1));
      } else if (key === "clear") {
        put("");
      } else if (key === "closed") {
        const radio = closerOf(now);
        if (radio.checked) { if (nobody) nobody.checked = true; } else radio.checked = true;
        const done = now.value && radio.checked;
        noteCloser();
        if (done) next();
      } else if (key === "next") next();
    }

    function next() {
      const at = open.indexOf(now);
      const following = [...open.slice(at + 1), ...open.slice(0, at)];
      const empty = following.find((field) => !field.value);
      select(empty ?? following[0] ?? now);
    }

    /* --- Telling the server --- */

    function everything(only) {
      const data = { round: form.dataset.round };
      for (const field of only) data[field.name] = field.value.replace("−", "-");
      return data;
    }

    function note(withCloser = false) {
      const changed = correcting ? open : [...dirty];
      const data = everything(changed);
      const chosen = form.querySelector("[name=closer]:checked");
      if ((withCloser || correcting) && chosen) data.closer = chosen.value;
      if (withCloser && chosen) closing = chosen.value;
      const marked = data.closer;
      data.penalty = form.querySelector("[name=penalty]").value;
      const sent = new Map(changed.map((field) => [field, field.value]));
      sending = sending.then(async () => {
        try {
          const answer = await post(form.dataset.type, data);
          const away = answer.headers.get("hx-redirect");
          if (away) { location.assign(away); return; }
          const html = await answer.text();
          if (!answer.ok) { byId("notice").innerHTML = html; return; }
          byId("notice").replaceChildren();
          if (marked !== undefined && closing === marked) closing = null;
          for (const [field, value] of sent) if (field.value === value) dirty.delete(field);
          if (html) { live.innerHTML = html; arrived(); }
        } catch { lost(noteAgain); }
      });
    }

    const noteAgain = () => { if (dirty.size || closing !== null) note(closing !== null); };

    const noteCloser = () => { show(); note(true); };

    /* --- What others type, and what the server says about it --- */

    function arrived() {
      const board = byId("board");
      if (!board || leaving) return;
      if (board.dataset.version === "gone") {
        // Nobody waits for these numbers any more.
        leaving = true;
        clearTimeout(timer);
        dirty.clear();
        closing = now = null;
        return;
      }
      if (!correcting && board.dataset.round !== form.dataset.round) {
        const saved = Number(board.dataset.round) > Number(form.dataset.round);
        location.assign(`${form.dataset.base}?${saved ? `entered=${form.dataset.round}` : "stale=1"}`);
        return;
      }
      // A message that was overtaken by a newer one changes nothing any more.
      const version = Number(board.dataset.version);
      if (version < newest) return;
      newest = version;
      const heard = []; // what others have typed, in whole sentences
      for (const typed of live.querySelectorAll("#typed [data-seat]")) {
        const field = fields.find((each) => seatOf(each) === typed.dataset.seat);
        if (!field || dirty.has(field) || field.value === typed.dataset.points) continue;
        field.value = typed.dataset.points;
        heard.push(typed.dataset.said);
        field.classList.add("heard");
        field.addEventListener("animationend", () => field.classList.remove("heard"), { once: true });
      }
      const closer = byId("typed")?.dataset.closer;
      const radio = closer && closing === null && form.querySelector(`[name=closer][value="${closer}"]`);
      if (radio && !radio.disabled && !radio.checked) {
        radio.checked = true;
        heard.push(byId("typed").dataset.said);
      }
      if (heard.length) byId("heard").textContent = heard.join(" ");
      const save = form.querySelector(".save");
      save.dataset.plain ??= save.textContent;
      save.textContent = live.querySelector(".question") ? save.dataset.allTheSame : save.dataset.plain;
      byId("offline").hidden = true;
      show();
    }

    new MutationObserver(arrived).observe(live, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-version", "data-points", "data-closer", "data-round"] });

    /* What was typed into a dead line goes out when the line is back. */
    live.addEventListener("htmx:ws:after:connection", noteAgain);

    /* --- Hands --- */

    form.querySelector(".keys").addEventListener("click", (event) => {
      const key = event.target.closest("[data-key]");
      if (key) press(key.dataset.key);
    });
    form.addEventListener("focusin", (event) => {
      if (open.includes(event.target) && event.target !== now) select(event.target);
    });
    form.addEventListener("click", (event) => {
      const row = event.target.closest(".prow");
      const field = row && open.find((each) => row.contains(each));
      if (field && !event.target.closest(".closed, a")) select(field);
    });
    form.addEventListener("input", (event) => {
      if (open.includes(event.target)) { dirty.add(event.target); clearTimeout(timer); timer = setTimeout(settle, 900); show(); }
    });
    form.addEventListener("change", (event) => {
      if (event.target.name === "closer") noteCloser();
      if (event.target.name === "penalty") {
        if (correcting) note(); else show();
      }
    });
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const typing = event.target.matches("input[type=text]");
      if (event.key === "Enter" && typing) { event.preventDefault(); next(); now.focus(); return; }
      if (typing || event.target.closest("button, a, summary")) return;
      if (/^\d$/.test(event.key)) press(event.key);
      else if (event.key === "-") press("minus");
      else if (event.key === "Backspace") press("back");
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      clearTimeout(timer);
      if (leaving) return;
      leaving = true;
      const looked = form.querySelector("[name=seen]")?.value ?? "";
      if (!await isThere()) {
        leaving = false;
        lost(noteAgain);
        return;
      }
      // Only what had been shown when the button was pressed has been seen.
      const seen = form.querySelector("[name=seen]");
      if (seen) seen.value = looked;
      form.submit();
      setTimeout(() => { leaving = false; }, 4000);
    });
    addEventListener("pageshow", () => { leaving = false; });
    addEventListener("pagehide", () => {
      if (!correcting && !leaving && dirty.size) navigator.sendBeacon?.(form.dataset.type, new URLSearchParams(everything([...dirty])));
    });
    show();
    arrived();
  }

  function cardPad(form) {
    const slots = [...form.querySelectorAll(".slot")];
    const inputs = slots.map((slot) => slot.querySelector("input"));
    const gone = new Set();
    form.querySelector(".values").hidden = false;
    for (const input of inputs) input.inputMode = "none";
    let asked = 0;
    let leaving = false;

    /* What has been tapped is kept on this device until it is taken, whatever happens to the page. */
    const place = `skyjo-cards ${form.action} ${form.elements.seat.value} ${form.elements.round.value}`;
    const values = () => inputs.map((input, n) => (gone.has(n) ? "x" : input.value));
    function remember() {
      try { localStorage.setItem(place, JSON.stringify(values())); } catch { /* then it is not kept */ }
    }
    function forget() {
      try { localStorage.removeItem(place); } catch { /* nothing was kept */ }
    }
    function restore() {
      let kept = null;
      try { kept = JSON.parse(localStorage.getItem(place) ?? "null"); } catch { /* nothing to restore */ }
      if (!Array.isArray(kept) || inputs.some((input) => input.value)) return false;
      kept.slice(0, inputs.length).forEach((value, n) => {
        if (value === "x") gone.add(n); else inputs[n].value = String(value);
      });
      return true;
    }
    const restored = restore();
    let at = inputs.findIndex((input, n) => !input.value && !gone.has(n));
    if (at < 0) at = inputs.length;

    function show() {
      slots.forEach((slot, place) => slot.classList.toggle("now", place === at));
    }

    async function add() {
      remember();
      const mine = ++asked;
      const data = Object.fromEntries(new FormData(form));
      try {
        const answer = await fetch(form.action, { method: "POST", headers: { "Content-Type": "application/x-www-form-urlencoded" }, body: new URLSearchParams(data) });
        const told = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (mine !== asked || !answer.ok) return;
        byId("count-sum").innerHTML = told.getElementById("count-sum").innerHTML;
        told.querySelectorAll(".slot").forEach((slot, place) => { slots[place].className = slot.className; });
        slots.forEach((slot, place) => slot.classList.toggle("gone", gone.has(place)));
        show();
      } catch { /* the sum comes with the next tap */ }
    }

    form.querySelector(".values").addEventListener("click", (event) => {
      const card = event.target.closest("[data-card]")?.dataset.card;
      if (card === undefined) return;
      if (card === "back") {
        at = Math.max(0, at - 1);
        inputs[at].value = "";
        gone.delete(at);
      } else if (at < inputs.length) {
        inputs[at].value = card === "x" ? "" : card.replace("-", "−");
        if (card === "x") gone.add(at); else gone.delete(at);
        at += 1;
      }
      show();
      add();
    });
    slots.forEach((slot, place) => slot.addEventListener("click", () => { at = place; show(); }));
    form.addEventListener("input", add);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (event.submitter?.name !== "done") { add(); return; }
      if (leaving) return;
      leaving = true;
      const here = await isThere();
      if (!here) lost(add);
      else {
        forget();
        // The button's own value is not sent by a form that sends itself.
        form.append(Object.assign(document.createElement("input"), { type: "hidden", name: "done", value: "1" }));
        form.submit();
      }
      setTimeout(() => { leaving = false; }, here ? 4000 : 0);
    });
    show();
    if (restored) add();
  }
})();
