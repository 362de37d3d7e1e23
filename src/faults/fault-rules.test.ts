/**
 * Goal: a rule happens exactly when it says, over all gateways together, and the same seed gives
 * the same faults.
 * Method: random rules and requests in random gateways that share their counts, against a naive
 * list that counts for each rule what it met; probabilities against their own draws and their
 * share; delays against their range.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../test/support/random.ts";
import type { Fault, FaultWhen } from "../api/operator/faults.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import { FaultMemory } from "./fault-memory.ts";
import type { MetRequest, PlacedRule } from "./fault-rules.ts";
import { SandboxTraffic } from "./index.ts";

const random = seededRandom("faults/rules");
const ROUTES = ["v3-place-order", "v3-open-orders", "v3-server-time"] as const;
const TARGETS = ["POST /api/v3/order", "GET *", "* /api/v3/*", "order.place"] as const;
/** By the patterns above. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  "POST /api/v3/order": ["v3-place-order"],
  "GET *": ["v3-open-orders", "v3-server-time"],
  "* /api/v3/*": ROUTES,
  "order.place": [],
};

function randomWhen(): FaultWhen {
  const count = random.integer(1, 7);
  return random.pick<FaultWhen>([
    {},
    { every: count },
    { next: count },
    { after: count },
    { probability: random.next() },
  ]);
}

function randomFault(): Fault {
  return random.pick<Fault>([
    { kind: "drop-request" },
    { kind: "answer", status: 429 },
    { kind: "delay", ms: random.integer(1, 50) },
  ]);
}

function randomRules(): PlacedRule[] {
  return Array.from({ length: random.integer(1, 6) }, (_, slot) => ({
    id: `rule-${slot}`,
    slot,
    match: {
      ...(random.chance(0.4) ? { uid: random.integer(1, 3) } : {}),
      ...(random.chance(0.5) ? { route: random.pick(TARGETS) } : {}),
      ...(random.chance(0.2) ? { address: "10.0.0.1" } : {}),
    },
    when: randomWhen(),
    seed: random.integer(0, 4_294_967_295),
    endsAtMs: random.chance(0.1) ? 0 : null,
    fault: randomFault(),
  }));
}

function randomRequest(): MetRequest {
  return {
    uid: random.integer(0, 3),
    apiKey: "",
    address: random.pick(["10.0.0.1", "10.0.0.2"]),
    routeId: random.pick(ROUTES),
    method: random.chance(0.3) ? "order.place" : null,
  };
}

/** Counts each rule by itself; which draws of a probability succeed is learnt, not computed. */
class NaiveRules {
  readonly #rules: readonly PlacedRule[];
  readonly met = new Map<string, number>();

  constructor(rules: readonly PlacedRule[]) {
    this.#rules = rules;
  }

  meet(request: MetRequest, hitBy: (rule: PlacedRule, position: number) => boolean) {
    let [delayMs, rule, kind] = [0, null as string | null, null as string | null];
    for (const one of this.#rules) {
      const { uid, address, route } = one.match;
      if (uid !== undefined && uid !== request.uid) continue;
      if (address !== undefined && address !== request.address) continue;
      if (route !== undefined) {
        const isNamed = route === request.method;
        if (!isNamed && !MEANT[route]?.includes(request.routeId as string)) continue;
      }
      if (one.endsAtMs !== null) continue;
      if (kind !== null && one.fault.kind !== "delay") continue;
      const position = (this.met.get(one.id) ?? 0) + 1;
      this.met.set(one.id, position);
      const { every, next, after, probability } = one.when;
      let happens = true;
      if (every !== undefined) happens = position % every === 0;
      if (next !== undefined) happens = position <= next;
      if (after !== undefined) happens = position > after;
      if (probability !== undefined) happens = hitBy(one, position);
      if (!happens) continue;
      if (one.fault.kind === "delay") {
        delayMs += one.fault.ms as number;
        rule ??= one.id;
      } else [kind, rule] = [one.fault.kind, one.id];
    }
    return rule === null ? null : { rule, delayMs, kind };
  }
}

/** What a rule alone does to so many requests that it matches. */
function draws(when: FaultWhen, seed: number, fault: Fault, count: number) {
  const traffic = new SandboxTraffic(new FaultMemory().memory, NODE_PLATFORM);
  traffic.rules.replace([{ id: "x", slot: 0, match: {}, when, seed, endsAtMs: null, fault }]);
  const { requests } = traffic.rules;
  assert.ok(requests !== null);
  const request = { uid: 1, apiKey: "", address: "", routeId: ROUTES[0], method: null };
  return Array.from({ length: count }, () => requests.meet(request));
}

