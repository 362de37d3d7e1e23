/**
 * Proves that a new master key costs no API key, whatever happens: `rialto keys rotate` is killed
 * with `kill -9` right after each of its steps, and at random moments; then the real exchange
 * starts on the folder, and every key that was made before or between the rotations signs, with its
 * own passphrase and no other. When a rotation is whole, the old master key opens nothing any more.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { issueKey, listStandardMarkets, registerUser } from "../support/exchange-setup.ts";
import { PROGRAM } from "../support/program.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { type Credentials, SignedClient } from "../support/signed-client.ts";

const random = seededRandom("crash/rotation-kill");
const STEPS = ["added", "resealed", "dropped"] as const;
const RANDOM_KILLS = scaled(2);
const TOKEN = "token-of-this-test-0123456789abcdef";

/** Ends with the code, or the signal that killed it. */
function run(args: readonly string[], killAfterMs: number | null = null): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        text += chunk;
      });
    }
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(`${signal ?? code} ${text}`));
    if (killAfterMs !== null) void sleep(killAfterMs).then(() => child.kill("SIGKILL"));
  });
}

/** The rotation in a process that kills itself right after the step. */
async function rotateAndDieAfter(folder: string, step: (typeof STEPS)[number]): Promise<void> {
  const module = JSON.stringify(join(import.meta.dirname, "../../src/keys/index.ts"));
  const script = `
    const { rotateMasterKey } = await import(${module});
    rotateMasterKey(${JSON.stringify(folder)}, null, (step) => {
      if (step === ${JSON.stringify(step)}) process.kill(process.pid, "SIGKILL");
    });`;
  const ended = await run(["--input-type=module", "-e", script]);
  assert.match(ended, /^SIGKILL/, ended);
}

const rotate = (folder: string, killAfterMs: number | null = null): Promise<string> =>
  run([PROGRAM, "keys", "rotate", "--data-dir", folder], killAfterMs);

class Keys {
  readonly #exchange: ExchangeProcess;
  readonly #uid: number;
  readonly all: Credentials[] = [];

  constructor(exchange: ExchangeProcess, uid: number) {
    this.#exchange = exchange;
    this.#uid = uid;
  }

  async make(): Promise<void> {
    this.all.push(await issueKey(this.#exchange, this.#uid));
  }

  /** The exchange runs: every key signs, and none with another passphrase. */
  async check(when: string): Promise<void> {
    for (const [index, credentials] of this.all.entries()) {
      const client = new SignedClient(this.#exchange.port, credentials);
      const answer = await client.get("/api/v3/account/");
      assert.equal(answer.status, 200, `key ${index} ${when}: ${answer.text}`);
      client.close();
      const guess = { ...credentials, passphrase: "wrong-passphrase" };
      const stranger = new SignedClient(this.#exchange.port, guess);
      const refused = await stranger.get("/api/v3/account/");
      assert.equal((refused.body as { code: number }).code, -1049, refused.text);
      stranger.close();
    }
  }
}

test("kill -9 at each step of a rotation of the master key", async (t) => {
  const env = { RIALTO_OPERATOR_TOKEN: TOKEN };
  const exchange = await ExchangeProcess.start({ sandbox: false, env, operatorToken: TOKEN });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const keys = new Keys(exchange, await registerUser(exchange));
  const folder = exchange.dataFolder;
  const master = join(folder, "master.key");
  const versions = (): string[] =>
    readFileSync(master, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" ", 1)[0] ?? "");
  await keys.make();
  const busy = await rotate(folder);
  assert.match(busy, /^1 .*(in use|running|another process)/i, "an exchange is running");
  for (const step of STEPS) {
    await t.test(`killed once it is ${step}`, async () => {
      await exchange.kill("SIGKILL");
      await rotateAndDieAfter(folder, step);
      await exchange.restart();
      await keys.check(`after ${step}`);
      await keys.make();
    });
  }
  await t.test("killed at random, then whole", async (t) => {
    for (let i = 0; i < RANDOM_KILLS; i++) {
      await exchange.kill("SIGKILL");
      t.diagnostic((await rotate(folder, random.integer(100, 900))).split("\n", 1)[0] ?? "");
      await exchange.restart();
      await keys.check("after a random kill");
    }
    await exchange.kill("SIGKILL");
    const old = join(folder, "old-master.key");
    copyFileSync(master, old);
    const before = versions();
    assert.match(await rotate(folder), /^0 .*API keys are sealed with version/s);
    assert.equal(versions().length, 1, "the new one alone");
    assert.ok(!before.includes(versions()[0] ?? ""));
    const whole = readFileSync(master);
    await exchange.restart();
    await keys.check("after a whole rotation");
    await keys.make();
    await keys.check("with a new key");

    // The old one opens nothing any more: the exchange does not start with it.
    await exchange.kill("SIGKILL");
    writeFileSync(master, readFileSync(old));
    await assert.rejects(exchange.restart(), /master key/);
    writeFileSync(master, whole);
    await exchange.restart();
    await keys.check("with the new master key again");
  });
});
