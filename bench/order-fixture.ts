/**
 * An exchange in a separate process with one market and funded users, and orders for it that are
 * signed before they are sent.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import {
  gauge,
  HAS_PROC,
  programOf,
  readThreadTimes,
  type ThreadTimes,
  threadTimesOf,
} from "./thread-times.ts";

const STARTER = join(import.meta.dirname, "../rialto.mjs");
const PATH = "/api/v2/trade/orders";
const READ_PATH = "/api/v3/account";
const HISTORY_CHECK_MS = 50;
const LADDER_FROM = 50_001;
/** BTC for the orders that rest below a ladder. */
const SWEEP_BEYOND = 2;
/** What a session of the trading socket signs after its timestamp. */
const LOGON = "GET/v3/ws/api";

export interface Ready {
  readonly port: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
}

/** A credential of the API. */
interface Key {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

interface OrderTerms {
  readonly side: "buy" | "sell";
  readonly price: string;
  readonly quantity: string;
  readonly force: "normal" | "ioc";
}

export interface Started {
  readonly child: ChildProcess;
  readonly ready: Ready;
}

export async function startProcess(args: readonly string[]): Promise<Started> {
  // Only sandboxes show their token, and they do more work for each request: they log them.
  const operatorToken = randomBytes(32).toString("hex");
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    env: { ...process.env, RIALTO_OPERATOR_TOKEN: operatorToken },
  });
  const lines = createInterface({ input: child.stdout as Readable });
  for await (const line of lines) {
    return { child, ready: { ...(JSON.parse(line) as Ready), operatorToken } };
  }
  throw new Error(`${args[0]} ended before it was ready`);
}

