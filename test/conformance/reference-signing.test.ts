/**
 * Proves the signatures of the reference: HMAC as the specification writes it gives them, every
 * program of the page prints them when it is run as it stands there, and the gateway lets each
 * request in, and not one whose body is a byte off.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac, createSecretKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  EXAMPLE_KEY,
  EXAMPLE_TIMESTAMP,
  SIGNED_EXAMPLES,
  SIGNING_PROGRAMS,
  SIGNING_TEXT,
  type SignedExample,
  type SigningProgram,
} from "../../src/api/reference/signing.ts";
import { Authenticator } from "../../src/gateway/authentication/authenticator.ts";
import type { KeyDirectory, KeyRecord } from "../../src/gateway/authentication/key-directory.ts";
import { temporaryFolder } from "../support/exchange-process.ts";
import { lacking } from "../support/tools.ts";

const run = promisify(execFile);

/** How the block of a language is run, and what has to be there for it. */
const INTERPRETERS: Readonly<
  Record<SigningProgram["language"], { command: string; file: string; needs: readonly string[] }>
> = {
  bash: { command: "bash", file: "sign.sh", needs: ["bash", "openssl", "base64"] },
  js: { command: process.execPath, file: "sign.mjs", needs: [] },
  python: { command: "python3", file: "sign.py", needs: ["python3"] },
};

test("the signatures are those of the specification's formula", () => {
  for (const { title, method, target, body, signature } of SIGNED_EXAMPLES) {
    const hmac = createHmac("sha256", EXAMPLE_KEY.secret);
    const expected = hmac.update(EXAMPLE_TIMESTAMP + method + target + body).digest("base64");
    assert.equal(signature, expected, title);
  }
});

for (const program of SIGNING_PROGRAMS) {
  const { needs } = INTERPRETERS[program.language];
  test(`${program.title}: the program prints them`, { skip: lacking(...needs) }, () =>
    runProgram(program),
  );
}

async function runProgram(program: SigningProgram): Promise<void> {
  const { command, file } = INTERPRETERS[program.language];
  assert.ok(SIGNING_TEXT.includes(program.source), "the section shows the program as it is run");
  const folder = temporaryFolder();
  const path = join(folder, file);
  writeFileSync(path, program.source);
  const { stdout } = await run(command, [path], { cwd: folder });
  const expected = SIGNED_EXAMPLES.map(({ signature }) => signature);
  assert.deepEqual(stdout.trim().split("\n"), expected);
}

const RECORD: KeyRecord = {
  apiKey: EXAMPLE_KEY.apiKey,
  uid: 1001,
  secret: createSecretKey(Buffer.from(EXAMPLE_KEY.secret, "utf8")),
  permissions: ["spot"],
  ipAllowList: [],
  expiresAtMs: null,
  passphraseMatches: (passphrase) => passphrase === EXAMPLE_KEY.passphrase,
};

const KEYS: KeyDirectory = {
  find: (apiKey) => (apiKey === EXAMPLE_KEY.apiKey ? RECORD : null),
};

test("the gateway lets the requests in", () => {
  const nowMs = Number(EXAMPLE_TIMESTAMP) + 500;
  const clock = { wallMs: () => nowMs, exchangeMs: () => nowMs, monotonicMs: () => 0 };
  const authenticator = new Authenticator(KEYS, clock);
  const identify = ({ method, target, signature }: SignedExample, body: string) => {
    const headers = {
      "access-key": EXAMPLE_KEY.apiKey,
      "access-sign": signature,
      "access-timestamp": EXAMPLE_TIMESTAMP,
      "access-passphrase": EXAMPLE_KEY.passphrase,
    };
    assert.equal(authenticator.checkHeaders(headers), null);
    const request = { method, target, headers, body: Buffer.from(body), address: "127.0.0.1" };
    return authenticator.identify(request, { anyOf: ["spot"] });
  };
  for (const example of SIGNED_EXAMPLES) {
    assert.ok(identify(example, example.body).ok, example.title);
    const other = identify(example, `${example.body} `);
    assert.equal(!other.ok && other.reason, "bad-signature", example.title);
  }
});
