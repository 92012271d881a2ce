/**
 * The style of the page. Nothing is loaded; colours follow the reader's system, words say what colours say, the choice
 * of verdicts works by `:has()` alone, and paper shows every chain opened.
 */
export const HTML_STYLE: string = `
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--line:#d1d9e0;--page:#fff;--band:#f6f8fa;
--good:#116329;--good-bg:#dafbe1;--bad:#a40e26;--bad-bg:#ffebe9;--open:#7d4e00;--open-bg:#fff8c5;--link:#0550ae}
@media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;--page:#0d1117;--band:#151b23;
--good:#56d364;--good-bg:#12261e;--bad:#ff7b72;--bad-bg:#2d1519;--open:#e3b341;--open-bg:#272115;--link:#79c0ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:76rem;margin:0 auto;padding:1.5rem}
h1{margin:0 0 .25rem;font-size:1.75rem}
h2{margin:2rem 0 .75rem;font-size:1.25rem}
h3{display:inline;margin:0;font-size:1rem;font-weight:600}
a{color:var(--link)}
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
.lead,.asks,dt,caption{color:var(--soft)}
.counts{display:flex;flex-wrap:wrap;gap:.75rem;margin:0 0 1rem}
.counts div{min-width:8rem;padding:.5rem 1rem;border:1px solid var(--line);border-radius:.5rem}
.counts dd{margin:0;font-size:1.75rem;font-weight:600}
fieldset{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0 0 1rem;padding:0;border:0}
legend{float:left;margin-right:1rem;color:var(--soft)}
table{width:100%;border-collapse:collapse;font-size:.9375rem}
caption{padding:.25rem 0;text-align:left}
th,td{padding:.5rem;border-top:1px solid var(--line);text-align:left;vertical-align:top}
thead th{border-top:0;background:var(--band);font-weight:600}
tbody th{font-weight:600;width:17rem}
.word{display:inline-block;padding:0 .5rem;border-radius:.75rem;border:1px solid currentColor;font-size:.875rem;
font-weight:600;white-space:nowrap}
.allowed,.pass{color:var(--good);background:var(--good-bg)}
.denied,.fail{color:var(--bad);background:var(--bad-bg)}
.unknown{color:var(--open);background:var(--open-bg)}
.skipped{color:var(--soft)}
.asks{display:block;font-weight:400;font-size:.875rem}
details{margin:0 0 .75rem;border:1px solid var(--line);border-radius:.5rem}
details>summary{padding:.625rem .75rem;cursor:pointer;background:var(--band);border-radius:.5rem;overflow-wrap:anywhere}
details>:not(summary){margin:.5rem .75rem}
details>table{width:calc(100% - 1.5rem)}
td p{margin:0}
td dl{margin:.375rem 0 0;font-size:.875rem}
td dd{margin:0 0 .25rem 1rem;overflow-wrap:anywhere}
.wide{overflow-x:auto}
body:has(#only-denied:checked) [data-verdict]:not([data-verdict=denied]),
body:has(#only-unknown:checked) [data-verdict]:not([data-verdict=unknown]),
body:has(#only-allowed:checked) [data-verdict]:not([data-verdict=allowed]){display:none}
@supports not selector(:has(a)){fieldset{display:none}}
@media (max-width:40rem){tbody th{width:auto}main{padding:.75rem}}
@media print{main{max-width:none;padding:0}fieldset{display:none}tr{break-inside:avoid}
details::details-content{display:block;content-visibility:visible;block-size:auto}
.word{print-color-adjust:exact}}
`;
