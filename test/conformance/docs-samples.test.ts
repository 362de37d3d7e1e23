/**
 * Proves the programs of the reference: every sample of every call runs as it is printed, in curl,
 * JavaScript and Python, against a real exchange, which lets its signature in and reads its
 * parameters; and every sample of a channel subscribes, and prints what the exchange confirms.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { CHANNEL_PAGES } from "../../build/docs/channels.ts";
import { callSamples, channelSamples, type Sample } from "../../build/docs/samples.ts";
import { examplesOf } from "../../src/api/reference/examples.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { BTC_CONTRACT } from "../support/contract-setup.ts";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { BTCUSDT, ETHUSDT, issueKey } from "../support/exchange-setup.ts";
import { lacking } from "../support/tools.ts";

const run = promisify(execFile);
const UIDS = [1001, 1002, 1003, 1004];
const PERMISSIONS = ["read", "spot", "contract", "affiliate", "withdraw", "keys"] as const;
const TIMEOUT_MS = 300_000;
const CHANNELS_AT_ONCE = 4;

type Language = Sample["language"];
const ENDINGS: Readonly<Record<Language, string>> = { curl: "sh", javascript: "mjs", python: "py" };

/** Each runs all files of a folder in one process, one by one, and writes what they print. */
const RUNNERS: Readonly<Record<Language, { readonly command: string; readonly source: string }>> = {
  curl: {
    command: "bash",
    source: 'for file in *.sh; do ( . "./$file" ) > "$file.out" 2> /dev/null; done',
  },
  javascript: {
    command: process.execPath,
    source: `import { readdirSync, writeFileSync } from "node:fs";
for (const file of readdirSync(".").filter((name) => name.endsWith(".mjs") && name !== "run.mjs")) {
  const lines = [];
  console.log = (...parts) => lines.push(parts.join(" "));
  await import("./" + file).catch((error) => lines.push(String(error.stack)));
  writeFileSync(file + ".out", lines.join("\\n"));
}`,
  },
  python: {
    command: "python3",
    source: `import contextlib, glob, io, traceback
for file in glob.glob("*.py"):
    if file == "run.py":
        continue
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(compile(open(file).read(), file, "exec"), {"__name__": "__main__"})
        except Exception:
            print(traceback.format_exc())
    open(file + ".out", "w").write(out.getvalue())`,
  },
};

/**
 * The samples name orders, positions and users of the recorded session, which this exchange lacks:
 * such a refusal comes after the signature and the parameters were read. Any other one is wrong.
 */
const NOT_HERE =
  /does not exist|^Unknown (withdrawal|user|commission|API key)|more than can be closed|isolated/;

let exchange: ExchangeProcess;
let environment: NodeJS.ProcessEnv;

before(async () => {
  exchange = await ExchangeProcess.start({ rateLimits: "off" });
  const operate = (method: string, path: string, body: object) =>
    exchange.operator.call(method, `/operator/v1/${path}`, body);
  await operate("PUT", "assets/ETH", { coinId: 3, name: "Ether", scale: 8 });
  await operate("PUT", "markets/spot/BTCUSDT", BTCUSDT);
  await operate("PUT", "markets/spot/ETHUSDT", ETHUSDT);
  const ether = { ...BTC_CONTRACT, baseAsset: "ETH", tickSize: "0.01", stepSize: "0.01" };
  await operate("PUT", "markets/contract/BTCUSDT", BTC_CONTRACT);
  await operate("PUT", "markets/contract/ETHUSDT", ether);
  await operate("PUT", "index-prices/BTCUSDT", { price: "60000" });
  await operate("PUT", "index-prices/ETHUSDT", { price: "3000" });
  for (const uid of UIDS) await operate("POST", "users", { uid });
  await operate("PUT", "affiliates/1001", { spotRate: "0.4", futuresRate: "0.5" });
  for (const account of ["spot", "contract"]) {
    const funds = { id: `funds-${account}`, account, asset: "USDT", amount: "500000" };
    await operate("POST", "users/1001/deposits", funds);
  }
  const { apiKey, secret, passphrase } = await issueKey(exchange, 1001, [...PERMISSIONS]);
  const { npm_lifecycle_event: _npm, NODE_TEST_CONTEXT: _runner, ...outside } = process.env;
  environment = {
    ...outside,
    RIALTO_URL: exchange.baseUrl,
    RIALTO_API_KEY: apiKey,
    RIALTO_SECRET: secret,
    RIALTO_PASSPHRASE: passphrase,
    PYTHONDONTWRITEBYTECODE: "1",
  };
});

