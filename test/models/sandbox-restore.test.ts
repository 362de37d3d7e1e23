/**
 * Goal: what happens after a restore happens as if nothing had been after the checkpoint. Method:
 * on a simulated machine in one thread and on the real one with its threads, random commands, a
 * checkpoint, random commands, a restore, and the same commands again: every answer, the state hash
 * and the history must be the same, also across a stop and a start, after a second restore and
 * after a restore to a checkpoint of the branch that was left.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeSession } from "../support/exchange-session.ts";
import type { InlineAnswer } from "../support/inline-http.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { simulatedMachine, threadedMachine } from "../support/simulated-machine.ts";

const { seed } = seededRandom("sandbox restores");
const ORDERS = scaled(40);

interface State {
  readonly stateHash: string;
  readonly sequence: number;
  readonly history: readonly unknown[];
  readonly book: unknown;
}

/** Commands drawn from a seed, with time between them; returns what was answered. */
async function trade(session: ExchangeSession, drawn: number): Promise<unknown[]> {
  const random = new Random(drawn);
  const answers: unknown[] = [];
  for (let order = 0; order < ORDERS; order++) {
    answers.push(await session.placeRandomOrder(random, `${drawn}-${order}`));
    if (!random.chance(0.1)) continue;
    const ms = random.integer(1, 100_000);
    answers.push(await session.accepted("POST", "sandbox/clock/advance", { ms }));
  }
  return answers;
}

async function stateOf(session: ExchangeSession): Promise<State> {
  const { stateHash, sequence } = await session.accepted<State>("GET", "invariants");
  const [who] = session.users;
  assert.ok(who !== undefined);
  const history: unknown[] = [];
  for (const path of ["/api/v3/myTrades?symbol=BTCUSDT", "/api/v3/allOrders?symbol=BTCUSDT"]) {
    const answer = await untilThere(() => session.signed(who, "GET", path));
    history.push(answer.body);
  }
  const book = await session.signed(who, "GET", "/api/v3/market/depth?symbol=BTCUSDT");
  return { stateHash, sequence, history, book: book.body };
}

/** However slow the machine is, no question about the past is given up. */
async function untilThere(ask: () => Promise<InlineAnswer>): Promise<InlineAnswer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
  }
}

for (const [kind, make] of [
  ["a simulated machine", simulatedMachine],
  ["the real machine", threadedMachine],
] as const) {
  test(`after a restore the same commands do the same, on ${kind}`, async () => {
    const session = new ExchangeSession(make, seed, { sandbox: true });
    await session.start();
    await session.open();
    await trade(session, seed);
    const checkpoint = (name: string) => session.accepted("POST", "sandbox/checkpoints", { name });
    const restore = (name: string) => session.accepted("POST", "sandbox/restore", { name });
    const kept = await stateOf(session);
    const { stateHash } = kept;
    assert.deepEqual(await checkpoint("kept"), {
      name: "kept",
      sequence: kept.sequence,
      stateHash,
    });
    const answers = await trade(session, seed + 1);
    const after = await stateOf(session);
    assert.notEqual(after.stateHash, stateHash);
    await checkpoint("after");

    session.wait(1_234_567);
    await restore("kept");
    assert.deepEqual(await stateOf(session), kept);
    assert.deepEqual(await trade(session, seed + 1), answers);
    assert.deepEqual(await stateOf(session), after);

    session.wait(7_654_321);
    await restore("kept");
    await session.stop();
    await session.start();
    // The start itself is a command: it resumes the clock.
    const resumed = await stateOf(session);
    assert.deepEqual([resumed.history, resumed.book], [kept.history, kept.book]);
    await restore("kept");
    assert.deepEqual(await trade(session, seed + 1), answers, "also after a stop and a start");

    await trade(session, seed + 2);
    await restore("after");
    assert.deepEqual(await stateOf(session), after, "a state of a branch that was left");
    await session.stop();
  });
}
