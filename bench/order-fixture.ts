/**
 * An exchange in a separate process with one market and funded users, and orders for it that are
 * signed before they are sent.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PATH = "/api/v2/trade/orders";

export interface Ready {
  readonly port: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
}

interface Key {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ready: Ready;
}

export async function startProcess(args: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) return { child, ready: JSON.parse(line) as Ready };
  throw new Error(`${args[0]} ended before it was ready`);
}

export async function endProcess(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

/** An exchange that accepts orders for BTCUSDT. */
export class OrderFixture {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #keys: readonly Key[];
  readonly ready: Ready;
  #orders = 0;

  private constructor({ child, ready }: Started, folder: string, keys: readonly Key[]) {
    this.#child = child;
    this.#folder = folder;
    this.#keys = keys;
    this.ready = ready;
  }

  static async start(): Promise<OrderFixture> {
    const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
    const exchange = await startProcess([
      join(import.meta.dirname, "../rialto.mjs"),
      "start",
      ...["--port", "0", "--operator-port", "0", "--profile", "empty", "--sandbox"],
      ...["--rate-limits", "off", "--log-level", "warn", "--data-dir", folder],
    ]);
    return new OrderFixture(exchange, folder, await setUp(exchange.ready));
  }

  async stop(): Promise<void> {
    await endProcess(this.#child);
    rmSync(this.#folder, { recursive: true });
  }

  /** The request of one order; users are numbered from 0 on. */
  signedOrder(user: number, order: object): Buffer {
    const body = JSON.stringify({ ...order, clientOrderId: `bench-${this.#orders++}` });
    return signedRequest(this.#keys[user] as Key, body);
  }

  /** Small orders around one price: about half of them trade, and the book stays shallow. */
  makeRequests(count: number): Buffer[] {
    return Array.from({ length: count }, () => {
      const id = this.#orders++;
      const buys = id % 2 === 0;
      const body = JSON.stringify({
        symbol: "BTCUSDT",
        side: buys ? "buy" : "sell",
        orderType: "limit",
        force: "normal",
        price: buys ? "50000.01" : "50000",
        quantity: "0.001",
        clientOrderId: `bench-${id}`,
      });
      return signedRequest(this.#keys[id % this.#keys.length] as Key, body);
    });
  }
}

function signedRequest({ apiKey, secret, passphrase }: Key, body: string): Buffer {
  const timestamp = String(Date.now());
  const sign = createHmac("sha256", secret)
    .update(`${timestamp}POST${PATH}${body}`)
    .digest("base64");
  return Buffer.from(
    `POST ${PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
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
