"""The look of the page: light and dark, wide and narrow, screen and print."""

CSS = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --ink: #1a1a1a; --soft: #595959; --rule: #d9d9d9; --tint: #f5f4f0;
  --draw: #0b6e99; --paper: #8a2fb0; --alarm: #a33a22;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #15171a; --ink: #ececea; --soft: #a9adb2; --rule: #3a3e43; --tint: #1e2125;
    --draw: #5cb6dc; --paper: #dd9bf5; --alarm: #f2937c;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif;
}
header, main, footer, nav { max-width: 64rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 2.5rem; }
h1, h2, h3, nav, th { overflow-wrap: anywhere; }
h1, h2, .lead { font-family: Georgia, "Times New Roman", serif; }
h1 { font-size: clamp(1.8rem, 4.5vw, 2.7rem); line-height: 1.15; margin: 0 0 .6rem; }
h2 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .8rem; }
h3 { font-size: 1.05rem; margin: 1.6rem 0 .6rem; }
.lead { font-size: 1.2rem; line-height: 1.5; max-width: 44rem; margin: 0 0 1.5rem; }
p { max-width: 44rem; overflow-wrap: anywhere; }
a { color: var(--draw); }
:focus-visible { outline: 3px solid var(--draw); outline-offset: 2px; }
nav ol {
  list-style: none; margin: 0; padding: .7rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1.4rem;
  border-top: 2px solid var(--ink); border-bottom: 1px solid var(--rule);
}
section { padding: 2.2rem 0 1rem; border-bottom: 1px solid var(--rule); }
.note { border-left: 4px solid var(--draw); background: var(--tint); padding: .7rem 1rem; margin: 1rem 0; }
.wide { overflow-x: auto; margin: 1.4rem 0 .4rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
caption { text-align: left; padding-bottom: .6rem; }
/* on a phone the caption stays in view while its table scrolls */
caption strong, caption .why { display: block; position: sticky; left: 0; max-width: min(44rem, calc(100vw - 2.5rem)); }
caption strong { font-size: 1.05rem; }
caption .why { color: var(--soft); }
th, td { padding: .45rem 1.1rem .45rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--rule); }
thead th { vertical-align: bottom; border-bottom: 2px solid var(--ink); font-weight: 600; text-wrap: balance; }
.number { text-align: right; }
td.number { white-space: nowrap; }
.comparison thead td { border-bottom: 2px solid var(--ink); }
.comparison thead th { min-width: 11.2rem; }
.pair { display: grid; grid-template-columns: max-content 1fr; gap: 0 .6rem; align-items: baseline; line-height: 1.35; white-space: nowrap; }
.label { font-size: .78rem; color: var(--soft); }
.theirs { color: var(--paper); font-weight: 600; }
.ours { color: var(--draw); font-weight: 600; }
.span, .where, .legend, figcaption, footer { font-size: .8rem; color: var(--soft); }
.where { white-space: nowrap; }
.outside { color: var(--alarm); font-weight: 600; }
.summary { font-weight: 600; margin: .6rem 0 .2rem; }
.legend { margin: 0 0 1.6rem; }
.strip { display: block; margin: .2rem 0 0 -6px; overflow: visible; }
.strip .scale { stroke: var(--rule); stroke-width: 1; }
.strip .draw { fill: var(--draw); fill-opacity: .45; }
.strip .median { stroke: var(--ink); stroke-width: 1.6; }
.strip .paper { fill: var(--paper); stroke: var(--ground); stroke-width: 1.2; }
.pair-cards { list-style: none; counter-reset: pair; padding: 0; margin: .6rem 0 1.4rem; display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
.pair-cards > li { counter-increment: pair; border: 1px solid var(--rule); border-radius: 4px; padding: .9rem 1rem; break-inside: avoid; }
.pair-cards p { margin: 0; }
.finding::before { content: counter(pair) ". "; color: var(--soft); }
.finding strong { color: var(--alarm); }
.two { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; margin: .7rem 0 .4rem; }
.person { min-width: 0; overflow-wrap: anywhere; border-top: 2px solid var(--rule); padding-top: .4rem; }
.person:first-child { border-top-color: var(--alarm); }
.role, .who span, .remark, .known-words { font-size: .8rem; color: var(--soft); }
.score { font-size: 1.3rem; font-variant-numeric: tabular-nums; }
.person dl { display: block; margin: .3rem 0 0; font-size: .85rem; }
.person dt { font-weight: 400; font-size: .78rem; color: var(--soft); margin-top: .25rem; }
.person dd { margin: 0; }
.intervals { display: block; width: 100%; max-width: 26rem; height: auto; margin: .6rem 0 .2rem; }
.intervals text { font-size: 11px; fill: var(--soft); }
.intervals .needed-name { fill: var(--alarm); font-weight: 600; }
.intervals .short { fill: var(--alarm); fill-opacity: .13; }
.intervals .scale { stroke: var(--soft); stroke-width: 1; }
.intervals .needed { stroke: var(--alarm); stroke-width: 1.6; stroke-dasharray: 4 2; }
.intervals .known { stroke: var(--draw); stroke-width: 2; fill: none; }
.intervals .estimate { fill: var(--draw); }
figure { margin: 1.4rem 0; }
.card { background: #ffffff; padding: .8rem; border-radius: 4px; overflow-x: auto; }
.card svg { display: block; width: 100%; min-width: 40rem; height: auto; }
figcaption { margin-top: .5rem; max-width: 44rem; }
details { margin: 1rem 0; }
summary { cursor: pointer; font-weight: 600; padding: .3rem 0; }
footer { padding-top: 1.5rem; padding-bottom: 3rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.2rem; margin: 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  dl { grid-template-columns: 1fr; }
  dd { margin-bottom: .5rem; }
  .comparison tbody th { position: sticky; left: 0; background: var(--ground); z-index: 1; }
}
/* where a picture is wider than the screen, nothing else may show that there is more of it */
@media screen and (max-width: 44rem) {
  .card + figcaption::before { content: "Scroll the picture sideways to see all of it. "; font-weight: 600; }
}
@media print {
  :root {
    font-size: 12px;
    --ground: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --tint: #ffffff;
    --draw: #0b6e99; --paper: #8a2fb0; --alarm: #a33a22;
  }
  nav { display: none; }
  section { break-inside: auto; }
  figure, tr, .note { break-inside: avoid; }
  .wide, .card { overflow: visible; }
  .card svg { min-width: 0; }
  .comparison td, .comparison thead th { min-width: 0; padding-right: .5rem; }
  .pair, .where { white-space: normal; }
  /* what is folded on the screen is still printed */
  details::details-content { content-visibility: visible; block-size: auto; }
}
"""
