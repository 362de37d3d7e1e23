/**
 * Proves that the list of what is shipped is whole and lawful, from the lock file alone: every
 * package that the program names and every one in its pages is there with all that it needs, each
 * with a version, a digest and a licence that may be shipped under ours.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { billOfMaterials, IN_PAGES, type LockFile } from "../../build/bill-of-materials.ts";
import { ROOT } from "../support/root.ts";

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const LOCK: LockFile = read("package-lock.json");
const BILL = billOfMaterials(LOCK);
const MAY_BE_SHIPPED = [
  "MIT",
  "ISC",
  "BSD-3-Clause",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "0BSD",
  "Unlicense",
];

test("every package that is shipped is in it, with a version, a digest and a licence", () => {
  const names = BILL.components.map(({ name }) => name);
  const direct = Object.keys(read("package.json").dependencies);
  for (const name of [...direct, ...IN_PAGES]) assert.ok(names.includes(name), name);
  for (const { name, version, purl, licenses, hashes } of BILL.components) {
    assert.match(version, /^\d+\.\d+\.\d+/, name);
    assert.ok(purl.endsWith(`@${version}`));
    assert.match(hashes[0]?.content ?? "", /^[0-9a-f]{128}$/, name);
    const { expression = "" } = licenses[0] ?? {};
    const options = expression.replace(/^\((.*)\)$/, "$1").split(" OR ");
    assert.ok(
      options.some((one) => MAY_BE_SHIPPED.includes(one)),
      `${name}: ${expression}`,
    );
  }
  assert.equal(new Set(BILL.components.map((each) => each["bom-ref"])).size, names.length);
});

test("what a listed package needs is listed, in the version that it gets", () => {
  const refs = new Set(BILL.components.map((each) => `${each.name}@${each.version}`));
  let needs = 0;
  for (const [place, locked] of Object.entries(LOCK.packages)) {
    const name = place.slice(place.lastIndexOf("node_modules/") + 13);
    if (!refs.has(`${name}@${locked.version}`)) continue;
    for (const needed of Object.keys(locked.dependencies ?? {})) {
      const own = LOCK.packages[`${place}/node_modules/${needed}`];
      const version = own?.version ?? LOCK.packages[`node_modules/${needed}`]?.version;
      assert.ok(refs.has(`${needed}@${version}`), `${name} needs ${needed} ${version}`);
      needs++;
    }
  }
  assert.ok(needs > 50, `${needs}`);
});

const CONSOLE = globSync("src/console/**/*.{ts,tsx}", { cwd: ROOT }).filter(
  (path) => !path.endsWith(".test.ts"),
);

test("a page has no package that the list lacks", () => {
  const imported = CONSOLE.flatMap((path) => {
    const text = readFileSync(join(ROOT, path), "utf8");
    // Texts of a page, further down, show imports too.
    const [head = ""] = text.split(/^(?:export|const|interface|type|function|class|async) /m);
    return [...head.matchAll(/ from "([^."][^"]*)"/g)].map(([, name = ""]) => name);
  });
  const packages = new Set(imported.map((name) => name.split("/")[0] ?? ""));
  for (const name of packages) {
    assert.ok((IN_PAGES as readonly string[]).includes(name), name);
  }
  assert.ok(packages.size >= 5);
});
