/** What is around the text of every page of the reference: header, search and the list of pages. */
import { HEADER_LINKS } from "../../src/console/shell/header-links.ts";
import { PREFERS_LIGHT, STORED_THEME } from "../../src/console/shell/theme-names.ts";
import { escapeHtml } from "./markdown.ts";
import type { DocsPage } from "./pages.ts";

/** Runs before the page is painted, so that it is painted once. */
export const THEME_SCRIPT = `(() => {
  const stored = localStorage.getItem("${STORED_THEME}");
  const system = matchMedia("${PREFERS_LIGHT}").matches ? "light" : "dark";
  document.documentElement.dataset.theme = /^(dark|light)$/.test(stored) ? stored : system;
})();
`;

/** For addresses that lead nowhere; it is in no list. */
export const NOT_FOUND: DocsPage = {
  slug: "not-found",
  group: "",
  title: "Page not found",
  shown: "",
  html: '<p>The reference has no such page. <a href="/docs/">Go to its first page</a></p>',
  parts: [],
  entries: [],
};

/** `template` is the page that the console's build makes of `src/console/docs.html`. */
export function wholePage(template: string, page: DocsPage, pages: readonly DocsPage[]): string {
  return template
    .replace("{{title}}", () => escapeHtml(page.title))
    .replace("<!-- theme -->", '<script src="/docs/theme.js"></script>')
    .replace("<!-- page -->", () => bodyHtml(page, pages));
}

function bodyHtml(page: DocsPage, pages: readonly DocsPage[]): string {
  const links = HEADER_LINKS.map(({ path, text }) => `<a href="${path}">${text}</a>`);
  return `<a class="skip" href="#main">Skip to content</a>
<header class="header"><a class="logo" href="/">Rialto</a>
<nav aria-label="Pages">${links.join("")}<a href="/docs/" aria-current="page">Reference</a></nav>
<div class="end"><a class="menu" href="#contents">Contents</a>
<div class="search" role="search" hidden><input id="search" type="search" role="combobox"
 placeholder="Search ( / )" aria-label="Search the reference" aria-controls="found"
 aria-expanded="false" aria-autocomplete="list" autocomplete="off" spellcheck="false">
<div id="found" role="listbox" aria-label="Found" hidden></div></div>
<button id="theme" class="quiet" type="button" hidden></button></div></header>
<div class="columns"><nav id="contents" aria-label="Contents">
<a class="close" href="#main">Close</a>${contentsHtml(page, pages)}</nav>
<main id="main"><h1>${escapeHtml(page.title)}</h1>
${page.html}
</main></div>`;
}

function contentsHtml(current: DocsPage, pages: readonly DocsPage[]): string {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups
    .map((group) => {
      const items = pages
        .filter((page) => page.group === group)
        .map((page) => (page === current ? currentItem(page) : `<li>${linkTo(page, "")}</li>`));
      return `<h2>${escapeHtml(group)}</h2><ul>${items.join("")}</ul>`;
    })
    .join("\n");
}

function currentItem(page: DocsPage): string {
  const parts = page.parts.map(
    ({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`,
  );
  const list = parts.length === 0 ? "" : `<ul>${parts.join("")}</ul>`;
  return `<li>${linkTo(page, ' aria-current="page"')}${list}</li>`;
}

function linkTo({ slug, shown }: DocsPage, more: string): string {
  return `<a href="/docs/${slug}"${more}>${escapeHtml(shown)}</a>`;
}