test("rules happen when a naive count says, in whichever gateway a request arrives", () => {
  for (let round = 0; round < scaled(60); round++) {
    const rules = randomRules();
    const memory = new FaultMemory();
    const gateways = [0, 1, 2].map(() => new SandboxTraffic(memory.memory, NODE_PLATFORM));
    for (const gateway of gateways) gateway.rules.replace(rules);
    const naive = new NaiveRules(rules);
    const hits = new Map<string, number>();
    const alone = new Map(
      rules.map((rule) => [rule.id, draws(rule.when, rule.seed, { kind: "drop-request" }, 200)]),
    );
    for (let i = 0; i < 200; i++) {
      const request = randomRequest();
      const met = random.pick(gateways).rules.requests?.meet(request) ?? null;
      const expected = naive.meet(
        request,
        ({ id }, position) => alone.get(id)?.[position - 1] !== null,
      );
      const seen = met && { rule: met.rule, delayMs: met.delayMs, kind: met.fault?.kind ?? null };
      assert.deepEqual(seen, expected);
      if (met !== null) hits.set(met.rule, (hits.get(met.rule) ?? 0) + 1);
    }
    for (const { id, slot } of rules) {
      assert.ok(memory.hits(slot) >= (hits.get(id) ?? 0), id);
      assert.ok(memory.hits(slot) <= (naive.met.get(id) ?? 0), id);
    }
  }
});

test("a probability has its share, and the same seed the same requests", () => {
  const drop: Fault = { kind: "drop-request" };
  const count = scaled(20_000);
  for (const probability of [0, 0.01, 0.1, 0.5, 0.9, 1]) {
    const seed = random.integer(0, 4_294_967_295);
    const first = draws({ probability }, seed, drop, count);
    assert.deepEqual(draws({ probability }, seed, drop, count), first);
    const share = first.filter((hit) => hit !== null).length / count;
    // Six standard deviations.
    const bound = 6 * Math.sqrt((probability * (1 - probability)) / count);
    assert.ok(Math.abs(share - probability) <= bound, `${probability}: ${share}`);
    if (probability !== 0.5) continue;
    const other = draws({ probability }, (seed + 1) % 4_294_967_296, drop, count);
    const agreeing = other.filter((hit, i) => (hit === null) === (first[i] === null)).length;
    assert.ok(Math.abs(agreeing / count - 0.5) <= bound, `seeds agree on ${agreeing} of ${count}`);
  }
});

test("delays keep their range, and their distribution its shape", () => {
  const count = scaled(5_000);
  const delays = (distribution: "uniform" | "normal" | "pareto", low: number, high: number) => {
    const fault: Fault = { kind: "delay", ms: [low, high], distribution };
    const drawn = draws({}, random.integer(0, 9_999), fault, count);
    return drawn.map((hit) => hit?.delayMs ?? Number.NaN).sort((a, b) => a - b);
  };
  for (const distribution of ["uniform", "normal", "pareto"] as const) {
    for (const [low, high] of [
      [50, 400],
      [0, 10],
      [7, 7],
      [0, 600_000],
      [0, 0],
    ] as const) {
      const sorted = delays(distribution, low, high);
      assert.ok((sorted[0] as number) >= low && (sorted.at(-1) as number) <= high, distribution);
    }
  }
  const median = (sorted: readonly number[]) => sorted[Math.floor(sorted.length / 2)] as number;
  assert.ok(Math.abs(median(delays("uniform", 0, 1_000)) - 500) < 100);
  const normal = delays("normal", 0, 1_000);
  assert.ok(Math.abs(median(normal) - 500) < 50);
  const middle = normal.filter((ms) => ms > 333 && ms < 667).length / count;
  assert.ok(middle > 0.6 && middle < 0.76, `${middle} within a standard deviation`);
  // Most are short, and the longest are far longer.
  const pareto = delays("pareto", 10, 1_000);
  assert.ok(median(pareto) < 25 && (pareto.at(-1) as number) > 400);
});

test("without a rule about them there is nothing to ask", () => {
  const { rules } = new SandboxTraffic(new FaultMemory().memory, NODE_PLATFORM);
  assert.deepEqual([rules.requests, rules.streams], [null, null]);
  const placed = { id: "x", slot: 0, when: {}, seed: 0, endsAtMs: null };
  rules.replace([{ ...placed, match: {}, fault: { kind: "cut" } }]);
  assert.ok(rules.requests === null && rules.streams !== null);
  rules.replace([{ ...placed, match: { channel: "fill" }, fault: { kind: "delay", ms: 1 } }]);
  assert.ok(rules.requests === null && rules.streams !== null);
  const party = { uid: 1, apiKey: "", address: "" };
  assert.equal(rules.streams.meet("orders", party), null);
  assert.equal(rules.streams.meet("fill", party)?.delayMs, 1);
  rules.replace([]);
  assert.deepEqual([rules.requests, rules.streams], [null, null]);
});
