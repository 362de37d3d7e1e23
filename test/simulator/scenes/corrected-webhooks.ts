/**
 * A webhook whose receiver fails for a while, each time longer before the next try, until somebody
 * corrects it, or the receiver: what is changed is tried at once, everything else when its wait is
 * over, and what is paused, passed over or removed is not.
 */
import { hold } from "../breach.ts";
import { checkTaken, dueOf } from "../errands/webhook-check.ts";
import {
  type Hook,
  RECEIVER_PORT,
  type Received,
  type Receiver,
} from "../errands/webhook-receiver.ts";
import { add, ask, patch, receiverOf, removeNow, renewAfter } from "../errands/webhooks.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

const TRIES = [3, 5] as const;
const LOOK_MS = 250;
/** The waits of so many tries and their answers, which may never come. */
const TRIES_WITHIN_MS = 120_000;
/** Those who are reminded wake ten times a second; the history is behind the disk. */
const PROMPT_MS = 2_000;
const FIRST_WAIT_MS = 1_000;
/** Up to half as long again. */
const JITTER = 1.5;
/** For an answer. */
const ANSWERED_WITHIN_MS = 10_000;
const QUIET_MS = 40_000;
const PAUSES_MS = [500, QUIET_MS];
const FAILURES = ["fails", "redirects", "breaks", "talks garbage", "takes and fails", "hangs"];
const CORRECTIONS = ["url", "secret", "kinds", "pause", "skip", "remove", "nothing"] as const;
const CHECK = "a webhook is tried again when it is due";

export const correctedWebhooks: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  const receiver = receiverOf(exchange, random);
  if (exchange.hasLied || !receiver.isJudging) return;
  receiver.recover();
  const trader = random.pick([...traders]);
  const url = urlOf("/wrong");
  const settings = { url, kinds: ["deposits"], accounts: [] };
  const hook = await stage.do(add({ exchange, receiver }, settings));
  if (hook === null) return;
  const way = random.pick(FAILURES) as ReturnType<Receiver["refuses"]>;
  const outage = new Outage({ stage, receiver, hook, trader, isSilent: way === "hangs" });
  receiver.refuses = (one, path) => (one === hook && outage.isFailing(path) ? way : null);
  try {
    await outage.play(random.pick(CORRECTIONS));
  } finally {
    receiver.refuses = () => null;
  }
  if (!hook.isRemoved) await stage.do(removeNow({ exchange, receiver }, hook));
  await stage.look();
};

function urlOf(path: string): string {
  return `http://127.0.0.1:${RECEIVER_PORT}${path}`;
}

interface Cast {
  readonly stage: Stage;
  readonly receiver: Receiver;
  readonly hook: Hook;
  readonly trader: Trader;
  /** Whether the receiver never answers, in place of failing at once. */
  readonly isSilent: boolean;
}

class Outage {
  readonly #stage: Stage;
  readonly #receiver: Receiver;
  readonly #hook: Hook;
  readonly #trader: Trader;
  readonly #answersMs: number;
  #from: number;
  #isOver = false;

  constructor({ hook, isSilent, receiver, stage, trader }: Cast) {
    this.#stage = stage;
    this.#receiver = receiver;
    this.#hook = hook;
    this.#trader = trader;
    this.#answersMs = isSilent ? ANSWERED_WITHIN_MS : 0;
    this.#from = receiver.received.length;
  }

  isFailing(path: string): boolean {
    return !this.#isOver && path === "/wrong";
  }

  async play(correction: (typeof CORRECTIONS)[number]): Promise<void> {
    const { exchange, random } = this.#stage;
    if (random.chance(0.5)) await this.#takeFirst();
    await this.#pay();
    const most = random.integer(...TRIES);
    await this.#waitFor(() => this.#tries.length >= most, TRIES_WITHIN_MS);
    this.#checkWaits();
    await this.#checkStatus();
    if (random.chance(0.5)) await this.#pay();
    const before = this.#tries.length;
    const askedMs = exchange.life.time.nowMs;
    if (correction === "nothing") {
      this.#isOver = true;
      await this.#told();
      return this.#checkWaits();
    }
    await this.#correct(correction);
    const isTried = correction === "url" || correction === "secret" || correction === "kinds";
    if (isTried || correction === "pause") await this.#isTriedSince(askedMs, before);
    if (isTried) this.#checkPlace(before);
    if (correction === "remove") return await this.#isLeftAlone();
    await this.#told();
    const [paidMs, known] = [exchange.life.time.nowMs, this.#tries.length];
    await this.#pay();
    await this.#isTriedSince(paidMs, known);
    await this.#told();
  }

  /** It has taken some before it fails. */
  async #takeFirst(): Promise<void> {
    this.#isOver = true;
    await this.#pay();
    await this.#told();
    this.#isOver = false;
    this.#from = this.#receiver.received.length;
  }

