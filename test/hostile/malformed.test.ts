/**
 * Proves that no input makes the server fail: valid requests of every route are broken in one to
 * three places, signed anew and sent. Every answer is of its path's family with a code and status
 * of the registry, none is a 5xx, none is missing, and the state is the same to the last bit
 * afterwards. The signing account has no funds, so that even an accepted order would change nothing
 * unnoticed: what no reader may accept must be refused for its form, before funds are looked at.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { makeAffiliate, registerInvitee } from "../support/affiliate-setup.ts";
import { BTC_CONTRACT, listContract, setIndex } from "../support/contract-setup.ts";
import {
  assertDocumented,
  assertRegistryKeepsDesign,
  codeOf,
  familyOf,
} from "../support/documented-answers.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { signedHeaders } from "../support/signed-client.ts";
import { INVITEE_UID } from "./affiliate-requests.ts";
import { bodyOfDraft, type Draft, draftOf, mutate, targetOfDraft } from "./mutations.ts";
import { allRouteCases } from "./route-requests.ts";

const REQUESTS = scaled(20_000, 400_000);
const SENDERS = 12;
const SHOWN_FAILURES = 15;
/** Said only of requests that were read in full and found acceptable in form. */
const AFTER_FORM = new Set(["43012", "-2201", "-3201", "-3202"]);
/** What a well-formed request of an account without funds, orders and positions is told. */
const WITHOUT_FUNDS = /^(success|43001|43012|-2201|-2200|-3200|-3201|-3202|-1054)$/;
/** And of a commission, a withdrawal, an address or an asset, when there is none. */
const UNKNOWN_ID = /^(success|40034|-1142)$/;
/** Of a key that would have ended already. */
const OVER = /^-1140$/;
/** Behind the next second and minute of a changed book or index, nothing changes by time alone. */
const SETTLED_MS = 121_000;
/** A user has no more. */
const KEYS_MAX = 100;
const CASES = allRouteCases();
const WITH_BODY = CASES.filter(({ request }) => request.body !== null);
const random = seededRandom("hostile/malformed");

interface Tally {
  sent: number;
  succeeded: number;
  readonly codes: Map<string, number>;
  readonly failures: string[];
}

function describe(draft: Draft): string {
  const body = bodyOfDraft(draft);
  const shown = body === null ? "" : ` ${JSON.stringify(body.toString().slice(0, 300))}`;
  const target = targetOfDraft(draft).slice(0, 300);
  return `${draft.method} ${target}${shown} [${draft.contentType}] (${draft.done.join(", ")})`;
}

function judge(draft: Draft, answer: HttpAnswer): void {
  assertDocumented(answer, familyOf(draft.path));
  assert.match(String(answer.headers["x-used-weight-10s"]), /^\d+$/, "no X-USED-WEIGHT-10S");
  const code = codeOf(answer);
  // With another method it is another call, which may read no body.
  if (!draft.hopeless || draft.done.includes("otherMethod")) return;
  assert.notEqual(code, null, "accepted");
  assert.ok(!AFTER_FORM.has(code ?? ""), `its form was accepted: ${code}`);
}

async function sendDraft(
  connection: HttpConnection,
  user: Account,
  draft: Draft,
): Promise<HttpAnswer> {
  const path = targetOfDraft(draft);
  const body = bodyOfDraft(draft);
  const { method } = draft;
  const headers: Record<string, string> = {
    ...signedHeaders(user.credentials, { method, path, body }),
  };
  if (draft.contentType !== null) headers["Content-Type"] = draft.contentType;
  return connection.send({ method, path, headers, body });
}

