/**
 * Builds the reference into `dist/docs`: a page for each section of the API, each group of channels
 * and each guide, made ahead from the OpenAPI document and `docs`, and the entries of its search.
 * The console is built before: it has the script and the style sheet.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import "./console.ts";
import { buildOpenApi } from "../src/api/openapi.ts";
import { NOT_FOUND, THEME_SCRIPT, wholePage } from "./docs/frame.ts";
import { PICTURES } from "./docs/guides.ts";
import { docsPages } from "./docs/pages.ts";

const ROOT = join(import.meta.dirname, "..");
const OUTPUT = join(ROOT, "dist/docs");
const TEMPLATE = join(ROOT, "dist/console/docs.html");

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly version: string;
};
const template = readFileSync(TEMPLATE, "utf8");
const pages = docsPages(buildOpenApi(version));

rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT, { recursive: true });
for (const page of [...pages, NOT_FOUND]) {
  writeFileSync(join(OUTPUT, `${page.slug || "index"}.html`), wholePage(template, page, pages));
}
const entries = pages.flatMap((page) => page.entries);
writeFileSync(join(OUTPUT, "search.json"), JSON.stringify(entries));
writeFileSync(join(OUTPUT, "theme.js"), THEME_SCRIPT);
for (const [name, path] of Object.entries(PICTURES)) copyFileSync(path, join(OUTPUT, name));
for (const ending of ["", ".br", ".gz"]) rmSync(TEMPLATE + ending, { force: true });
