/**
 * Proves that operators are what a list of them would be after any commands, live and restored from
 * a snapshot: added, changed, removed for good, and no section at all without any.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { HASH_KEY } from "../../../test/support/hash-key.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { OPERATOR_ROLES } from "../../domain/index.ts";
import {
  ByteWriter,
  type CommandOf,
  type Event,
  type OperatorView,
  readEvents,
} from "../../protocol/index.ts";
import { Engine } from "../engine.ts";

const random = seededRandom("operators");
const NAMES = ["ann", "bob", "cli-1"];
type Change = CommandOf<"set-operator"> | CommandOf<"remove-operator">;

function listed(engine: Engine, name: string | null = null): readonly OperatorView[] {
  const answer = engine.query({ type: "operators", name }, 0);
  assert.ok(answer.ok);
  return answer.value as readonly OperatorView[];
}

function randomChange(nowMs: number): Change {
  const name = random.pick(NAMES);
  if (random.chance(0.15)) return { type: "remove-operator", actor: "operator", name };
  return {
    type: "set-operator",
    actor: "operator",
    name,
    role: random.pick(OPERATOR_ROLES),
    tokenHash: random.chance(0.5) ? null : sha256([Buffer.from(String(nowMs))]),
    expiresAtMs: random.pick([null, nowMs, nowMs + 1, 1]),
  };
}

/** What a list of them says: the refused field, or null. */
function applied(list: Map<string, OperatorView>, change: Change, nowMs: number): string | null {
  const present = list.get(change.name);
  if (change.type === "remove-operator") {
    if (present === undefined) return "name";
    list.set(change.name, { ...present, removedMs: present.removedMs ?? nowMs });
    return null;
  }
  const { name, role, tokenHash, expiresAtMs } = change;
  if (present !== undefined && present.removedMs !== null) return "name";
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return "expiresAt";
  if (present === undefined && tokenHash === null) return "name";
  const kept = present ?? { name, addedMs: nowMs, removedMs: null, tokenHash: "" };
  list.set(name, { ...kept, role, expiresAtMs, tokenHash: tokenHash ?? kept.tokenHash });
  return null;
}

test("operators are what a list of them would be, live and restored", () => {
  for (let round = 0; round < scaled(60); round++) {
    let engine = Engine.create(sha256, HASH_KEY);
    const list = new Map<string, OperatorView>();
    for (let step = 1; step <= 30; step++) {
      const nowMs = step * 10;
      const change = randomChange(nowMs);
      const before = list.get(change.name);
      const field = applied(list, change, nowMs);
      const writer = new ByteWriter();
      const result = engine.apply(change, step, nowMs, writer);
      assert.equal(result.ok ? null : result.field, field, JSON.stringify(change));
      assert.deepEqual(
        listed(engine),
        [...list.values()].sort((one, other) => (one.name < other.name ? -1 : 1)),
      );
      const told: Event[] = [...readEvents(writer.toBytes())];
      const isRepeated = change.type === "remove-operator" && before?.removedMs != null;
      assert.equal(told.length > 0, field === null && !isRepeated);
      assert.ok(!JSON.stringify(told).includes("tokenHash"), "no digest in what is told");
      const sections = engine.snapshotSections();
      assert.equal(
        sections.some(({ name }) => name === "operators"),
        list.size > 0,
      );
      if (random.chance(0.2)) {
        const hash = engine.stateHash();
        engine = Engine.restore(sections, nowMs, sha256, HASH_KEY);
        assert.equal(engine.stateHash(), hash);
      }
    }
    for (const name of NAMES) assert.deepEqual(listed(engine, name)[0], list.get(name));
  }
});

test("a thousand operators are enough, removed ones included", () => {
  const engine = Engine.create(sha256, HASH_KEY);
  const add = (name: string) => {
    const change = {
      actor: "operator",
      role: "viewer",
      tokenHash: "00",
      expiresAtMs: null,
    } as const;
    return engine.apply({ type: "set-operator", ...change, name }, 1, 1, new ByteWriter());
  };
  for (let count = 0; count < 1_000; count++) assert.ok(add(`o${count}`).ok);
  engine.apply({ type: "remove-operator", actor: "", name: "o1" }, 2, 1, new ByteWriter());
  assert.partialDeepStrictEqual(add("one-more"), { ok: false, reason: "conflict" });
  assert.ok(add("o2").ok, "a known one is changed");
});
