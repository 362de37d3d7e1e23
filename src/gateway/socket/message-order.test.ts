/**
 * Proves that messages of a socket begin in the order of their arrival, as soon as the rules allow
 * it and no sooner: random sequences of reads, steps, others and local ones against those rules,
 * with answers in any order. And that the number of unanswered ones is bounded.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { IN_FLIGHT_MAX, MessageOrder, type Ordered } from "./message-order.ts";

const random = seededRandom("gateway/socket/message-order");
const KINDS = ["reads", "steps", "nothing", "local"] as const;

interface Message extends Ordered {
  readonly number: number;
  hasBegun: boolean;
  isAnswered: boolean;
}

/** Whether `later` may have begun, given one that was sent before it and has begun. */
function mayFollow(earlier: Message, later: Message): boolean {
  if (earlier.isAnswered || later.sharing === "local") return true;
  return later.sharing !== "nothing" && later.sharing === earlier.sharing;
}

test("each begins when those before it allow it, and no later", () => {
  for (let round = 0; round < scaled(400); round++) {
    const messages: Message[] = [];
    const begun: number[] = [];
    const order = new MessageOrder<Message>((message) => {
      message.hasBegun = true;
      begun.push(message.number);
      // What is refused at once is answered before `begin` has returned.
      if (message.sharing === "local" || random.chance(0.2)) answer(message);
    });
    const answer = (message: Message): void => {
      message.isAnswered = true;
      order.left();
    };
    for (let step = 0; step < 60; step++) {
      const running = messages.filter(({ hasBegun, isAnswered }) => hasBegun && !isAnswered);
      if (running.length === 0 || random.chance(0.5)) {
        const number = messages.length;
        const sharing = random.pick(KINDS);
        const message = { number, sharing, hasBegun: false, isAnswered: false };
        messages.push(message);
        assert.ok(order.take(message));
      } else answer(random.pick(running));
      for (const [index, message] of messages.entries()) {
        const before = messages.slice(0, index);
        const expected = before.every((earlier) => earlier.hasBegun && mayFollow(earlier, message));
        // A `local` one is over when it has begun, so that nothing is compared with it again.
        if (!message.isAnswered) assert.equal(message.hasBegun, expected, JSON.stringify(messages));
      }
      assert.deepEqual(begun, [...begun.keys()], "in the order of arrival");
      assert.equal(order.inFlight, messages.filter(({ isAnswered }) => !isAnswered).length);
    }
  }
});

test("at most so many are unanswered, and there is room again when they are answered", () => {
  let begun = 0;
  const order = new MessageOrder<Ordered>(() => begun++);
  for (let i = 0; i < IN_FLIGHT_MAX; i++) {
    assert.ok(order.take({ sharing: i % 2 === 0 ? "steps" : "reads" }));
  }
  assert.equal(order.take({ sharing: "local" }), false);
  assert.equal(begun, 1);
  for (let i = 0; i < IN_FLIGHT_MAX; i++) order.left();
  assert.equal(begun, IN_FLIGHT_MAX);
  assert.ok(order.take({ sharing: "nothing" }));
});

test("however many are refused at once, they do not pile up on the stack", () => {
  let held = true;
  const order = new MessageOrder<Ordered>(() => {
    if (!held) order.left();
  });
  for (let i = 0; i < IN_FLIGHT_MAX; i++) order.take({ sharing: "nothing" });
  held = false;
  order.left();
  assert.equal(order.inFlight, 0);
});
