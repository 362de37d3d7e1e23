/**
 * Proves that docs/reference/websocket-trading.md has every method with the call that it is, and
 * that its examples are what the exchange answers: the session is played to a process whose clock
 * stands still, and every method is in it. With RIALTO_WRITE_EXAMPLES=1 the page is written anew.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { table } from "../../src/api/reference/markdown.ts";
import { SESSION_METHODS, SOCKET_PATH } from "../../src/api/socket-calls.ts";
import { SOCKET_METHODS, type SocketMethod } from "../../src/api/socket-routes.ts";
import { depositContract } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey } from "../support/exchange-setup.ts";
import { listBothProducts } from "../support/socket-accounts.ts";
import { logonParams, type SocketAnswer, TradingSocket } from "../support/trading-socket.ts";

const FILE = join(import.meta.dirname, "../../docs/reference/websocket-trading.md");
const MARK = "<!-- What follows is recorded from a running exchange. -->\n";
const WRITE =
  "RIALTO_WRITE_EXAMPLES=1 npm test -- test/conformance/trading-socket-reference.test.ts";
/** 2026-01-05 09:30:00 UTC. */
const WALL_MS = 1_767_605_400_000;
/** Runs first in the exchange's process. */
const STOP_CLOCK = `--import=data:text/javascript,Date.now=()=>${WALL_MS}`;
const UID = 1001;

function limitText({ limit }: SocketMethod["route"]): string {
  return limit.kind === "rate" ? `${limit.perSecond} a second` : `${limit.ip}/${limit.uid}`;
}

function methodRow({ name, route }: SocketMethod): readonly string[] {
  const call = route.path === SOCKET_PATH ? "WebSocket only" : `\`${route.method} ${route.path}\``;
  const permission = route.access?.anyOf.map((one) => `\`${one}\``).join(" or ") ?? "none";
  return [`\`${name}\``, call, limitText(route), permission];
}

function methodTable(): string {
  const session = SESSION_METHODS.map((name) => [`\`${name}\``, "", "", "none"]);
  const rows = [...session, ...SOCKET_METHODS.map(methodRow)];
  return table(["Method", "Call", "Limit (IP/UID)", "Permission"], rows);
}

const BUY = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", price: "60000", quantity: "0.01" };
const LONG = { ...BUY, positionSide: "LONG", timeInForce: "GTC" };
const SELF = { origClientOrderId: "bot-1" };
const CONTRACT = { origClientOrderId: "bot-9" };

type Shown = readonly [title: string, method: string, params?: object];

const SPOT: readonly Shown[] = [
  ["Exchange time", "time"],
  ["Ping", "ping"],
  ["Place an order", "order.place", { ...BUY, newClientOrderId: "bot-1" }],
  ["A retry", "order.place", { ...BUY, newClientOrderId: "bot-1" }],
  ["An order without an id", "order.place", BUY],
  ["Test an order", "order.test", { ...BUY, newClientOrderId: "bot-2" }],
  ["One order", "order.status", SELF],
  ["Amend an order", "order.amend", { ...SELF, quantity: "0.005" }],
  [
    "Place several orders",
    "orders.place",
    {
      orders: [
        { ...BUY, newClientOrderId: "bot-3" },
        { ...BUY, price: "60000.001", newClientOrderId: "bot-4" },
      ],
    },
  ],
  ["Open orders", "openOrders.status", { symbol: "BTCUSDT" }],
  ["Dead-man switch", "openOrders.cancelAllAfter", { countdownMs: 30_000 }],
  ["Cancel an order", "order.cancel", SELF],
  ["An order that is no longer open", "order.cancel", SELF],
  ["Cancel all orders of a market", "openOrders.cancelAll", { symbol: "BTCUSDT" }],
  ["Balances", "account.status"],
];

const CONTRACTS: readonly Shown[] = [
  ["Place a contract order", "contract.order.place", { ...LONG, newClientOrderId: "bot-9" }],
  ["Test a contract order", "contract.order.test", { ...LONG, newClientOrderId: "bot-10" }],
  ["One contract order", "contract.order.status", CONTRACT],
  ["Amend a contract order", "contract.order.amend", { ...CONTRACT, price: "59000" }],
  [
    "Place several contract orders",
    "contract.orders.place",
    { batchOrders: [{ ...LONG, newClientOrderId: "bot-11" }] },
  ],
  ["Open contract orders", "contract.openOrders.status", { limit: 1 }],
  ["Dead-man switch of contracts", "contract.openOrders.cancelAllAfter", { countdownMs: 30_000 }],
  ["Cancel a contract order", "contract.order.cancel", CONTRACT],
  ["Cancel all contract orders", "contract.openOrders.cancelAll", { symbol: "BTCUSDT" }],
  ["Balances of the contract wallet", "contract.account.status"],
];

