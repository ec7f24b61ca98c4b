// The question page works without this script. It adds a slider, keys, and answers that survive a lost connection.
"use strict";

const who = document.body.dataset.who;
const connection = document.getElementById("connection");
const form = document.getElementById("answer");

function say(words, address = "") {
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = words;
  if (address) {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = "Go to that question";
    note.append(" ", link);
  }
  connection.replaceChildren(note);
}

// --- a shelf in the browser; one that cannot be written to holds for as long as the page is open ---

function shelf(storage, prefix) {
  const here = new Map();
  const stored = () => {
    try {
      return window[storage];
    } catch {
      return null; // switched off
    }
  };
  return {
    put(name, value) {
      here.set(name, value);
      try {
        stored()?.setItem(prefix + name, JSON.stringify(value));
      } catch {
        // full: the page itself still has it
      }
    },
    take(name) {
      here.delete(name);
      stored()?.removeItem(prefix + name);
    },
    all() {
      const found = new Map(here);
      const kept = stored();
      for (let k = 0; kept && k < kept.length; k += 1) {
        const name = kept.key(k);
        if (!name.startsWith(prefix)) continue;
        try {
          found.set(name.slice(prefix.length), JSON.parse(kept.getItem(name)));
        } catch {
          // not ours
        }
      }
      return found;
    },
  };
}

// --- an answer waits here until the study has it; it outlives a reload and a closed tab ---

const unsent = shelf("localStorage", `commensurate-unsent-${who}-`);
const LONGEST_WAIT = 15000;
// milliseconds since the page was asked for; nobody reads a question and gives it up in less
const DOUBLE_CLICK = 500;
// what the study says of an answer that it will not take; anything else may come from something on the way
const FINAL = new Set([400, 404, 409, 413, 422]);
const trying = new Set();
const timers = new Map();
const ownKey = form && form.elements.namedItem("key").value;
// something was typed or sent on this very page
let touched = false;

// an answer that does not arrive is tried again by itself
async function send(key, answer, wait = 1000) {
  if (trying.has(key)) return;
  trying.add(key);
  clearTimeout(timers.get(key));
  let response = null;
  let next = null;
  // the expert may have come back by a new link
  const body = new URLSearchParams(answer.body);
  body.set("form_token", document.body.dataset.token);
  try {
    response = await fetch(answer.address, {
      method: "POST",
      headers: { Accept: "application/json" },
      body,
      redirect: "error",
    });
    if (response.ok) ({ next } = await response.json());
  } catch {
    response = null; // no connection, or something on the way that answers in the place of the study
  }
  trying.delete(key);
  const asked = form && form.getAttribute("action") === answer.address;
  // an answer from another tab does not take away what is being typed here
  const leave = asked && (key === ownKey || !touched);
  if (response && response.ok) {
    unsent.take(key);
    if (leave) {
      drafts.take(answer.address);
      location.assign(next);
    } else {
      say(`Your answer (${answer.words}), which was kept on this device, has now been recorded.`);
    }
  } else if (response && FINAL.has(response.status)) {
    unsent.take(key);
    if (leave) return submitPlainly(answer);
    if (!asked) keepAsDraft(answer);
    say(`Your answer (${answer.words}), which was kept on this device, was not recorded.`, answer.address);
  } else {
    if (key === ownKey) allowButtons(true);
    const why = response?.status === 403 ? "Open your personal link again." : "No connection to the study.";
    say(`${why} Your answer (${answer.words}) is kept on this device and will be sent again automatically.`);
    timers.set(key, setTimeout(() => send(key, answer, Math.min(2 * wait, LONGEST_WAIT)), wait));
  }
}

function sendAll() {
  for (const [key, answer] of unsent.all()) send(key, answer);
}

function allowButtons(allowed) {
  for (const one of form.querySelectorAll("button")) one.setAttribute("aria-disabled", String(!allowed));
}

function keepAsDraft(answer) {
  const fields = new URLSearchParams(answer.body);
  drafts.put(answer.address, { number: fields.get("number"), comment: fields.get("comment") });
}

// the server says what is wrong on a page of its own, with all that was typed
function submitPlainly(answer) {
  const plain = document.createElement("form");
  plain.method = "post";
  plain.action = answer.address;
  plain.hidden = true;
  for (const [name, value] of new URLSearchParams(answer.body)) {
    const field = document.createElement("textarea");
    field.name = name;
    field.value = value;
    plain.append(field);
  }
  document.body.append(plain);
  plain.submit();
}

