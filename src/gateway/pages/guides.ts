/**
 * The pages of `docs/reference` and `docs/concepts`, prepared for the reference page: a running
 * exchange shows its own documentation, without a network.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { PAGES } from "../../api/pages.ts";

const DOCUMENTS = join(import.meta.dirname, "../../../docs");
const FOLDERS = [
  {
    folder: "reference",
    group: "Guides",
    first: ["streams", "websocket-trading", "contract", "affiliate", "spot-v2", "ccxt"],
    // Not about using the exchange; errors have a section of their own.
    leftOut: ["dependencies", "errors"],
  },
  {
    folder: "concepts",
    group: "Concepts",
    first: ["glossary", "numbers-and-money", "contracts", "liquidation", "conditional-orders"],
    leftOut: ["an-order-from-end-to-end"],
  },
] as const;
/** The page that serves the picture of a guide, by the name of its file. */
const PICTURES: Readonly<Record<string, string>> = {
  [basename(PAGES.speedPicture.path)]: PAGES.speedPicture.path,
};

export interface Guide {
  readonly group: string;
  readonly title: string;
  /** Markdown without its title. */
  readonly text: string;
}

interface Page {
  readonly group: string;
  /** From the folder of all documents. */
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

function pagesOf({ folder, group, first, leftOut }: (typeof FOLDERS)[number]): readonly Page[] {
  const path = join(DOCUMENTS, folder);
  // Without the documents installed, the page still shows the calls.
  const files = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith(".md")) : [];
  const names = files.map((file) => file.slice(0, -".md".length)).sort();
  const known: readonly string[] = first;
  const unwanted: readonly string[] = leftOut;
  return [
    ...known.filter((name) => names.includes(name)),
    ...names.filter((name) => !known.includes(name) && !unwanted.includes(name)),
  ].map((name) => readPage(group, `${folder}/${name}.md`));
}

function readPage(group: string, path: string): Page {
  const [heading = "", ...lines] = readFileSync(join(DOCUMENTS, path), "utf8").split("\n");
  return { group, path, title: heading.replace(/^# /, ""), text: lines.join("\n").trim() };
}

/** The anchor of a section, as the page names it. */
function anchorOf({ title }: Page): string {
  const slug = title.toLowerCase().replace(/[^a-z0-9 -]/g, "");
  return `#tag/${slug.replaceAll(" ", "-")}`;
}

/** Pictures lead to the pages that serve them. */
function withPictures(text: string): string {
  return text.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_picture, alt: string, target: string) => {
    const path = PICTURES[basename(target)];
    if (path === undefined) throw new Error(`no page serves the picture ${target}`);
    return `![${alt}](${path})`;
  });
}

/** Links to other guides become anchors; all others, but for pictures, become plain text. */
function withInnerLinks(page: Page, pages: readonly Page[]): string {
  return page.text.replace(
    /(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g,
    (_link, text: string, target: string) => {
      const path = posix.join(posix.dirname(page.path), target.replace(/#.*$/, ""));
      const other = pages.find((candidate) => candidate.path === path);
      return other === undefined ? text : `[${text}](${anchorOf(other)})`;
    },
  );
}

/** The page cannot draw diagrams; the text says the same in words. */
function withoutDrawings(text: string): string {
  return text.replace(/^```mermaid\n[\s\S]*?^```\n/gm, "");
}

/** The page drops empty cells, which would shift the others to the left. */
function withFullCells(text: string): string {
  return text.replace(/^\|.*\|$/gm, (row) => row.replace(/\|\s*(?=\|)/g, "| &nbsp; "));
}

/** In the order of the sidebar. */
export function readGuides(): readonly Guide[] {
  const pages = FOLDERS.flatMap(pagesOf);
  return pages.map((page) => ({
    group: page.group,
    title: page.title,
    text: withFullCells(withoutDrawings(withPictures(withInnerLinks(page, pages)))),
  }));
}

/** The picture of the guide about speed; null where the documents are not installed. */
export function readSpeedPicture(): Buffer | null {
  const path = join(DOCUMENTS, "reference", basename(PAGES.speedPicture.path));
  return existsSync(path) ? readFileSync(path) : null;
}
