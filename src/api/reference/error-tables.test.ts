/**
 * Proves that docs/reference/errors.md has the registry of errors, whole and as it is. With
 * RIALTO_WRITE_EXAMPLES=1 the file is written instead.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ERRORS } from "../errors.ts";
import { errorTables } from "./error-tables.ts";

const FILE = join(import.meta.dirname, "../../../docs/reference/errors.md");

const HEAD = `# Errors

Every refusal that the exchange knows, made from the registry that it answers from. Version 2
answers \`{"code", "msg", "requestTime", "data": null}\` with a code as text, version 3 \`{"code",
"msg"}\` with a negative number; the message goes on with the offending parameter and what would be
accepted. A refusal changes nothing. Several reasons share a code where the specification gives
them one.`;

test("docs/reference/errors.md is the registry", () => {
  const text = `${HEAD}\n\n${errorTables("##")}\n`;
  if (process.env.RIALTO_WRITE_EXAMPLES === "1") writeFileSync(FILE, text);
  const written = "run RIALTO_WRITE_EXAMPLES=1 npm test -- src/api/reference/error-tables.test.ts";
  assert.equal(readFileSync(FILE, "utf8"), text, written);
});

test("every reason has its row in every family", () => {
  const text = errorTables("##");
  for (const [reason, { v2, v3, capi, message, when, remedy }] of Object.entries(ERRORS)) {
    for (const { code, status } of [v2, v3, capi]) {
      const row = `| ${code} | ${status} | ${message} | ${when} | ${remedy} |`;
      assert.ok(text.includes(row), `${reason}: ${row}`);
    }
  }
});