// --- what is typed and not yet recorded outlives a reload and the back button ---

const drafts = shelf("sessionStorage", `commensurate-draft-${who}-`);

window.addEventListener("online", sendAll);
// a page that a browser kept for the back button may be out of date
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
sendAll();

// --- the form ---

if (form) {
  const address = form.getAttribute("action");
  const number = document.getElementById("number");
  const slider = document.getElementById("slider");
  const comment = document.getElementById("comment");
  const useKeys = document.getElementById("use-keys");
  const shownAt = performance.now();

  document.getElementById("slider-part").hidden = false;
  document.getElementById("keys").hidden = false;

  // what gets the focus is scrolled to where the panel does not hide it
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--panel-height", `${form.offsetHeight + 16}px`);
  }).observe(form);

  if (document.getElementById("mistake")) number.focus();
  const draft = drafts.all().get(address);
  if (draft && !document.getElementById("mistake")) {
    number.value = draft.number;
    comment.value = draft.comment;
    if (draft.comment) comment.closest("details").open = true;
  }
  form.addEventListener("input", () => {
    touched = true;
    drafts.put(address, { number: number.value, comment: comment.value });
  });

  function showOnSlider() {
    const typed = number.value.trim().replace(",", ".");
    const known = typed !== "" && Number.isFinite(Number(typed)) && Number(typed) >= 0;
    slider.classList.toggle("not-set", !known);
    slider.value = known ? Number(typed) : Number(slider.max) / 2;
    slider.setAttribute("aria-valuetext", known ? typed : "no answer yet");
  }
  // a click on the very middle moves nothing, and is an answer all the same
  function takeFromSlider() {
    number.value = String(Number(Number(slider.value).toPrecision(4)));
    slider.classList.remove("not-set");
    slider.setAttribute("aria-valuetext", number.value);
  }
  slider.addEventListener("input", takeFromSlider);
  slider.addEventListener("click", takeFromSlider);
  number.addEventListener("input", showOnSlider);
  showOnSlider();

  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    // a double click; its second half may fall on the next question's page, where the same button is in the same place
    const tooSoon = button && button.id !== "record" && performance.now() < DOUBLE_CLICK;
    if (trying.has(ownKey) || tooSoon) return event.preventDefault();
    // skipping changes no answer; the server asks back if something was typed, and an answer that stands is kept as it is
    if (button && button.id === "skip") {
      if (form.elements.namedItem("instead_of").value) drafts.take(address);
      return;
    }
    event.preventDefault();
    touched = true;
    document.getElementById("seconds").value = ((performance.now() - shownAt) / 1000).toFixed(1);
    const fields = new URLSearchParams(new FormData(form));
    fields.set("choice", button ? button.value : "number");
    const words = fields.get("choice") === "unsure" ? "you cannot tell" : number.value.trim();
    const answer = { address, body: fields.toString(), words };
    // what has no number is no answer yet: the server says so
    if (!words) return submitPlainly(answer);
    allowButtons(false);
    // in the place of one that still waits; the server asks back if it had received that one
    unsent.put(ownKey, answer);
    send(ownKey, answer);
  });

  // --- keys ---

  const habits = shelf("localStorage", "commensurate-");
  useKeys.checked = habits.all().get("keys") !== "off";
  useKeys.addEventListener("change", () => habits.put("keys", useKeys.checked ? "on" : "off"));

  const press = (id) => document.getElementById(id)?.click();

  function openComment() {
    comment.closest("details").open = true;
    comment.focus();
  }

  const ACTIONS = { u: () => press("unsure"), s: () => press("skip"), b: () => press("back"), c: openComment };

  document.addEventListener("keydown", (event) => {
    if (!useKeys.checked || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === comment) return;
    // a key that is held down must not answer questions that nobody has seen
    if (event.repeat && (event.key === "Enter" || event.key in ACTIONS)) return event.preventDefault();
    if (/^[0-9.,]$/.test(event.key)) {
      if (event.target !== number) {
        // typing begins a new number
        number.value = "";
        number.focus();
      }
    } else if (event.key === "Enter" && event.target.matches("body, main, #slider")) {
      event.preventDefault();
      press("record");
    } else if (event.key in ACTIONS) {
      event.preventDefault();
      ACTIONS[event.key]();
    }
  });
}
