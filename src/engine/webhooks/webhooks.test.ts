/**
 * Proves that webhooks are what a list of them would be after any commands, live and restored from
 * a snapshot: set, replaced and removed, refused by their field, and no section without any.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { HASH_KEY } from "../../../test/support/hash-key.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { sha256 } from "../../../test/support/sha256.ts";
import { WEBHOOK_KINDS } from "../../domain/index.ts";
import { ByteWriter, type CommandOf, readEvents, type WebhookView } from "../../protocol/index.ts";
import { Engine } from "../engine.ts";

const random = seededRandom("webhooks");
type Settings = CommandOf<"set-webhook">;

function listed(engine: Engine): readonly WebhookView[] {
  const answer = engine.query({ type: "webhooks" }, 0);
  assert.ok(answer.ok);
  return answer.value as readonly WebhookView[];
}

function withUsers(): Engine {
  const engine = Engine.create(sha256, HASH_KEY);
  for (const uid of [1, 2, 3]) {
    const user = { actor: "", uid, inviteCode: `code-${uid}`, invitedWith: null, kyc: false };
    assert.ok(engine.apply({ type: "register-user", ...user }, uid, 1, new ByteWriter()).ok);
  }
  return engine;
}

function randomSettings(): Settings {
  const kinds = WEBHOOK_KINDS.filter(() => random.chance(0.6));
  return {
    type: "set-webhook",
    actor: "ann",
    webhookId: random.pick(["a", "b", "c", ""]),
    url: random.pick(["https://one", "https://two", ""]),
    kinds,
    accounts: random.pick([[], [1], [3, 2], [2, 2], [9]]),
    isPaused: random.chance(0.3),
  };
}

/** The field that is wrong, null where nothing is. */
function wrongField({ webhookId, url, kinds, accounts }: Settings): string | null {
  if (webhookId === "") return "webhookId";
  if (url === "") return "url";
  if (kinds.length === 0) return "kinds";
  if (new Set(accounts).size < accounts.length) return "accounts";
  if (kinds.some((kind) => kind === "fills") !== accounts.length > 0) return "accounts";
  return accounts.includes(9) ? "accounts" : null;
}

test("webhooks are what a list of them would be, live and restored", () => {
  let changes = 0;
  for (let round = 0; round < scaled(40); round++) {
    let engine = withUsers();
    const list = new Map<string, WebhookView>();
    for (let step = 4; step < 40; step++) {
      const writer = new ByteWriter();
      const settings = randomSettings();
      const { webhookId } = settings;
      const isRemoval = random.chance(0.2);
      const change = isRemoval
        ? ({ type: "remove-webhook", actor: "ann", webhookId } as const)
        : settings;
      const isKnown = list.has(webhookId);
      const wrong = isRemoval ? (isKnown ? null : "webhookId") : wrongField(settings);
      const result = engine.apply(change, step, step, writer);
      assert.equal(result.ok ? null : result.field, wrong, JSON.stringify(change));
      const before = JSON.stringify([...list]);
      if (wrong === null && isRemoval) list.delete(webhookId);
      if (wrong === null && !isRemoval) {
        const { url, kinds, accounts, isPaused } = settings;
        const addedMs = list.get(webhookId)?.addedMs ?? step;
        const sorted = accounts.toSorted();
        list.set(webhookId, { webhookId, url, kinds, accounts: sorted, isPaused, addedMs });
      }
      assert.deepEqual(listed(engine), [...list.values()]);
      const isNews = JSON.stringify([...list]) !== before;
      assert.equal([...readEvents(writer.toBytes())].length > 0, isNews);
      if (isNews) changes++;
      const sections = engine.snapshotSections();
      const hasSection = sections.some(({ name }) => name === "webhooks");
      assert.equal(hasSection, list.size > 0);
      if (random.chance(0.2)) {
        const hash = engine.stateHash();
        engine = Engine.restore(sections, step, sha256, HASH_KEY);
        assert.equal(engine.stateHash(), hash);
      }
    }
  }
  assert.ok(changes > scaled(40), `${changes} changes`);
});

test("twenty webhooks are the most, and a known one is still changed", () => {
  const engine = withUsers();
  const set = (webhookId: string, url: string) => {
    const about = { kinds: ["halts"], accounts: [], isPaused: false } as const;
    const command = { type: "set-webhook", actor: "", webhookId, url, ...about } as const;
    return engine.apply(command, 4, 1, new ByteWriter());
  };
  for (let count = 0; count < 20; count++) assert.ok(set(`w${count}`, "https://one").ok);
  assert.partialDeepStrictEqual(set("one-more", "https://one"), { ok: false, reason: "conflict" });
  assert.ok(set("w3", "https://two").ok);
});
