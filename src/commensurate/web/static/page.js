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
  const asked = form && form.dataset.key === answer.question;
  // an answer from another tab does not take away what is being typed here
  const leave = asked && (key === ownKey || !touched);
  if (response && response.ok) {
    unsent.take(key);
    if (leave) {
      drafts.take(answer.question);
      location.assign(next);
    } else {
      say(`Your answer (${answer.words}), which was kept on this device, has now been recorded.`);
    }
  } else if (response && FINAL.has(response.status)) {
    unsent.take(key);
    if (leave) return submitPlainly(answer);
    if (!asked) keepAsDraft(answer);
    say(`Your answer (${answer.words}), which was kept on this device, was not recorded.`, answer.question);
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
  drafts.put(answer.question, { number: fields.get("number") ?? "", comment: fields.get("comment") });
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
  // the same, however the columns are ordered
  const question = form.dataset.key;
  const number = document.getElementById("number");
  const slider = document.getElementById("slider");
  const comment = document.getElementById("comment");
  const useKeys = document.getElementById("use-keys");
  // a pair to try: the page that comes says whether the answer was right, and nothing is kept
  const practice = "practice" in form.dataset;
  const ruler = document.getElementById("ruler");
  const shownAt = performance.now();

  if (!practice) document.getElementById("keys").hidden = false;

  // what gets the focus is scrolled to where the panel does not hide it
  new ResizeObserver(() => {
    document.documentElement.style.setProperty("--panel-height", `${form.offsetHeight + 16}px`);
  }).observe(form);

  const mistake = document.getElementById("mistake");
  const draft = drafts.all().get(question);
  if (draft && !mistake && !practice) {
    if (number) number.value = draft.number;
    comment.value = draft.comment;
    if (draft.comment) comment.closest("details").open = true;
  }
  form.addEventListener("input", () => {
    if (practice) return;
    touched = true;
    drafts.put(question, { number: number ? number.value : "", comment: comment.value });
  });

  const press = (id) => document.getElementById(id)?.click();

  // --- the scale: one press on it answers ---

  if (slider) {
    document.getElementById("slider-part").hidden = false;
    if (mistake) number.focus();
    const showOnSlider = () => {
      const typed = number.value.trim().replace(",", ".");
      const known = typed !== "" && Number.isFinite(Number(typed)) && Number(typed) >= 0;
      slider.classList.toggle("not-set", !known);
      slider.value = known ? Number(typed) : Number(slider.max) / 2;
      slider.setAttribute("aria-valuetext", known ? typed : "no answer yet");
    };
    const takeFromSlider = () => {
      number.value = String(Number(Number(slider.value).toPrecision(4)));
      slider.classList.remove("not-set");
      slider.setAttribute("aria-valuetext", number.value);
    };
    // arrow keys move it as well, and answer nothing by themselves
    let pointed = false;
    slider.addEventListener("pointerdown", () => {
      pointed = true;
    });
    slider.addEventListener("keydown", () => {
      pointed = false;
    });
    const letGo = () => {
      takeFromSlider();
      if (!pointed) return;
      pointed = false;
      // the second half of a double click is on the next question's page
      if (performance.now() >= DOUBLE_CLICK) press("record");
    };
    slider.addEventListener("input", takeFromSlider);
    // what is let go beside it has changed; a click on the very middle moves nothing, and is an answer all the same
    slider.addEventListener("change", letGo);
    slider.addEventListener("click", letGo);
    number.addEventListener("input", showOnSlider);
    showOnSlider();
  }

  // --- the pairs between two grades: one press shows one, another puts it away ---

  const examples = ruler ? [...ruler.querySelectorAll("li > details")] : [];

  function showExample(example) {
    const away = !example || (ruler.open && example.open && ruler.dataset.asked === example.id);
    ruler.open = !away;
    ruler.dataset.asked = away ? "" : example.id;
    for (const one of examples) one.open = one === example && !away;
    for (const link of form.querySelectorAll(".boundary")) {
      link.setAttribute("aria-expanded", String(!away && link.dataset.example === example.id));
    }
    (away ? document.querySelector(".heading") : example).scrollIntoView({ block: "nearest" });
  }
  for (const link of form.querySelectorAll(".boundary")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      showExample(document.getElementById(link.dataset.example));
    });
  }
  function showNextExample() {
    if (!ruler) return;
    const shown = examples.findIndex((one) => ruler.open && one.id === ruler.dataset.asked);
    showExample(examples[shown + 1]);
  }

  form.addEventListener("submit", (event) => {
    if (practice) return;
    const button = event.submitter;
    // a double click; its second half may fall on the next question's page, where the same button is in the same place
    const tooSoon = button && button.id !== "record" && performance.now() < DOUBLE_CLICK;
    if (trying.has(ownKey) || tooSoon) return event.preventDefault();
    // skipping changes no answer; the server asks back if something was typed, and an answer that stands is kept as it is
    if (button && button.id === "skip") {
      if (form.elements.namedItem("instead_of").value) drafts.take(question);
      return;
    }
    event.preventDefault();
    touched = true;
    document.getElementById("seconds").value = ((performance.now() - shownAt) / 1000).toFixed(1);
    const fields = new URLSearchParams(new FormData(form));
    const choice = button ? button.value : "number";
    fields.set("choice", choice);
    const said = choice === "number" ? number.value.trim() : (button.dataset.words ?? button.textContent.trim());
    const words = choice === "unsure" ? "you cannot tell" : said;
    const answer = { address, question, body: fields.toString(), words };
    // what has no number is no answer yet: the server says so
    if (!words) return submitPlainly(answer);
    allowButtons(false);
    // in the place of one that still waits; the server asks back if it had received that one
    unsent.put(ownKey, answer);
    send(ownKey, answer);
  });

  // --- keys ---

  const habits = shelf("localStorage", "commensurate-");
  const keysWanted = () => (useKeys ? useKeys.checked : habits.all().get("keys") !== "off");
  if (useKeys) {
    useKeys.checked = habits.all().get("keys") !== "off";
    useKeys.addEventListener("change", () => habits.put("keys", useKeys.checked ? "on" : "off"));
  }

  function openComment() {
    if (!comment) return;
    comment.closest("details").open = true;
    comment.focus();
  }

  const ACTIONS = {
    u: () => press("unsure"),
    s: () => press("skip"),
    b: () => press("back"),
    c: openComment,
    r: showNextExample,
  };
  // of each answer that is a button, the key that presses it
  for (const one of form.querySelectorAll("button[data-press]")) ACTIONS[one.dataset.press] = () => one.click();
  const ARROWS = new Set(["ArrowLeft", "ArrowRight", "ArrowDown"]);

  document.addEventListener("keydown", (event) => {
    if (!keysWanted() || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (comment && event.target === comment) return;
    // a key that is held down must not answer questions that nobody has seen
    if (event.repeat && (event.key === "Enter" || (event.key in ACTIONS && !ARROWS.has(event.key)))) {
      return event.preventDefault();
    }
    if (number && /^[0-9.,]$/.test(event.key)) {
      if (event.target !== number) {
        // typing begins a new number
        number.value = "";
        number.focus();
      }
    } else if (event.key === "Enter" && event.target.matches("body, main, #slider")) {
      if (!number) return;
      event.preventDefault();
      press("record");
    } else if (event.key in ACTIONS && !(ARROWS.has(event.key) && (event.repeat || event.target === slider))) {
      event.preventDefault();
      ACTIONS[event.key]();
    }
  });
}
