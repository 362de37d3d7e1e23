/**
 * The pages of `docs/reference` and `docs/concepts`, prepared for the reference: a running exchange
 * shows its own documentation, without a network.
 */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";

const DOCUMENTS = join(import.meta.dirname, "../../docs");
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
/** Pictures of guides, by the names of their files, and where they are. */
export const PICTURES: Readonly<Record<string, string>> = {
  "speed.svg": join(DOCUMENTS, "reference/speed.svg"),
};

export interface Guide {
  readonly group: string;
  /** The last part of its address: the name of its file. */
  readonly slug: string;
  readonly title: string;
  /** Markdown without its title. */
  readonly text: string;
}

interface Page extends Guide {
  /** From the folder of all documents. */
  readonly path: string;
}

function pagesOf({ folder, group, first, leftOut }: (typeof FOLDERS)[number]): readonly Page[] {
  const files = readdirSync(join(DOCUMENTS, folder)).filter((name) => name.endsWith(".md"));
  const names = files.map((file) => file.slice(0, -".md".length)).sort();
  const known: readonly string[] = first;
  const unwanted: readonly string[] = leftOut;
  return [
    ...known.filter((name) => names.includes(name)),
    ...names.filter((name) => !known.includes(name) && !unwanted.includes(name)),
  ].map((name) => readPage(group, name, `${folder}/${name}.md`));
}

function readPage(group: string, slug: string, path: string): Page {
  const [heading = "", ...lines] = readFileSync(join(DOCUMENTS, path), "utf8").split("\n");
  const text = lines.join("\n").trim();
  return { group, slug, path, title: heading.replace(/^# /, ""), text };
}

/** Pictures lead to the files beside the pages. */
function withPictures(text: string): string {
  return text.replace(/!\[([^\]]*)\]\(([^)\s]+)\)/g, (_picture, alt: string, target: string) => {
    const name = basename(target);
    if (PICTURES[name] === undefined) throw new Error(`no page serves the picture ${target}`);
    return `![${alt}](/docs/${name})`;
  });
}

/** Links to other guides lead to their pages; what is not served becomes plain text. */
function withInnerLinks(page: Page, pages: readonly Page[]): string {
  return page.text.replace(
    /(?<!!)\[([^\]]+)\]\(([^)\s]+)\)/g,
    (link, text: string, target: string) => {
      if (target.startsWith("#") || target.startsWith("/")) return link;
      const [file = "", anchor] = target.split("#");
      const path = posix.join(posix.dirname(page.path), file);
      if (path === "reference/errors.md") return `[${text}](/docs/errors)`;
      const other = pages.find((candidate) => candidate.path === path);
      if (other === undefined) return text;
      return `[${text}](/docs/${other.slug}${anchor === undefined ? "" : `#${anchor}`})`;
    },
  );
}

/** The page cannot draw diagrams; the text says the same in words. */
function withoutDrawings(text: string): string {
  return text.replace(/^```mermaid\n[\s\S]*?^```\n/gm, "");
}

/** In the order of the sidebar. */
export function readGuides(): readonly Guide[] {
  const pages = FOLDERS.flatMap(pagesOf);
  return pages.map((page) => ({
    group: page.group,
    slug: page.slug,
    title: page.title,
    text: withoutDrawings(withPictures(withInnerLinks(page, pages))),
  }));
}
