/**
 * Proves that a long `rialto sandbox save` shows how far it is, and that one that is interrupted or
 * cut off leaves no file, against a server that sends a state piece by piece and never ends.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { PROGRAM } from "../../test/support/program.ts";
import { ROOT } from "../../test/support/root.ts";

const folder = mkdtempSync(join(tmpdir(), "rialto-save-"));
const PIECE = Buffer.alloc(16_384, 7);
const EVERY_MS = 50;
let sending: ServerResponse | null = null;
const server = createServer((_request, response) => {
  sending = response;
  const timer = setInterval(() => response.write(PIECE), EVERY_MS);
  response.on("close", () => clearInterval(timer));
});

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `act` happens when the progress is shown. */
async function save(act: (pid: number) => void): Promise<{ code: number; err: string }> {
  const { port } = server.address() as AddressInfo;
  const child = spawn(
    join(ROOT, "node_modules/.bin/node"),
    [PROGRAM, "sandbox", "save", "state.rialto", "--token", "x".repeat(32)],
    {
      cwd: folder,
      env: { ...process.env, RIALTO_OPERATOR_URL: `http://127.0.0.1:${port}` },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let err = "";
  child.stderr.on("data", (chunk: Buffer) => {
    if (err === "") act(child.pid as number);
    err += chunk;
  });
  const [code] = (await once(child, "close")) as [number];
  return { code, err };
}

test("a long save shows its bytes; interrupted or cut off, it leaves no file", async () => {
  const interrupted = await save((pid) => process.kill(pid, "SIGINT"));
  const [progress = "", ...rest] = interrupted.err.trim().split("\n");
  assert.match(progress, /^Saving the state, in bytes: [1-9]\d*, \d+\/s$/);
  assert.match(rest.at(-1) ?? "", /^rialto: Interrupted\.$/);
  assert.equal(interrupted.code, 1);
  assert.deepEqual(readdirSync(folder), []);
  const cut = await save(() => sending?.destroy());
  assert.notEqual(cut.code, 0);
  assert.deepEqual(readdirSync(folder), []);
});
