/**
 * Markdown to HTML, as far as our own documents use it: headings, paragraphs, lists, tables, code,
 * quotes, links, pictures and emphasis. Everything else is text, and all text is escaped.
 */

export interface Heading {
  readonly id: string;
  readonly level: number;
  readonly text: string;
}

export interface RenderedMarkdown {
  readonly html: string;
  readonly headings: readonly Heading[];
}

const FENCE = /^\s*```\s*(\w*)\s*$/;
const HEADING = /^(#{1,6}) +(.*)$/;
const BULLET = /^(\s*)(?:[-*]|(\d+)\.) +(.*)$/;
const TABLE_RULE = /^\|(?:\s*:?-+:?\s*\|)+\s*$/;

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

export function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .trim()
    .replace(/ +/g, "-");
}

/** `shift` is added to the level of each heading. */
export function renderMarkdown(text: string, shift = 0): RenderedMarkdown {
  return new Renderer(shift).document(text);
}

/** A paragraph's content. Code is set aside first: nothing in it is Markdown. */
export function inlineHtml(text: string): string {
  const codes: string[] = [];
  const marked = text.replace(/(`+)([^`]+)\1/g, (_whole, _marks, code: string) => {
    codes.push(`<code>${escapeHtml(code.trim())}</code>`);
    return `\uE001${codes.length - 1}\uE001`;
  });
  return escapeHtml(marked.replaceAll("&nbsp;", "\u00a0"))
    .replace(/\\([|*_`])/g, "$1")
    .replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, '<img src="$2" alt="$1" loading="lazy">')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/&lt;(https?:\/\/[^\s&]+)&gt;/g, '<a href="$1">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/(?<![\w*])\*([^*\s][^*]*)\*(?![\w*])/g, "<em>$1</em>")
    .replace(/\uE001(\d+)\uE001/g, (_whole, index: string) => codes[Number(index)] ?? "");
}

export function codeHtml(source: string, language: string): string {
  const label = language === "" ? "" : ` data-language="${language}"`;
  return `<pre tabindex="0"${label}><code>${escapeHtml(source)}</code></pre>`;
}

class Renderer {
  readonly #shift: number;
  readonly #headings: Heading[] = [];
  readonly #ids = new Set<string>();

  constructor(shift: number) {
    this.#shift = shift;
  }

  document(text: string): RenderedMarkdown {
    return { html: this.#blocks(text.split("\n")), headings: this.#headings };
  }

  #blocks(lines: readonly string[]): string {
    const parts: string[] = [];
    let at = 0;
    while (at < lines.length) {
      const [html, next] = this.#block(lines, at);
      if (html !== "") parts.push(html);
      at = next;
    }
    return parts.join("\n");
  }

  #block(lines: readonly string[], at: number): readonly [html: string, next: number] {
    const line = lines[at] ?? "";
    if (line.trim() === "") return ["", at + 1];
    if (FENCE.test(line)) return fencedCode(lines, at);
    const heading = HEADING.exec(line);
    if (heading !== null) return [this.#heading(heading[1] ?? "", heading[2] ?? ""), at + 1];
    if (line.startsWith("|") && TABLE_RULE.test(lines[at + 1] ?? "")) return tableHtml(lines, at);
    if (BULLET.test(line)) return this.#list(lines, at);
    if (line.startsWith("> ")) return this.#quote(lines, at);
    const end = endOf(lines, at, (next) => startsBlock(next));
    return [`<p>${inlineHtml(lines.slice(at, end).join("\n"))}</p>`, end];
  }

  #heading(marks: string, text: string): string {
    const level = Math.min(6, marks.length + this.#shift);
    let id = slugOf(text);
    while (this.#ids.has(id)) id += "-more";
    this.#ids.add(id);
    this.#headings.push({ id, level, text: text.replace(/[`*]/g, "") });
    const link = `<a class="here" href="#${id}">${inlineHtml(text)}</a>`;
    return `<h${level} id="${id}">${link}</h${level}>`;
  }

  #quote(lines: readonly string[], at: number): readonly [string, number] {
    const end = endOf(lines, at, (line) => !line.startsWith(">"));
    const inner = lines.slice(at, end).map((line) => line.replace(/^> ?/, ""));
    return [`<blockquote>${this.#blocks(inner)}</blockquote>`, end];
  }

