/**
 * Proves how `npm run audit` reads the registry's answer: what is shipped counts, also what npm
 * takes for development and the pages are made from; the rest is named and does not; and where
 * nobody answers it says so, and is not taken for clean.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { auditVerdict } from "../../build/audit-report.ts";
import { ROOT } from "../support/root.ts";

const LOCK = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));

/** In the form of npm's report, version 2. */
function answer(...names: readonly string[]): string {
  const found = names.map((name) => {
    const advisory = { title: "it breaks", url: "https://example.com/advisory" };
    const place = { nodes: [`node_modules/${name}`], via: [advisory, "another"] };
    return [name, { name, severity: "high", ...place }] as const;
  });
  const vulnerabilities = Object.fromEntries(found);
  return JSON.stringify({ auditReportVersion: 2, vulnerabilities, metadata: {} });
}

test("what is shipped counts, and what is not does not", () => {
  const clean = auditVerdict(answer(), LOCK);
  assert.equal(clean.exitCode, 0);
  assert.match(clean.lines.join("\n"), /^Clean: nothing is known against the \d\d+ packages/);
  for (const name of ["fastify", "react", "fast-uri"]) {
    assert.ok(LOCK.packages[`node_modules/${name}`], name);
    const { exitCode, lines } = auditVerdict(answer(name), LOCK);
    assert.equal(exitCode, 1, name);
    const why = "it breaks https://example.com/advisory; through another";
    assert.ok(lines.includes(`  high  ${name}: ${why}`), lines.join("\n"));
  }
  const other = auditVerdict(answer("typescript"), LOCK);
  assert.equal(other.exitCode, 0);
  assert.match(other.lines.join("\n"), /not shipped:\n {2}high {2}typescript: /);
  assert.equal(auditVerdict(answer("typescript", "ws"), LOCK).exitCode, 1);
});

test("where the registry does not answer, it is neither clean nor checked", () => {
  const refused = JSON.stringify({ message: "405 Method Not Allowed", statusCode: 405 });
  for (const [text, why] of [
    [refused, /\(405 Method Not Allowed\)/],
    ["", /did not say why/],
    ["<html>", /did not say why/],
  ] as const) {
    const { exitCode, lines } = auditVerdict(text, LOCK);
    assert.equal(exitCode, 2);
    assert.match(lines.join("\n"), /^Neither clean nor checked/);
    assert.match(lines.join("\n"), why);
  }
});
