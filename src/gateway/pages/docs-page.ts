/**
 * The reference: pages made ahead by `build/docs-page.ts`, read and compressed when they are first
 * asked for. The content policy allows them no other host and nothing inline.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { CONTENT_POLICY } from "./content-policy.ts";
import { type StoredPage, storePage } from "./stored-page.ts";

const FILES = join(import.meta.dirname, "../../../dist/docs");
const FIRST = "index.html";

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "application/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

/** Shown when the pages have not been built. */
const UNBUILT_PAGE =
  "<!doctype html><html lang=en><meta charset=utf-8><title>Rialto API reference</title>" +
  "<h1>API reference</h1><p>This page was not built here. In the folder of Rialto, with the " +
  "development packages installed, run <code>npm run build</code> and start the exchange again." +
  "<p>The document itself is at <a href=/openapi.json>/openapi.json</a>.";

/** A picture opened by itself has its own style sheet and loads nothing. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export interface DocsFile {
  readonly page: StoredPage;
  readonly headers: Readonly<Record<string, string>>;
}

export class DocsFiles {
  readonly #names: ReadonlySet<string>;
  readonly #files = new Map<string, Promise<DocsFile>>();

  constructor() {
    this.#names = new Set(existsSync(FILES) ? readdirSync(FILES) : []);
  }

  /** By the last part of its path, which is "" for the first page; null for no such file. */
  find(name: string): Promise<DocsFile> | null {
    const file = name === "" ? FIRST : this.#names.has(`${name}.html`) ? `${name}.html` : name;
    if (file !== FIRST && !this.#names.has(file)) return null;
    const found = this.#files.get(file) ?? this.#read(file);
    this.#files.set(file, found);
    return found;
  }

  async #read(file: string): Promise<DocsFile> {
    const isThere = this.#names.has(file);
    const bytes = isThere ? readFileSync(join(FILES, file)) : Buffer.from(UNBUILT_PAGE);
    const ending = extname(file);
    return {
      page: await storePage(CONTENT_TYPES[ending] ?? "application/octet-stream", bytes),
      headers: {
        "Content-Security-Policy": ending === ".svg" ? PICTURE_POLICY : CONTENT_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
      },
    };
  }
}
