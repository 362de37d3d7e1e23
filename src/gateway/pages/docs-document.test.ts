/**
 * Proves of the page's document that every link inside it leads to a section of it, that every tag
 * stands in one group, that every call shows the requests of its examples, and that the guides came
 * along without what the page cannot show.
 */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { buildOpenApi } from "../../api/openapi.ts";
import { PAGES } from "../../api/pages.ts";
import { examplesOf } from "../../api/reference/examples.ts";
import { ROUTES } from "../../api/routes.ts";
import { buildDocsDocument } from "./docs-document.ts";
import { readGuides } from "./guides.ts";

const document = buildDocsDocument(buildOpenApi("1.2.3")) as unknown as {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly "x-codeSamples": readonly object[] }>>>
  >;
};

/** Tests of other code blocks and inline code would see links where there are none. */
function linksOf(markdown: string): string[] {
  const text = markdown.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
}

test("links lead to a section of the page, or to the document for programs", () => {
  const texts = [document.info.description, ...document.tags.map((tag) => tag.description ?? "")];
  const links = texts.flatMap(linksOf);
  assert.ok(links.length > 5);
  const slugs = document.tags.map(({ name }) =>
    name
      .toLowerCase()
      .replace(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  );
  const places = new Set([
    "/openapi.json",
    PAGES.speedPicture.path,
    ...slugs.map((slug) => `#tag/${slug}`),
  ]);
  assert.deepEqual(
    links.filter((link) => !places.has(link)),
    [],
  );
  assert.equal(new Set(slugs).size, slugs.length, "two sections of one name");
});

test("every section stands in one group, and calls come before guides", () => {
  const grouped = document["x-tagGroups"].flatMap(({ tags }) => tags);
  assert.deepEqual([...grouped].sort(), document.tags.map(({ name }) => name).sort());
  assert.equal(new Set(grouped).size, grouped.length);
  const groups = document["x-tagGroups"].map(({ name }) => name);
  assert.deepEqual(groups.slice(0, 2), ["Basics", "Spot v3"]);
  assert.deepEqual(groups.slice(-2), ["Guides", "Concepts"]);
});

test("every call shows all its examples", () => {
  for (const route of ROUTES) {
    const operation = document.paths[route.path]?.[route.method.toLowerCase()];
    assert.equal(operation?.["x-codeSamples"].length, examplesOf(route).length, route.id);
  }
});

test("every page of the reference is a guide, whole and without what cannot be shown", () => {
  const guides = readGuides();
  const folder = join(import.meta.dirname, "../../../docs/reference");
  const leftOut = ["dependencies.md", "errors.md"];
  const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));
  const expected = pages.filter((name) => !leftOut.includes(name));
  assert.equal(guides.filter(({ group }) => group === "Guides").length, expected.length);
  for (const { title, text } of guides) {
    assert.ok(title.length > 0 && text.length > 500, title);
    assert.doesNotMatch(text, /```mermaid/, title);
    assert.doesNotMatch(text, /^\|.*\| *\|/m, `${title}: an empty cell`);
  }
});
