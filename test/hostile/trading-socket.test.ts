/**
 * Proves of the trading WebSocket what the suites beside it prove of HTTP. Nobody uses a method
 * without the right to it: every method × every way in which a logon can be wrong, every kind of
 * key, and another account's orders. And no message makes the server fail: the messages of every
 * method are broken in every way, each gets one answer with a code and status of the registry, none
 * a 5xx, and the state is the same to the last bit afterwards.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ERRORS } from "../../src/api/errors.ts";
import { BTC_CONTRACT, listContract, setIndex } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
  type Permission,
} from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import type { Credentials } from "../support/signed-client.ts";
import { contractOrder, openTrader, spotOrder } from "../support/socket-accounts.ts";
import {
  type LogonParams,
  logonParams,
  nextTimestamp,
  type SocketAnswer,
  TradingSocket,
} from "../support/trading-socket.ts";
import { BODY_TEXTS, TEXTS, VALUES } from "./mutations.ts";
import { allSocketCases, ORDER_METHODS, type SocketCase, withOrderIds } from "./socket-requests.ts";

const CASES = allSocketCases();
const PUBLIC = new Set(["time", "ping"]);
/** Behind the next second and minute of a changed book or index, nothing changes by time alone. */
const SETTLED_MS = 121_000;
const NO_ORDER = 987_654_321;
const MESSAGES = scaled(6_000, 100_000);
const random = seededRandom("hostile/trading-socket");

/** Of the registry, for the family of the method. */
function assertDocumented({ status, error }: SocketAnswer, family: "v3" | "capi"): void {
  if (error === undefined) {
    assert.equal(status, 200);
    return;
  }
  const known = Object.values(ERRORS).some(
    (entry) => entry[family].code === error.code && entry[family].status === status,
  );
  assert.ok(known, `${status} ${error.code} is not of the registry`);
  assert.equal(typeof error.msg, "string");
  assert.ok(status < 500, `${status} ${error.msg}`);
}

const familyOf = ({ method }: SocketCase) => (method.route.family === "capi" ? "capi" : "v3");

interface Fixture {
  readonly exchange: ExchangeProcess;
  /** With every permission, and without funds. */
  readonly user: Account;
}

async function openFixture(t: TestContext): Promise<Fixture> {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listContract(exchange, "BTCUSDT", BTC_CONTRACT);
  await setIndex(exchange, "BTCUSDT", "30000");
  const opened = await openAccount(exchange);
  const credentials = await issueKey(exchange, opened.uid, ["read", "spot", "contract"]);
  await exchange.operator.advanceClock(SETTLED_MS);
  return { exchange, user: { ...opened, credentials } };
}

type WrongLogon = readonly [what: string, logon: object, code: number];

async function wrongLogons({ exchange, user }: Fixture): Promise<readonly WrongLogon[]> {
  const { credentials, uid } = user;
  const revoked = await issueKey(exchange, uid, ["spot", "contract"]);
  await exchange.operator.call("DELETE", `/operator/v1/api-keys/${revoked.apiKey}`);
  const elsewhere = await issueKey(exchange, uid, ["spot", "contract"], ["198.51.100.0/24"]);
  const logon = (change: Partial<Credentials> = {}, timestamp?: string): LogonParams =>
    logonParams({ ...credentials, ...change }, timestamp);
  const at = (offsetMs: number): string => String(Date.now() + offsetMs);
  return [
    ["no apiKey", { ...logon(), apiKey: undefined }, -1040],
    ["no signature", { ...logon(), signature: "" }, -1041],
    ["no timestamp", { ...logon(), timestamp: null }, -1042],
    ["no passphrase", { ...logon(), passphrase: undefined }, -1048],
    ["a timestamp in seconds", logon({}, "1700000000"), -1043],
    ["a stale timestamp", logon({}, at(-31_000)), -1046],
    ["an unknown key", logon({ apiKey: `rialto_${"0".repeat(32)}` }), -1044],
    ["a revoked key", logonParams(revoked), -1044],
    ["another secret", logon({ secret: "not-the-secret" }), -1047],
    ["another moment", { ...logon({}, at(-1_000)), timestamp: nextTimestamp() }, -1047],
    ["another passphrase", logon({ passphrase: "guess" }), -1049],
    ["another address", logonParams(elsewhere), -1056],
  ];
}

test("no method is open without a logon that is right", async (t) => {
  const fixture = await openFixture(t);
  const { exchange } = fixture;
  const before = await exchange.operator.stateHash();
  const wrong = await wrongLogons(fixture);
  const settled = await exchange.operator.stateHash();
  for (const [what, logon, code] of wrong) {
    const client = await TradingSocket.open(exchange.port);
    const refused = await client.ask("session.logon", logon);
    assert.equal(refused.error?.code, code, `${what}: ${refused.error?.msg}`);
    assertDocumented(refused, "v3");
    for (const { method, params } of CASES) {
      const answer = await client.ask(method.name, params);
      const expected = PUBLIC.has(method.name) ? undefined : -1040;
      assert.equal(answer.error?.code, expected, `${what}, ${method.name}`);
    }
    await client.close();
  }
  assert.notEqual(settled, before, "keys are part of the state");
  assert.equal(await exchange.operator.stateHash(), settled);
});

