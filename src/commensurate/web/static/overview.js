// Brings the owner's figures up to date every few seconds, unless somebody works with them. Without it, "Refresh" does.
"use strict";
(() => {
  const SECONDS = 10;
  const choice = document.getElementById("by-itself");
  choice.hidden = false;
  let asking = false;
  // in UTC, like all times on the page
  const time = () => `${new Date().toISOString().slice(11, 16)} UTC`;
  let refreshedAt = time();

  const inUse = (shown) =>
    shown.contains(document.activeElement) || !(document.getSelection() || { isCollapsed: true }).isCollapsed;

  // outside of what is replaced, and told once: a screen reader reads it whenever it changes
  const tell = (why) => {
    const place = document.getElementById("not-refreshed");
    const words = why && `Not refreshed since ${refreshedAt}: ${why} If the server was restarted, open the new link that study serve printed.`;
    if (place.textContent === words) return;
    place.textContent = words;
    place.classList.toggle("note", words !== "");
  };

  const refresh = async () => {
    const shown = document.getElementById("overview");
    if (asking || document.hidden || !choice.querySelector("input").checked || inUse(shown)) return;
    asking = true;
    try {
      const answer = await fetch("/overview", { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) {
        tell(`the server refused the request (${answer.status}).`);
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("overview");
      if (!next) {
        tell("the server sent a different page.");
        return;
      }
      if (inUse(shown)) return;
      for (const details of shown.querySelectorAll("details[open]")) {
        const same = next.querySelector(`#${details.id}`);
        if (same) same.open = true;
      }
      shown.replaceWith(next);
      refreshedAt = time();
      tell("");
    } catch {
      // the next time may do
      tell("the server cannot be reached.");
    } finally {
      asking = false;
    }
  };
  setInterval(refresh, 1000 * SECONDS);
})();
