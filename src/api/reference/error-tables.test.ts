/**
 * Proves that docs/reference/errors.md contains the complete, current registry of errors. With
 * RIALTO_WRITE_EXAMPLES=1 the file is written instead.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ERRORS, OPERATOR_ERRORS } from "../errors.ts";
import { errorTables, operatorErrorTable } from "./error-tables.ts";

const FILE = join(import.meta.dirname, "../../../docs/reference/errors.md");

const HEAD = `# Errors

Every error of the exchange, generated from its registry. Version 2 answers \`{"code", "msg",
"requestTime", "data": null}\` with a text code, version 3 \`{"code", "msg"}\` with a negative
number, the operator API \`{"error": {"code", "message", "field"}}\` with a word. The message
continues with the wrong parameter and what is accepted. A refused request changes nothing. Several
reasons share a code where the specification gives them one.`;

const OPERATOR_HEAD = `## Errors of the operator API

An unknown user, asset, market or key is 404 when the path names it.`;

test("docs/reference/errors.md is the registry", () => {
  const operator = `${OPERATOR_HEAD}\n\n${operatorErrorTable()}`;
  const text = `${HEAD}\n\n${errorTables("##")}\n\n${operator}\n`;
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

test("every reason of the operator API has its row", () => {
  const text = operatorErrorTable();
  for (const [code, { status, message }] of Object.entries(OPERATOR_ERRORS)) {
    assert.ok(text.includes(`| ${code} | ${status} | ${message} |`), code);
  }
});
