/**
 * Proves that `do-once` does exactly what its command does, once. Method: random contract traffic
 * goes through two engines, plain through the one; through the other with every command that can be
 * done once inside of it, each sent again at once, some sent again later and after a restart from a
 * snapshot. Both emit the same events for the same sequences; a repetition gets the first answer,
 * emits nothing and leaves the state as it is.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  type Command,
  type CommandType,
  decodeCommand,
  type UserChange,
} from "../../src/protocol/index.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { contractEntries } from "./contract/contract-golden.ts";
import { LiveEngine } from "./live-engine.ts";

const random = seededRandom("done-requests");
const COMMANDS = 1_500;
const HOUR_MS = 3_600_000;

const CHANGES: ReadonlySet<CommandType> = new Set<UserChange["type"]>([
  "amend-contract-order",
  "amend-spot-order",
  "close-positions",
  "modify-algo-order",
  "move-position-margin",
  "set-auto-append-margin",
  "set-dead-man-switch",
  "set-leverage",
  "set-margin-type",
]);

function isChange(command: Command): command is UserChange {
  return CHANGES.has(command.type);
}

interface Done {
  readonly command: Command;
  readonly answer: unknown;
}

function assertRepeated(live: LiveEngine, { command, answer }: Done): void {
  const before = live.engine.stateHash();
  const { result, events } = live.execute(command);
  assert.deepEqual(events, []);
  assert.deepEqual(result, { ok: true, value: answer });
  assert.equal(live.engine.stateHash(), before);
}

test("what is done once has the effects of its command, and no others", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < scaled(3); round++) {
    const plain = new LiveEngine();
    const once = new LiveEngine();
    let done: Done[] = [];
    let lastMs = 0;
    for (const [i, entry] of contractEntries(random.integer(1, 1e9), COMMANDS).entries()) {
      const { nowMs } = entry;
      plain.nowMs = nowMs;
      once.nowMs = nowMs;
      const command = decodeCommand(entry.command);
      const expected = plain.execute(command);
      if (!isChange(command)) {
        assert.deepEqual(once.execute(command), expected);
        continue;
      }
      const wrapped = { type: "do-once", requestId: `request-${i}`, command } as const;
      assert.deepEqual(once.execute(wrapped), expected, command.type);
      assert.ok(expected.result.ok && expected.events.length > 0);
      counts.set(command.type, (counts.get(command.type) ?? 0) + 1);
      // Requests expire after minutes of exchange time, and a jump of the traffic may be an hour.
      if (nowMs - lastMs > HOUR_MS) done = [];
      lastMs = nowMs;
      done = [...done.slice(-4), { command: wrapped, answer: expected.result.value }];
      assertRepeated(once, done.at(-1) as Done);
      if (random.chance(0.02)) once.restart();
    }
    assert.equal(once.sequence, plain.sequence);
  }
  for (const type of ["amend-contract-order", "move-position-margin", "close-positions"]) {
    assert.ok((counts.get(type) ?? 0) > 0, `the traffic has no ${type}`);
  }
});

test("what was refused, or is another user's, or was too long ago, is no repetition", () => {
  const live = new LiveEngine();
  live.listMarket();
  const [one, other] = [live.fundedUser(), live.fundedUser()];
  const countdown = (uid: number, countdownMs: number): Command => ({
    type: "do-once",
    requestId: "same",
    command: { type: "set-dead-man-switch", uid, product: "spot", symbol: null, countdownMs },
  });
  const before = live.engine.stateHash();
  assert.equal(live.execute(countdown(one, 1)).result.ok, false);
  assert.equal(live.engine.stateHash(), before);
  assert.equal(live.execute(countdown(one, 60_000)).events.length, 2);
  assert.equal(live.execute(countdown(other, 60_000)).events.length, 2);
  live.nowMs += 30_000;
  live.restart();
  assert.equal(live.execute(countdown(one, 60_000)).events.length, 0);

  // A sandbox that puts its clock forward does not forget what was asked a moment ago.
  live.must({ type: "advance-clock", actor: "operator", byMs: 1_000 });
  live.nowMs += 1_000;
  assert.equal(live.execute(countdown(one, 60_000)).events.length, 0);
  live.nowMs += 11 * 60_000;
  assert.ok(live.execute(countdown(one, 60_000)).events.length > 0);
});
