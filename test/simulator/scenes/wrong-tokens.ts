/**
 * Wrong operator tokens: an address may send ten at once and then one every six seconds, to the
 * millisecond, however long ago it sent others. Even the right one waits; other addresses do not,
 * and what comes without a token is not counted.
 */
import { hold } from "../breach.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const AT_ONCE = 10;
const EACH_MS = 6_000;
/** Owed by an address that has to wait. */
const OWED_MAX_MS = (AT_ONCE - 1) * EACH_MS;
/** Sums of times have parts of a millisecond. */
const SLACK_MS = 1e-3;
const ADDRESSES = 3;
const ACTS = { least: 6, most: 24 };
const LONG_AGO_MS = [60_000, 66_001, 150_000, 400_000] as const;
/** Beyond those that are taken at once. */
const MORE = [0, 1, 2, 20] as const;
const PAUSES_MS = [1, 999, EACH_MS - 1, EACH_MS, EACH_MS + 1, 2 * EACH_MS, 30_000] as const;
const CHECK = "wrong tokens are limited";
/** They do nothing, whoever calls. */
const CALLS = [
  ["GET", "caller"],
  ["GET", "users?limit=1"],
  ["DELETE", "operators/nobody-of-this-name"],
  ["PATCH", "markets/spot/NONE"],
] as const;

/** What an address still has to work off for its wrong tokens, at the pace at which it may. */
class Owed {
  /** Null for the one from which everybody calls. */
  readonly address: string | null;
  #owedMs = 0;
  #atMs = 0;

  constructor(address: string | null) {
    this.address = address;
  }

  /** Until it may send one; negative when it could have done so before. */
  waitMs(nowMs: number): number {
    this.#owedMs = Math.max(0, this.#owedMs - (nowMs - this.#atMs));
    this.#atMs = nowMs;
    return this.#owedMs - OWED_MAX_MS;
  }

  add(nowMs: number): void {
    this.waitMs(nowMs);
    this.#owedMs += EACH_MS;
  }
}

export const wrongTokens: Scene = async (stage) => {
  const { exchange, random } = stage;
  exchange.daysPassed++;
  // Without a proxy that is trusted, everybody has the same one, and others were wrong, too.
  const isOne = exchange.limits === null;
  await stage.pass(isOne ? AT_ONCE * EACH_MS : 1);
  const count = isOne ? 1 : ADDRESSES;
  const all = Array.from({ length: count }, () => new Owed(isOne ? null : exchange.newAddress()));
  const [first = new Owed(null)] = all;
  for (let wrong = random.integer(0, 2); wrong > 0; wrong--) await send(stage, first, "wrong");
  await stage.pass(random.pick(LONG_AGO_MS));
  const more = random.pick(MORE);
  for (let wrong = AT_ONCE + more; wrong > 0; wrong--) await send(stage, first, "wrong");
  for (let acts = random.integer(ACTS.least, ACTS.most); acts > 0; acts--) {
    const owed = random.chance(0.7) ? first : random.pick(all);
    if (random.chance(0.3)) await wait(stage, owed);
    else await send(stage, owed, random.pick(["wrong", "wrong", "right", "none"] as const));
  }
  if (isOne) await stage.pass(AT_ONCE * EACH_MS);
  await stage.look();
};

async function wait(stage: Stage, owed: Owed): Promise<void> {
  const { exchange, random } = stage;
  const leftMs = owed.waitMs(exchange.life.time.nowMs);
  const edges = leftMs < 2 ? [] : [leftMs - 1, leftMs, leftMs + 1];
  await stage.pass(random.pick([...PAUSES_MS, ...edges, ...edges]));
}

async function send(stage: Stage, owed: Owed, kind: "wrong" | "right" | "none"): Promise<void> {
  const { exchange, random } = stage;
  const [method, path] = kind === "right" ? CALLS[0] : random.pick([...CALLS]);
  const { Authorization = "", ...others } = exchange.operatorRequest(method, path).headers;
  const header = { wrong: wrongOf(stage, Authorization), right: rightOf(stage, Authorization) };
  const headers = {
    ...others,
    ...(kind === "none" ? {} : { Authorization: header[kind] }),
    ...(owed.address === null ? {} : { "X-Forwarded-For": owed.address }),
  };
  const nowMs = exchange.life.time.nowMs;
  const waitMs = owed.waitMs(nowMs);
  const request = { method, path: `/operator/v1/${path}`, headers };
  const answer = await stage.do(exchange.send("operator", request));
  if (answer === null) return;
  const isHeard = kind === "none" || answer.status !== 429;
  if (kind === "wrong" && isHeard) owed.add(nowMs);
  const detail = () => `${kind} from ${owed.address}, ${waitMs} ms left: ${JSON.stringify(answer)}`;
  hold(isDue(kind, waitMs, answer), CHECK, detail);
}

function isDue(kind: "wrong" | "right" | "none", waitMs: number, answer: NonNullable<Outcome>) {
  const { retryAfterS, status } = answer;
  const isRefused = status === 401 && retryAfterS === undefined;
  if (kind === "none") return isRefused;
  if (status === 429) return waitMs > -SLACK_MS && isWait(retryAfterS, waitMs);
  return waitMs <= SLACK_MS && (kind === "right" ? status === 200 : isRefused);
}

function isWait(saidS: number | undefined, waitMs: number): boolean {
  return [-SLACK_MS, 0, SLACK_MS].some(
    (ms) => saidS === Math.max(1, Math.ceil((waitMs + ms) / 1_000)),
  );
}

/** Others of every form. */
function wrongOf({ random }: Stage, header: string): string {
  const digits = random.hex(64);
  return random.pick([
    `Bearer ${digits}`,
    `Bearer nobody.support.${digits}`,
    `${header}0`,
    header.slice(0, -1),
    header.replace("Bearer", "Basic"),
    "Bearer",
  ]);
}

/** The scheme may be written in any way. */
function rightOf({ random }: Stage, header: string): string {
  return random.pick([header, header, header.replace("Bearer", "bearer"), `${header} `]);
}