export async function endProcess(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

let knownFlags: string | null = null;

/** Whether the exchange can run gateways on threads of their own. */
export function hasGateways(): boolean {
  knownFlags ??= spawnSync(process.execPath, [STARTER, "start", "--help"], {
    encoding: "utf8",
  }).stdout;
  return knownFlags.includes("--gateways ");
}

/** The figures of an exchange at one moment. */
export interface ProcessFigures {
  readonly threads: ThreadTimes;
  /** The page of metrics. */
  readonly metrics: string;
}

/** An exchange that accepts orders for BTCUSDT. */
export class OrderFixture {
  readonly #pid: number;
  readonly #keys: readonly Key[];
  readonly #end: () => Promise<void>;
  readonly ready: Ready;
  #orders = 0;
  #logonMs = 0;

  private constructor(pid: number, ready: Ready, keys: readonly Key[], end: () => Promise<void>) {
    this.#pid = pid;
    this.#keys = keys;
    this.#end = end;
    this.ready = ready;
  }

  /** With this many gateway threads; with 0 one thread does everything. */
  static async start(gateways = 0): Promise<OrderFixture> {
    const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
    const exchange = await startProcess([
      STARTER,
      "start",
      ...["--port", "0", "--operator-port", "0", "--profile", "empty"],
      ...["--rate-limits", "off", "--log-level", "warn", "--data-dir", folder],
      ...(hasGateways() ? ["--gateways", String(gateways)] : []),
    ]);
    const { child, ready } = exchange;
    const pid = HAS_PROC ? programOf(child.pid as number) : 0;
    return new OrderFixture(pid, ready, await setUp(ready), async () => {
      await endProcess(child);
      rmSync(folder, { recursive: true });
    });
  }

  /** Of an exchange that runs, and that somebody else stops. */
  static async of(ready: Ready & { readonly pid: number }): Promise<OrderFixture> {
    return new OrderFixture(ready.pid, ready, await setUp(ready), () => Promise.resolve());
  }

  stop(): Promise<void> {
    return this.#end();
  }

  async figures(): Promise<ProcessFigures> {
    const authorization = `Bearer ${this.ready.operatorToken}`;
    const url = `http://127.0.0.1:${this.ready.operatorPort}/metrics`;
    const metrics = await (await fetch(url, { headers: { authorization } })).text();
    const threads = HAS_PROC
      ? readThreadTimes(this.#pid, "engine")
      : threadTimesOf(metrics, "engine");
    return { threads, metrics };
  }

  /** Waits until the history has everything. */
  async settled(): Promise<void> {
    while (gauge((await this.figures()).metrics, "rialto_history_backlog_bytes") > 0) {
      await setTimeout(HISTORY_CHECK_MS);
    }
  }

  /** Small orders around one price: about half of them trade, and the book stays shallow. */
  makeRequests(count: number): Buffer[] {
    return Array.from({ length: count }, () => {
      const side = this.#orders % 2 === 0 ? "buy" : "sell";
      const price = side === "buy" ? "50000.01" : "50000";
      return this.#request({ side, price, quantity: "0.001", force: "normal" });
    });
  }

  /** Signed reads of one balance after the other. */
  makeReads(count: number): Buffer[] {
    return Array.from({ length: count }, (_, index) => {
      return signedRequest(this.#keys[index % this.#keys.length] as Key, "", "GET", READ_PATH);
    });
  }

  /** So many sell orders of one user, each at a price of its own above those orders. */
  makeLadder(count: number): Buffer[] {
    return Array.from({ length: count }, (_, step) => {
      const price = (LADDER_FROM + step / 100).toFixed(2);
      return this.#request({ side: "sell", price, quantity: "0.001", force: "normal" }, 0);
    });
  }

  /** One order of another user, who buys like its neighbours, that fills a ladder and all below. */
  makeSweep(count: number): Buffer {
    const price = (LADDER_FROM + count / 100).toFixed(2);
    const quantity = (count / 1_000 + SWEEP_BEYOND).toFixed(3);
    return this.#request({ side: "buy", price, quantity, force: "ioc" }, 2);
  }

  /** Signed by this user, or by one after the other. */
  #request(terms: OrderTerms, user = this.#orders): Buffer {
    const clientOrderId = `bench-${this.#orders++}`;
    const order = { symbol: "BTCUSDT", orderType: "limit", ...terms, clientOrderId };
    const key = this.#keys[user % this.#keys.length] as Key;
    return signedRequest(key, JSON.stringify(order));
  }

  /** The same orders as messages of the trading socket; their ids are their indexes. */
  makeMessages(count: number): string[] {
    return Array.from({ length: count }, (_, index) => {
      const id = this.#orders++;
      const buys = id % 2 === 0;
      const params = {
        symbol: "BTCUSDT",
        side: buys ? "BUY" : "SELL",
        type: "LIMIT",
        timeInForce: "GTC",
        price: buys ? "50000.01" : "50000",
        quantity: "0.001",
        newClientOrderId: `bench-${id}`,
      };
      return JSON.stringify({ id: index, method: "order.place", params });
    });
  }

  /** The first message of a socket, of one user after the other. */
  makeLogon(socket: number): string {
    const { apiKey, secret, passphrase } = this.#keys[socket % this.#keys.length] as Key;
    // A signature is good for one logon, so no two of them have the same time.
    this.#logonMs = Math.max(Date.now(), this.#logonMs + 1);
    const timestamp = String(this.#logonMs);
    const signature = createHmac("sha256", secret).update(`${timestamp}${LOGON}`).digest("base64");
    const params = { apiKey, passphrase, timestamp, signature };
    return JSON.stringify({ id: "logon", method: "session.logon", params });
  }
}

function signedRequest(
  { apiKey, secret, passphrase }: Key,
  body: string,
  method = "POST",
  path = PATH,
): Buffer {
  const timestamp = String(Date.now());
  const sign = createHmac("sha256", secret)
    .update(`${timestamp}${method}${path}${body}`)
    .digest("base64");
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `ACCESS-KEY: ${apiKey}\r\nACCESS-SIGN: ${sign}\r\nACCESS-TIMESTAMP: ${timestamp}\r\n` +
      `ACCESS-PASSPHRASE: ${passphrase}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

/** One market and eight funded users with keys. */
async function setUp({ operatorPort, operatorToken }: Ready): Promise<Key[]> {
  const call = async (method: string, path: string, body: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${operatorPort}/operator/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${operatorToken}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  await call("PUT", "markets/spot/BTCUSDT", {
    baseAsset: "BTC",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.00001",
    minTradeAmount: "0.00001",
    maxTradeAmount: "1000",
    minNotional: "1",
    maxOpenOrders: 100_000,
  });
  const keys: Key[] = [];
  for (let uid = 1; uid <= 8; uid++) {
    await call("POST", "users", { uid });
    await call("POST", `users/${uid}/deposits`, deposit("USDT", "1000000000"));
    await call("POST", `users/${uid}/deposits`, deposit("BTC", "100000"));
    const key = { permissions: ["spot"], passphrase: "bench" };
    keys.push((await call("POST", `users/${uid}/api-keys`, key)) as Key);
  }
  return keys;
}

function deposit(asset: string, amount: string): object {
  return { id: asset, account: "spot", asset, amount };
}