async function sender(
  connection: HttpConnection,
  user: Account,
  dice: Random,
  tally: Tally,
  limit: number,
): Promise<void> {
  while (tally.sent - tally.succeeded < limit) {
    tally.sent++;
    const draft = draftOf(dice.pick(dice.chance(0.5) ? CASES : WITH_BODY));
    mutate(draft, dice);
    try {
      let answer = await sendDraft(connection, user, draft);
      // Two statements are made at once, and whoever asks for a third is told to wait.
      while (answer.status === 503 && draft.path.endsWith("/affiliate/statement")) {
        answer = await sendDraft(connection, user, draft);
      }
      const code = codeOf(answer) ?? "success";
      tally.codes.set(code, (tally.codes.get(code) ?? 0) + 1);
      if (code === "success") tally.succeeded++;
      judge(draft, answer);
    } catch (error) {
      tally.failures.push(`${(error as Error).message}: ${describe(draft)}`);
    }
  }
}

function summary({ codes }: Tally): string {
  const sorted = [...codes].sort(([, a], [, b]) => b - a);
  return sorted.map(([code, count]) => `${code}: ${count}`).join(", ");
}

test("malformed requests", async (t) => {
  await t.test("the registry of errors keeps what the API promises", () => {
    assertRegistryKeepsDesign();
  });
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listContract(exchange, "BTCUSDT", BTC_CONTRACT);
  await setIndex(exchange, "BTCUSDT", "30000");
  const maker = await openAccount(exchange, { BTC: "1", USDT: "100000" });
  for (const [side, price] of [
    ["sell", "31000"],
    ["buy", "29000"],
  ] as const) {
    await maker.client.placed({
      symbol: "BTCUSDT",
      side,
      orderType: "limit",
      force: "normal",
      price,
      quantity: "0.1",
      clientOrderId: `resting-${side}`,
    });
  }
  const opened = await openAccount(exchange);
  await makeAffiliate(exchange, opened.uid);
  await registerInvitee(exchange, opened.uid, INVITEE_UID);
  const all = ["read", "spot", "contract", "affiliate", "withdraw", "keys"] as const;
  const everything = await issueKey(exchange, opened.uid, all);
  // No request can make another one, whatever becomes of its form.
  for (let keys = 2; keys < KEYS_MAX; keys++) await issueKey(exchange, opened.uid, ["read"]);
  const user = { ...opened, credentials: everything };
  await exchange.operator.advanceClock(SETTLED_MS);
  const connection = new HttpConnection(exchange.port, SENDERS);
  t.after(() => connection.close());

  await t.test("the unbroken requests are well formed", async () => {
    for (const entry of CASES) {
      const draft = draftOf(entry);
      const answer = await sendDraft(connection, user, draft);
      assertDocumented(answer, entry.route.family);
      const code = codeOf(answer) ?? "success";
      const asksById = /(explainCommission|faucet)$|v3\/withdrawal|DELETE .*apiKey/.test(
        entry.name,
      );
      const isOver = entry.name === "POST /api/v3/apiKey";
      const expected = isOver ? OVER : asksById ? UNKNOWN_ID : WITHOUT_FUNDS;
      assert.match(code, expected, `${entry.name}: ${answer.text}`);
    }
  });

  await t.test(`${REQUESTS} refused requests`, async (t) => {
    const before = await exchange.operator.stateHash();
    const tally: Tally = { sent: 0, succeeded: 0, codes: new Map(), failures: [] };
    const senders = Array.from({ length: SENDERS }, () => {
      const dice = new Random(random.integer(0, 2 ** 31));
      return sender(connection, user, dice, tally, REQUESTS);
    });
    await Promise.all(senders);
    t.diagnostic(`${tally.sent} sent, ${tally.succeeded} were harmless and answered with success`);
    t.diagnostic(summary(tally));
    assert.equal(exchange.exit, null, exchange.output);
    const { failures } = tally;
    const shown = failures.slice(0, SHOWN_FAILURES).join("\n");
    assert.equal(failures.length, 0, `${failures.length} wrong answers, the first:\n${shown}`);
    assert.equal(await exchange.operator.stateHash(), before, "the state changed");
    assert.ok(tally.succeeded < tally.sent / 2, "most requests were not broken at all");
  });
});
