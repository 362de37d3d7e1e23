/**
 * Proves that the operator's token survives restarts, is kept for its owner alone, and that a
 * file others may read, or that holds no token, stops the start with a message that names it and
 * never shows it.
 */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { afterEach, beforeEach } from "node:test";
import { currentOperatorToken, openOperatorToken, rotateOperatorToken } from "./operator-token.ts";
import { UnusableSecrets } from "./private-file.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rialto-token-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tokenFile = () => join(folder, "operator.token");

test("a drawn token is kept with mode 0600 and comes back", () => {
  const token = openOperatorToken(folder, null);
  assert.match(token, /^[0-9a-f]{64}$/);
  assert.equal(statSync(tokenFile()).mode & 0o777, 0o600);
  assert.equal(openOperatorToken(folder, null), token);
});

test("every data folder draws a token of its own", () => {
  const other = mkdtempSync(join(tmpdir(), "rialto-token-"));
  assert.notEqual(openOperatorToken(folder, null), openOperatorToken(other, null));
  rmSync(other, { recursive: true });
});

test("a given token wins over the file and leaves none", () => {
  const given = "a-given-token-of-24-char";
  assert.equal(openOperatorToken(folder, given), given);
  assert.throws(() => statSync(tokenFile()), /ENOENT/);
});

test("what cannot stand in a header is no token", () => {
  for (const given of ["", "two words", "line\nbreak", "x".repeat(257), "ключ"]) {
    assert.throws(() => openOperatorToken(folder, given), UnusableSecrets);
  }
});

test("a token that can be guessed is refused, and the message says how to make one", () => {
  for (const given of ["x", "operator", "x".repeat(23)]) {
    const about = /RIALTO_OPERATOR_TOKEN .*24 to 256 .*openssl rand -hex 32/;
    assert.throws(() => openOperatorToken(folder, given), about);
    writeFileSync(tokenFile(), given, { mode: 0o600 });
    assert.throws(() => openOperatorToken(folder, null), UnusableSecrets);
  }
});

test("a token that others may read is refused, and the message says what to do", () => {
  openOperatorToken(folder, null);
  for (const mode of [0o604, 0o640, 0o660, 0o644, 0o620, 0o601]) {
    chmodSync(tokenFile(), mode);
    assert.throws(
      () => openOperatorToken(folder, null),
      (error) => error instanceof UnusableSecrets && error.message.includes("chmod 600"),
    );
  }
  chmodSync(tokenFile(), 0o400);
  openOperatorToken(folder, null);
});

test("an empty or damaged file is refused without showing what is in it", () => {
  for (const content of ["", "canary with spaces", "canary\0", "canary ".repeat(5000)]) {
    writeFileSync(tokenFile(), content, { mode: 0o600 });
    assert.throws(
      () => openOperatorToken(folder, null),
      (error) =>
        error instanceof UnusableSecrets &&
        error.message.includes(tokenFile()) &&
        !error.message.includes("canary"),
    );
  }
});

test("what a crash left of an unfinished file is no obstacle", () => {
  writeFileSync(`${tokenFile()}.new`, "half", { mode: 0o644 });
  const token = openOperatorToken(folder, null);
  assert.equal(statSync(tokenFile()).mode & 0o777, 0o600);
  assert.equal(openOperatorToken(folder, null), token);
});

test("a replaced file replaces the token at once; what cannot be used changes nothing", () => {
  const first = openOperatorToken(folder, null);
  const current = currentOperatorToken(folder, null, first);
  assert.equal(current(), first);
  const { path } = rotateOperatorToken(folder);
  assert.equal(path, tokenFile());
  const second = openOperatorToken(folder, null);
  assert.notEqual(second, first);
  assert.equal(current(), second);
  writeFileSync(tokenFile(), "short\n");
  assert.equal(current(), second);
  writeFileSync(tokenFile(), `${first}\n`);
  chmodSync(tokenFile(), 0o644);
  assert.equal(current(), second, "others may have read it");
  chmodSync(tokenFile(), 0o600);
  assert.equal(current(), first);
  rmSync(tokenFile());
  assert.equal(current(), first);
  mkdirSync(tokenFile(), { mode: 0o700 });
  assert.equal(current(), first, "a folder is no token");
  rmSync(tokenFile(), { recursive: true });
  assert.throws(() => rotateOperatorToken(folder), /RIALTO_OPERATOR_TOKEN/);
});

test("a given token stays, whatever the folder has", () => {
  const given = "a-given-token-of-24-char";
  openOperatorToken(folder, null);
  const current = currentOperatorToken(folder, given, given);
  rotateOperatorToken(folder);
  assert.equal(current(), given);
});