after(() => exchange.stop());

/** What each call's sample printed, by the call's id. */
async function runAll(language: Language): Promise<ReadonlyMap<string, string>> {
  const folder = join(temporaryFolder(), language);
  mkdirSync(folder);
  const ending = ENDINGS[language];
  for (const route of ROUTES) {
    const samples = callSamples(route, examplesOf(route)[0]);
    const sample = samples.find((one) => one.language === language);
    assert.ok(sample !== undefined, route.id);
    writeFileSync(join(folder, `${route.id}.${ending}`), sample.source);
  }
  const { command, source } = RUNNERS[language];
  const runner = join(folder, language === "curl" ? "run.bash" : `run.${ending}`);
  writeFileSync(runner, source);
  await run(command, [runner], { cwd: folder, env: environment, timeout: TIMEOUT_MS });
  return new Map(
    ROUTES.map(({ id }) => [id, readFileSync(join(folder, `${id}.${ending}.out`), "utf8")]),
  );
}

/** Whether it succeeded; fails unless it did or asked for what is not here. */
function hasSucceeded(id: string, printed: string): boolean {
  const answer = printed.replace(/^\d{3} /, "").trim();
  const what = `${id}: ${printed.slice(0, 500)}`;
  assert.notEqual(answer, "", what);
  // Statements are text.
  if (!/^[[{"]/.test(answer)) {
    assert.match(answer, /^(rialto|#|\d)/, what);
    return true;
  }
  const { code = "00000", msg = "" } = JSON.parse(answer) as {
    readonly code?: string | number;
    readonly msg?: string;
  };
  if (["00000", "200"].includes(String(code))) return true;
  assert.match(msg, NOT_HERE, what);
  return false;
}

for (const [language, needs] of [
  ["curl", ["bash", "curl", "openssl", "base64"]],
  ["javascript", []],
  ["python", ["python3"]],
] as const) {
  test(`every call's sample in ${language} runs`, { skip: lacking(...needs) }, async (t) => {
    const printed = await runAll(language);
    const succeeded = [...printed].filter(([id, text]) => hasSucceeded(id, text)).length;
    t.diagnostic(`${succeeded} of ${printed.size} succeeded`);
    // Most need nothing but an account.
    assert.ok(succeeded > ROUTES.length / 2, String(succeeded));
  });
}

/** Resolves when it printed the confirmation, and stops it. */
async function follow(command: string, path: string): Promise<string> {
  const child: ChildProcess = spawn(command, [path], { env: environment, timeout: TIMEOUT_MS });
  let text = "";
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const confirmed = new Promise<void>((resolve) => {
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString("utf8");
      if (/"result":/.test(text)) resolve();
    });
    child.stderr?.on("data", (data: Buffer) => {
      text += data.toString("utf8");
    });
  });
  await Promise.race([confirmed, ended]);
  child.kill();
  await ended;
  return text;
}

for (const language of ["javascript", "python"] as const) {
  const needs = language === "python" ? ["python3"] : [];
  test(`every channel's sample in ${language} subscribes`, {
    skip: lacking(...needs),
  }, async () => {
    const folder = temporaryFolder();
    const { command } = RUNNERS[language];
    const channels = CHANNEL_PAGES.flatMap((page) =>
      page.channels.map((channel) => ({ channel, name: `${page.slug}-${channel.id}` })),
    );
    assert.ok(channels.length > 15);
    for (let at = 0; at < channels.length; at += CHANNELS_AT_ONCE) {
      const few = channels.slice(at, at + CHANNELS_AT_ONCE);
      await Promise.all(
        few.map(async ({ channel, name }) => {
          const sample = channelSamples(channel).find((one) => one.language === language);
          const path = join(folder, `${name}.${ENDINGS[language]}`);
          writeFileSync(path, sample?.source ?? "");
          const text = await follow(command, path);
          assert.match(text, /"result":true/, `${name}: ${text}`);
        }),
      );
    }
  });
}