test("a key opens what it has the permission for", async (t) => {
  const { exchange, user } = await openFixture(t);
  const kinds: readonly (readonly Permission[])[] = [
    ["read"],
    ["spot"],
    ["contract"],
    ["affiliate"],
    ["spot", "contract"],
    ["read", "contract"],
  ];
  for (const permissions of kinds) {
    const key = await issueKey(exchange, user.uid, permissions);
    const client = await TradingSocket.open(exchange.port, key);
    for (const { method, params } of CASES) {
      const { error } = await client.ask(method.name, params);
      const isContract = method.name.startsWith("contract.");
      const isRead = method.name.endsWith(".status");
      const isOpen =
        PUBLIC.has(method.name) ||
        permissions.includes(isContract ? "contract" : "spot") ||
        (isRead && permissions.includes("read"));
      assert.equal(error?.code === -1052, !isOpen, `${permissions}, ${method.name}: ${error?.msg}`);
    }
    await client.close();
  }
});

test("another account's order is no order", async (t) => {
  const { exchange } = await openFixture(t);
  const [owner, stranger] = [await openTrader(exchange), await openTrader(exchange)];
  const mine = await TradingSocket.open(exchange.port, owner.credentials);
  const theirs = await TradingSocket.open(exchange.port, stranger.credentials);
  for (const prefix of ["", "contract."]) {
    const order = prefix === "" ? spotOrder() : contractOrder({ price: "29000" });
    type Placed = { readonly orderId: number };
    const { orderId } = await mine.result<Placed>(`${prefix}order.place`, order);
    for (const method of ORDER_METHODS) {
      const none = withOrderIds(method, NO_ORDER, "no-such-order");
      const ids = withOrderIds(method, Number(orderId), order.newClientOrderId);
      for (const [index, params] of ids.entries()) {
        const { status, error } = await theirs.ask(`${prefix}${method}`, params);
        const nothing = await theirs.ask(`${prefix}${method}`, none[index]);
        assert.deepEqual({ status, error }, { status: nothing.status, error: nothing.error });
        assert.equal(error?.code, prefix === "" ? -2200 : -3200);
      }
    }
    const open = `${prefix}openOrders.status`;
    assert.deepEqual(await theirs.result(open), []);
    assert.equal((await mine.result<unknown[]>(open)).length, 1);
  }
  await Promise.all([mine.close(), theirs.close()]);
});

/** A message that is broken, and whether no reader may accept it. */
interface Broken {
  readonly text: string;
  /** What its answer has to repeat; null where the id cannot be read. */
  readonly id: unknown;
}

const ODD_IDS: readonly unknown[] = [null, true, 1.5, 2 ** 53, "", "x".repeat(65), {}, [1]];

function brokenMessage({ method, params }: SocketCase, dice: Random, id: number): Broken {
  const fields: Record<string, unknown> = structuredClone(params) as Record<string, unknown>;
  const names = Object.keys(fields);
  const name = names.length === 0 ? "symbol" : dice.pick(names);
  const message = (change: object): Broken => {
    return { id, text: JSON.stringify({ id, method: method.name, params: fields, ...change }) };
  };
  switch (dice.integer(0, 8)) {
    case 0:
      delete fields[name];
      return message({});
    case 1:
      fields[name] = dice.pick(TEXTS);
      return message({});
    case 2:
      fields[name] = dice.pick(VALUES);
      return message({});
    case 3: {
      const list = Object.values(fields).find((value) => Array.isArray(value)) as unknown[];
      const item = (list?.[0] ?? fields) as Record<string, unknown>;
      item[dice.pick(Object.keys(item).concat("symbol"))] = dice.pick([...TEXTS, ...VALUES]);
      while (list !== undefined && dice.chance(0.7)) list.push(structuredClone(item));
      return message({});
    }
    case 4:
      return message({ params: dice.pick(VALUES) });
    case 5:
      return message({ method: dice.pick([...TEXTS, ...VALUES, `${method.name} `, "contract."]) });
    case 6:
      return message({ [`extra${dice.integer(0, 9)}`]: dice.pick(VALUES) });
    case 7: {
      const odd = dice.pick(ODD_IDS);
      return { ...message({ id: odd }), id: null };
    }
    default: {
      const text = dice.pick(BODY_TEXTS)(message({}).text, dice);
      // Frames are UTF-8, and at most 16 KiB; what is not ends the connection, see the frames.
      const isFrame = typeof text === "string" && text.length < 16_000;
      return { id: null, text: isFrame ? text : "{" };
    }
  }
}

test(`${MESSAGES} broken messages`, async (t) => {
  const { exchange, user } = await openFixture(t);
  const client = await TradingSocket.open(exchange.port, user.credentials);
  await t.test("unbroken they are well formed", async () => {
    for (const entry of CASES) {
      const answer = await client.ask(entry.method.name, entry.params);
      assertDocumented(answer, familyOf(entry));
      const code = String(answer.error?.code ?? "success");
      assert.match(code, /^(success|-2201|-2200|-3200|-3201|-1054)$/, JSON.stringify(answer));
    }
  });
  const before = await exchange.operator.stateHash();
  const codes = new Map<string, number>();
  for (let sent = 0; sent < MESSAGES; sent++) {
    const entry = CASES[sent % CASES.length] as SocketCase;
    const broken = brokenMessage(entry, random, 1_000_000 + sent);
    const answer = await client.answerTo(broken.text, broken.id);
    try {
      assertDocumented(answer, familyOf(entry));
    } catch (error) {
      // Before a method is known there is no family but the first.
      assertDocumented(answer, "v3");
      assert.ok(answer.id === null || answer.error?.code !== undefined, String(error));
    }
    const code = String(answer.error?.code ?? "success");
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  t.diagnostic([...codes].map(([code, count]) => `${code}: ${count}`).join(", "));
  assert.equal(await exchange.operator.stateHash(), before, "the state changed");
  assert.ok((codes.get("success") ?? 0) < MESSAGES / 2, "most were not broken at all");
  assert.equal(client.answers.length, new Set(client.answers).size);
  await client.close();
});