/** Plays messages and keeps them as the page shows them. */
class Session {
  readonly sections: string[] = [];
  readonly shown = new Set<string>();
  readonly #client: TradingSocket;
  /** What is drawn at random, and what the page has in its place. */
  readonly #pins: readonly (readonly [drawn: string, pinned: string])[];
  #nextId = 1;

  constructor(client: TradingSocket, pins: readonly (readonly [string, string])[]) {
    this.#client = client;
    this.#pins = pins;
  }

  async shows([title, method, params]: Shown): Promise<SocketAnswer> {
    const id = this.#nextId++;
    const message = { id, method, ...(params === undefined ? {} : { params }) };
    const answer = await this.showsText(title, JSON.stringify(message), id);
    if (answer.status === 200) this.shown.add(method);
    return answer;
  }

  async showsText(title: string, text: string, id: unknown): Promise<SocketAnswer> {
    const answer = await this.#client.answerTo(text, id);
    const code = [text, JSON.stringify(answer)].map((line) => this.#pinned(line)).join("\n");
    this.sections.push(`### ${title}\n\n\`\`\`json\n${code}\n\`\`\`\n`);
    return answer;
  }

  #pinned(text: string): string {
    return this.#pins.reduce((pinned, [drawn, put]) => pinned.replaceAll(drawn, put), text);
  }
}

async function openUser(exchange: ExchangeProcess): Promise<Account["credentials"]> {
  await exchange.operator.call("POST", "/operator/v1/users", { uid: UID });
  for (const [asset, amount] of Object.entries({ BTC: "1", USDT: "10000" })) {
    const body = { id: `spot-${asset}`, account: "spot", asset, amount };
    await exchange.operator.call("POST", `/operator/v1/users/${UID}/deposits`, body);
  }
  await depositContract(exchange, UID, "10000");
  return issueKey(exchange, UID, ["read", "spot", "contract"]);
}

async function playSession(exchange: ExchangeProcess): Promise<Session> {
  await listBothProducts(exchange);
  const key = await openUser(exchange);
  const logon = logonParams(key, String(WALL_MS));
  const client = await TradingSocket.open(exchange.port);
  const session = new Session(client, [
    [key.apiKey, "rialto_0123456789abcdef0123456789abcdef"],
    [logon.signature, "9pk2…="],
  ]);
  await session.shows(["Before the logon", "account.status"]);
  await session.shows(["Log on", "session.logon", logon]);
  await session.shows(["A logon works only once", "session.logon", logon]);
  await session.shows(["The session", "session.status"]);
  for (const shown of [...SPOT, ...CONTRACTS]) await session.shows(shown);
  await session.shows(["An unknown method", "order.list"]);
  await session.showsText("A message without an id", '{"method":"ping"}', null);
  await session.showsText("Text that is not JSON", "ping", null);
  await client.close();
  return session;
}

test("the page has every method and what the exchange answers", async (t) => {
  const exchange = await ExchangeProcess.start({ env: { NODE_OPTIONS: STOP_CLOCK } });
  t.after(() => exchange.stop());
  const session = await playSession(exchange);
  for (const { name } of SOCKET_METHODS) assert.ok(session.shown.has(name), `${name} is not shown`);
  const page = readFileSync(FILE, "utf8");
  const [written, ...rest] = page.split(MARK);
  assert.equal(rest.length, 1, `the page has the line ${MARK}`);
  const examples = session.sections.join("\n");
  const methods = `## Methods\n\n${methodTable()}`;
  const recorded = `${written}${MARK}\n${methods}\n\n## Examples\n\n${examples}`;
  if (process.env.RIALTO_WRITE_EXAMPLES === "1") writeFileSync(FILE, recorded);
  else assert.equal(page, recorded, `the page is not what is answered; if it is meant, ${WRITE}`);
});
