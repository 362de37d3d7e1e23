/**
 * Proves what a client is told when no leader answers in time: a request that was never sent was
 * not done; one that was sent has an unknown outcome, unless it stands in the log. And that a node
 * holds no more requests than it should, and hears no leader of an earlier epoch.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { portOf } from "../../test/support/engine-double.ts";
import { SimulatedTimeline } from "../../test/support/simulated-timeline.ts";
import {
  type Answer,
  ByteWriter,
  type Command,
  decodeAnswers,
  encodeCommand,
  encodeRequest,
  refuseAll,
  type Submission,
  type Unavailable,
} from "../protocol/index.ts";
import { type LinkMessage, readLinkMessages, writeLinkMessage } from "./link-messages.ts";
import { HOLD_MS, RoutedEngine } from "./routed-engine.ts";

const QUERY: Submission = { kind: "query", query: { type: "assets" } };
const ANSWER: Answer = { sequence: 3, timestampMs: 1, result: { ok: true, value: [] } };

function deposit(requestId: string): Command {
  const fields = { actor: "", uid: 1, wallet: "spot", asset: "USDT", amount: "1" } as const;
  return { type: "deposit-funds", requestId, ...fields };
}

class Fixture {
  readonly timeline = new SimulatedTimeline();
  readonly sent: LinkMessage[] = [];
  readonly answers = new Map<string, Answer | Unavailable>();
  readonly routed: RoutedEngine;
  sequence = 0;

  constructor() {
    const { timeline } = this;
    const after = (delayMs: number, run: () => void) => timeline.at(timeline.nowMs + delayMs, run);
    const every = () => {
      throw new Error("not used");
    };
    this.routed = new RoutedEngine({
      node: "n1",
      local: portOf(() => ANSWER),
      sequence: () => this.sequence,
      keysInForce: () => Promise.resolve(),
      charge: () => "",
      admitted: () => undefined,
      hurry: () => undefined,
      clock: { monotonicMs: () => timeline.nowMs },
      scheduler: { after, soon: (run) => after(0, run), every },
    });
  }

  /** A link to a leader; what it says arrives at once. */
  link(): { say(message: LinkMessage): void; end(): void; readonly hasEnded: () => boolean } {
    let isOpen = true;
    const listener = this.routed.connect({
      send: (message) => void this.sent.push(...readLinkMessages(message)),
      end: () => {
        isOpen = false;
      },
    });
    const say = (message: LinkMessage): void => {
      const writer = new ByteWriter();
      writeLinkMessage(writer, message);
      listener.message(writer.toBytes());
    };
    return { say, end: () => listener.ended(), hasEnded: () => !isOpen };
  }

  submit(name: string, submission: Submission): void {
    this.routed.submit(encodeRequest([submission]), (bytes) => {
      assert.ok(!this.answers.has(name), `${name} is answered once`);
      this.answers.set(name, decodeAnswers([submission], bytes)[0] as Answer | Unavailable);
    });
  }

  async wait(ms: number): Promise<void> {
    // What was said outside of the timeline settles first.
    await new Promise((resolve) => setImmediate(resolve));
    await this.timeline.runUntil(this.timeline.nowMs + ms);
  }
}

test("without a leader nothing was done", async () => {
  const fixture = new Fixture();
  fixture.submit("read", QUERY);
  fixture.submit("command", { kind: "command", command: deposit("a") });
  await fixture.wait(HOLD_MS - 1);
  assert.equal(fixture.answers.size, 0);
  await fixture.wait(1);
  const nobody = { unavailable: "not-leader" };
  assert.deepEqual([...fixture.answers.values()], [nobody, nobody]);
  assert.equal(fixture.routed.waiting, 0);
});

test("what was sent to a lost leader has an unknown outcome, or that of the log", async () => {
  const fixture = new Fixture();
  const link = fixture.link();
  link.say({ kind: "welcome", node: "n2", epoch: 1, sequence: 0 });
  await fixture.wait(1);
  const [lost, logged] = [deposit("lost"), deposit("logged")];
  fixture.submit("lost", { kind: "command", command: lost });
  fixture.submit("logged", { kind: "command", command: logged });
  await fixture.wait(1);
  assert.equal(fixture.sent.filter(({ kind }) => kind === "submit").length, 2);
  link.end();
  const value = { requestId: "logged", balance: "1" };
  const done = { sequence: 1, timestampMs: 5, result: { ok: true, value } } as const;
  fixture.routed.appliedCommand(logged, encodeCommand(logged), done);
  assert.deepEqual(fixture.answers.get("logged"), done);
  await fixture.wait(HOLD_MS);
  assert.deepEqual(fixture.answers.get("lost"), { unavailable: "outcome-unknown" });
});

test("a leader that stops has done nothing of what it refuses; the next one gets it", async () => {
  const fixture = new Fixture();
  const first = fixture.link();
  first.say({ kind: "welcome", node: "n2", epoch: 4, sequence: 0 });
  await fixture.wait(1);
  fixture.submit("command", { kind: "command", command: deposit("a") });
  await fixture.wait(1);
  const stopping = refuseAll(1, "stopping").slice();
  first.say({ kind: "answer", id: 1, sequence: 0, answer: stopping });
  first.end();
  const old = fixture.link();
  old.say({ kind: "welcome", node: "n3", epoch: 3, sequence: 0 });
  assert.ok(old.hasEnded(), "an earlier epoch has no say");
  const next = fixture.link();
  next.say({ kind: "welcome", node: "n3", epoch: 5, sequence: 2 });
  await fixture.wait(1);
  const submits = () => fixture.sent.filter(({ kind }) => kind === "submit").length;
  assert.equal(submits(), 1, "not before everything of the first leader is applied");
  fixture.sequence = 2;
  fixture.routed.applied();
  await fixture.wait(1);
  assert.equal(submits(), 2);
  await fixture.wait(HOLD_MS);
  assert.deepEqual(fixture.answers.get("command"), { unavailable: "outcome-unknown" });
});

test("a node holds a bounded number of requests", async () => {
  const fixture = new Fixture();
  for (let count = 0; count < 20_000; count++) fixture.routed.submit(READ_BYTES, () => undefined);
  fixture.submit("one more", QUERY);
  assert.deepEqual(fixture.answers.get("one more"), { unavailable: "overloaded" });
});

const READ_BYTES = encodeRequest([QUERY]);

test("what only a leader can answer is asked of the next one again", async () => {
  const fixture = new Fixture();
  const answers: (string | null)[] = [];
  const ask = (question: string) => {
    void fixture.routed.questions.ask(question).then((answer) => answers.push(answer));
  };
  const asked = () => fixture.sent.filter((message) => message.kind === "ask");
  ask("first");
  const welcome = { kind: "welcome", node: "n2", sequence: 0 } as const;
  const link = fixture.link();
  link.say({ ...welcome, epoch: 1 });
  await fixture.wait(1);
  assert.deepEqual(asked(), [{ kind: "ask", id: 1, question: "first" }]);
  link.end();
  ask("second");
  const next = fixture.link();
  next.say({ ...welcome, node: "n3", epoch: 2 });
  await fixture.wait(1);
  const again = [1, 1, 2].map((id) => ({ kind: "ask", id, question: ["first", "second"][id - 1] }));
  assert.deepEqual(asked(), again);
  next.say({ kind: "told", id: 2, answer: "yes" });
  next.say({ kind: "told", id: 2, answer: "no" });
  await fixture.wait(1);
  assert.deepEqual(answers, ["yes"]);
  await fixture.wait(HOLD_MS);
  assert.deepEqual(answers, ["yes", null], "nobody answered in time");
});