  #list(lines: readonly string[], from: number): readonly [string, number] {
    const first = BULLET.exec(lines[from] ?? "");
    const indent = first?.[1]?.length ?? 0;
    const tag = first?.[2] === undefined ? "ul" : "ol";
    const items: string[] = [];
    let at = from;
    while (at < lines.length) {
      const bullet = BULLET.exec(lines[at] ?? "");
      if (bullet === null || bullet[1]?.length !== indent) break;
      const inset = (lines[at] ?? "").length - (bullet[3] ?? "").length;
      const end = itemEnd(lines, at + 1, indent);
      const rest = lines.slice(at + 1, end).map((line) => line.slice(leadingOf(line, inset)));
      const html = this.#blocks([bullet[3] ?? "", ...rest]);
      const isTight = !/<p>[\s\S]*<p>/.test(html);
      items.push(`<li>${isTight ? html.replace(/^<p>([\s\S]*?)<\/p>/, "$1") : html}</li>`);
      at = end;
    }
    return [`<${tag}>${items.join("")}</${tag}>`, at];
  }
}

function leadingOf(line: string, most: number): number {
  return Math.min(most, line.length - line.trimStart().length);
}

/** An item goes on with what is indented, and over empty lines if something indented follows. */
function itemEnd(lines: readonly string[], from: number, indent: number): number {
  let at = from;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      const next = lines[at + 1] ?? "";
      if (next.trim() === "" || leadingOf(next, 99) <= indent) return at;
    } else if (leadingOf(line, 99) <= indent) {
      const isOther = BULLET.test(line) || startsBlock(line);
      if (isOther) return at;
    }
    at++;
  }
  return at;
}

function startsBlock(line: string): boolean {
  return (
    line.trim() === "" ||
    FENCE.test(line) ||
    HEADING.test(line) ||
    BULLET.test(line) ||
    line.startsWith("|") ||
    line.startsWith("> ")
  );
}

function endOf(lines: readonly string[], at: number, ends: (line: string) => boolean): number {
  let end = at + 1;
  while (end < lines.length && !ends(lines[end] ?? "")) end++;
  return end;
}

function fencedCode(lines: readonly string[], at: number): readonly [string, number] {
  const [line = "", language = ""] = FENCE.exec(lines[at] ?? "") ?? [];
  const inset = line.length - line.trimStart().length;
  let end = at + 1;
  while (end < lines.length && !/^\s*```\s*$/.test(lines[end] ?? "")) end++;
  const source = lines.slice(at + 1, end).map((text) => text.slice(leadingOf(text, inset)));
  return [codeHtml(source.join("\n"), language), end + 1];
}

function cellsOf(row: string): readonly string[] {
  const inner = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  // A bar within code is part of the cell.
  return inner
    .replace(/\\\|/g, "\u0000")
    .split(/\|(?=(?:[^`]*`[^`]*`)*[^`]*$)/)
    .map((cell) => cell.replaceAll("\u0000", "|").trim());
}

/** Scrolls by itself, also by keyboard. */
export function wideTable(table: string): string {
  return `<div class="wide" tabindex="0" role="group" aria-label="Table">${table}</div>`;
}

function tableHtml(lines: readonly string[], at: number): readonly [string, number] {
  const end = endOf(lines, at + 1, (line) => !line.startsWith("|"));
  const head = cellsOf(lines[at] ?? "").map((cell) =>
    cell === "" ? "<td></td>" : `<th scope="col">${inlineHtml(cell)}</th>`,
  );
  const rows = lines.slice(at + 2, end).map((line) => {
    const cells = cellsOf(line).map((cell) => `<td>${inlineHtml(cell)}</td>`);
    return `<tr>${cells.join("")}</tr>`;
  });
  const table = `<thead><tr>${head.join("")}</tr></thead><tbody>${rows.join("")}</tbody>`;
  return [wideTable(`<table>${table}</table>`), end];
}
