/**
 * Goal: a whole exchange runs on a simulated machine in one thread and does there what it does on
 * real threads. Method: the same session on both: markets, users and keys through the operator API,
 * random orders, an explicit snapshot, history, a stop and a second start from that snapshot. What
 * was answered, the state hash and the history must be equal. Wall clock and randomness come from
 * the test; time otherwise passes as fast as there is nothing to do, or really.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeSession, type MakeMachine } from "../support/exchange-session.ts";
import type { InlineAnswer } from "../support/inline-http.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { simulatedMachine, threadedMachine } from "../support/simulated-machine.ts";

const { seed } = seededRandom("one thread");
const ORDERS = scaled(80);
const POLL_MS = 10;
const POLLS_MAX = 10_000;

interface Status {
  readonly process: { readonly history: { readonly lag: number } };
}

/** On the machine's own time, so that no question about the past is given up. */
async function untilHistoryIsWritten(session: ExchangeSession): Promise<void> {
  const { machine } = session;
  for (let polls = 0; polls < POLLS_MAX; polls++) {
    const status = await session.accepted<Status>("GET", "status");
    if (status.process.history.lag === 0) return;
    await machine.until(
      new Promise<void>((resolve) => {
        machine.platform.scheduler.after(POLL_MS, resolve);
      }),
    );
  }
  assert.fail("the history is never written");
}

async function stateOf(session: ExchangeSession) {
  const { stateHash } = await session.accepted<{ stateHash: string }>("GET", "invariants");
  await untilHistoryIsWritten(session);
  const history: InlineAnswer[] = [await session.operator("GET", "audit")];
  for (const user of session.users) {
    for (const list of ["allOrders", "myTrades"]) {
      const path = `/api/v3/${list}?symbol=BTCUSDT&limit=1000`;
      history.push(await session.signed(user, "GET", path));
    }
  }
  return { stateHash, history };
}

async function sessionOn(make: MakeMachine) {
  const session = new ExchangeSession(make, seed);
  const random = new Random(seed);
  const answers: InlineAnswer[] = [];
  const trade = async (prefix: string): Promise<void> => {
    for (let order = 0; order < ORDERS; order++) {
      answers.push(await session.placeRandomOrder(random, `${prefix}-${order}`));
    }
  };
  await session.start();
  await session.open();
  await trade("first");
  // A follower in a thread of its own reads the machine's clock, so only the sequence is compared.
  const { sequence } = await session.accepted<{ sequence: number }>("POST", "snapshots");
  await trade("second");
  const before = await stateOf(session);
  await session.stop();
  await session.start();
  const after = await stateOf(session);
  await session.stop();
  return { users: session.users, answers, before, after, snapshot: sequence };
}

test("an exchange in one thread is the exchange on real threads", async () => {
  const inline = await sessionOn(simulatedMachine);
  const failed = [...inline.answers, ...inline.after.history].filter(
    ({ status }) => status !== 200,
  );
  assert.deepEqual(failed, []);
  assert.ok(inline.snapshot > ORDERS);
  assert.deepEqual(inline.after, inline.before, "nothing is lost by a restart");
  const trades = inline.after.history[2]?.body as unknown[];
  assert.ok(trades.length > 10, "there are trades");
  const threaded = await sessionOn(threadedMachine);
  assert.deepEqual(inline, threaded);
});
