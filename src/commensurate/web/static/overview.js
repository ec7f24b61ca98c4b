// Brings the owner's figures up to date every few seconds, unless somebody works with them. Without it, "Refresh" does.
"use strict";
(() => {
  const SECONDS = 10;
  const choice = document.getElementById("by-itself");
  choice.hidden = false;
  let asking = false;

  const inUse = (shown) =>
    shown.contains(document.activeElement) || !(document.getSelection() || { isCollapsed: true }).isCollapsed;

  const refresh = async () => {
    const shown = document.getElementById("overview");
    if (asking || document.hidden || !choice.querySelector("input").checked || inUse(shown)) return;
    asking = true;
    try {
      const answer = await fetch("/overview", { credentials: "same-origin", redirect: "error" });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const next = page.getElementById("overview");
      if (!next || inUse(shown)) return;
      for (const details of shown.querySelectorAll("details[open]")) {
        const same = next.querySelector(`#${details.id}`);
        if (same) same.open = true;
      }
      shown.replaceWith(next);
    } catch {
      // the server is away; the next time may do
    } finally {
      asking = false;
    }
  };
  setInterval(refresh, 1000 * SECONDS);
})();