  /** With another address or secret it goes on where it was. */
  #checkPlace(before: number): void {
    const [first] = this.#tries;
    const others = this.#tries
      .slice(before)
      .filter((one) => one.firstNumber < (first?.firstNumber ?? 0));
    hold(others.length === 0, CHECK, () => JSON.stringify([first, others]));
  }

  async #correct(correction: Exclude<(typeof CORRECTIONS)[number], "nothing">): Promise<void> {
    const { exchange } = this.#stage;
    const [hook, receiver] = [this.#hook, this.#receiver];
    const desk = { exchange, receiver };
    const change = (body: Parameters<typeof patch>[2]) => this.#stage.do(patch(desk, hook, body));
    if (correction === "url") return await change({ url: urlOf("/right") });
    if (correction === "remove") return await this.#stage.do(removeNow(desk, hook));
    this.#isOver = true;
    if (correction === "kinds") return await change({ kinds: ["deposits", "withdrawals"] });
    if (correction === "pause") {
      await change({ paused: true });
      await this.#isLeftAlone(this.#stage.random.pick(PAUSES_MS));
      return await change({ paused: false });
    }
    await this.#stage.look();
    const after = correction === "skip" ? dueOf(exchange, hook).lastNumber : undefined;
    await this.#stage.do(renewAfter(desk, hook, after));
  }

  /** Of the webhook, those that are not made by hand. */
  get #tries(): readonly Received[] {
    const { webhookId } = this.#hook;
    return this.#receiver.received
      .slice(this.#from)
      .filter((one) => one.webhookId === webhookId && one.kind === "events");
  }

  async #pay(): Promise<void> {
    const moved = { account: "spot", asset: "USDT", amount: "1" } as const;
    await this.#stage.move(this.#trader, "deposits", moved);
    await this.#stage.look();
  }

  async #waitFor(isSo: () => boolean, mostMs: number): Promise<void> {
    for (let waited = 0; waited < mostMs && !isSo(); waited += LOOK_MS) {
      await this.#stage.pass(LOOK_MS);
    }
    const detail = () => JSON.stringify([this.#hook.last, this.#words]);
    hold(isSo(), CHECK, detail);
  }

  get #words() {
    return this.#tries.map(({ atMs, firstNumber, status }) => [atMs, firstNumber, status]);
  }

  /** Each wait is twice as long as the one before, and up to half as long again. */
  #checkWaits(): void {
    const tries = this.#tries;
    for (const [index, { atMs }] of tries.entries()) {
      const before = tries[index - 1];
      if (before === undefined) continue;
      const leastMs = FIRST_WAIT_MS * 2 ** (index - 1) + this.#answersMs;
      const mostMs = leastMs * JITTER + PROMPT_MS;
      const waitedMs = atMs - before.atMs;
      const isDue = waitedMs >= leastMs - 1 && waitedMs <= mostMs;
      hold(
        isDue,
        CHECK,
        () => `${index}: ${waitedMs} of ${leastMs}, ${JSON.stringify(this.#words)}`,
      );
    }
  }

  /** The last of the tries may be on its way. */
  async #checkStatus(): Promise<void> {
    const { exchange } = this.#stage;
    const path = `webhooks/${this.#hook.webhookId}`;
    const outcome = await this.#stage.do(ask(exchange, "GET", path));
    if (outcome?.status !== 200) return;
    const { deliveredNumber, failures, lastError } = outcome.body as Readonly<
      Record<string, unknown>
    >;
    const { length } = this.#tries;
    const isCounted = failures === length || failures === length - 1;
    const isHere = deliveredNumber === (this.#tries[0]?.firstNumber ?? 1) - 1;
    const isSaid = isCounted && isHere && typeof lastError === "string";
    const detail = () => JSON.stringify([outcome.body, this.#words]);
    hold(isSaid, "operators see how a webhook fails", detail);
  }

  async #isTriedSince(askedMs: number, before: number): Promise<void> {
    await this.#waitFor(() => this.#tries.length > before, PROMPT_MS);
    const { atMs } = this.#tries[before] as Received;
    hold(atMs >= askedMs, CHECK, () => `${askedMs}: ${JSON.stringify(this.#words)}`);
  }

  /** Nothing comes, however long its wait would have been. */
  async #isLeftAlone(ms = QUIET_MS): Promise<void> {
    const before = this.#tries.length;
    await this.#stage.pass(ms);
    hold(this.#tries.length === before, CHECK, () => JSON.stringify(this.#words));
  }

  /** What came while the webhook was changed comes again. */
  async #told(): Promise<void> {
    const { exchange } = this.#stage;
    const hook = this.#hook;
    await this.#stage.look();
    const isTold = () => !hook.isOwed && hook.last === dueOf(exchange, hook).lastNumber;
    await this.#waitFor(isTold, TRIES_WITHIN_MS);
    checkTaken(exchange, hook);
  }
}
