// The figures of a mark beside it, where the pointer or the focus is. Arrow keys move within a chart, Escape hides the tip.
(() => {
  "use strict";
  const MARK = '[aria-roledescription="figure"]';
  const tip = document.createElement("div");
  tip.className = "chart-tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // a screen reader says the mark's own label
  document.body.append(tip);
  const markOf = (target) => (target instanceof Element ? target.closest(`.chart ${MARK}`) : null);
  const hide = () => { tip.hidden = true; };
  const show = (mark, x, y) => {
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    const left = Math.min(Math.max(x - width / 2, 4), document.documentElement.clientWidth - width - 4);
    const top = y - height - 12 < 4 ? y + 18 : y - height - 12;
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${top}px`;
  };
  document.addEventListener("pointermove", (event) => {
    const mark = markOf(event.target);
    if (mark) show(mark, event.clientX, event.clientY);
    else hide();
  });
  const follow = () => {
    const mark = markOf(document.activeElement);
    if (!mark) return hide();
    const box = mark.getBoundingClientRect();
    show(mark, box.left + box.width / 2, box.top);
  };
  document.addEventListener("focusin", follow);
  document.addEventListener("focusout", hide);
  document.addEventListener("scroll", follow, true);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    const mark = markOf(document.activeElement);
    if (!mark) return;
    const marks = [...mark.closest(".chart").querySelectorAll(MARK)];
    const at = marks.indexOf(mark);
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault(); // the page stays where it is
    const next = marks[Math.min(Math.max(to, 0), marks.length - 1)];
    mark.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
  // A link to a folded part opens it, and paper shows all parts.
  const parts = [...document.querySelectorAll("details.part")];
  const open = () => { const part = location.hash && document.getElementById(location.hash.slice(1))?.closest("details.part"); if (part) part.open = true; };
  window.addEventListener("hashchange", open);
  open();
  let opened = [];
  window.addEventListener("beforeprint", () => { opened = parts.filter((each) => !each.open); opened.forEach((each) => { each.open = true; }); });
  window.addEventListener("afterprint", () => { opened.forEach((each) => { each.open = false; }); });
})();
