/**
 * Tells one webhook what history has for it: one request at a time with the events that come next,
 * again and again until one is answered with 2xx, then the next. So every event is delivered at
 * least once and in order, and what waits is in the history, not in memory.
 */
import type { Clock, Randomness } from "../platform/index.ts";
import type { WebhookView } from "../protocol/index.ts";
import type { HistoryPort, WebhookEventEntry } from "../queries/history-port.ts";
import type { Post } from "./post.ts";
import { signature } from "./signature.ts";
import type { Delivery, DeliveryKind, WebhookRecords } from "./webhook-store.ts";

export interface CourierOptions {
  readonly post: Post;
  readonly store: WebhookRecords;
  readonly history: HistoryPort;
  /** How far the history is: nothing new for a webhook comes before it moves. */
  readonly historySequence: () => number;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Of the venue: a restored copy numbers its events anew from where it was restored. */
  readonly venueId: string;
  readonly warn: (fields: object, message: string) => void;
}

/** How a webhook is doing. */
export interface WebhookStatus {
  /** Without a secret nothing is sent. */
  readonly hasSecret: boolean;
  /** The number of the last event that was delivered, and of the last one that there is. */
  readonly deliveredNumber: number;
  readonly lastNumber: number;
  /** Tries since the last success. */
  readonly failures: number;
  /** Wall clock of the first of them; null while all is well. */
  readonly failingSinceMs: number | null;
  readonly lastError: string | null;
}

export type SendRefused = "no-secret" | "busy" | "unknown-number" | "unavailable";

const EVENTS_PER_REQUEST = 100;
/** After a page that was not full: what happens meanwhile shares the next request. */
const PAUSE_MS = 250;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 600_000;
const JITTER_STEPS = 256;

export class Courier {
  readonly #options: CourierOptions;
  #webhook: WebhookView;
  #ending = new AbortController();
  #isDelivering = false;
  #isSendingByHand = false;
  /** The history had nothing more when it was there; -1 when that is not known. */
  #emptyAt = -1;
  #failures = 0;
  #failingSinceMs: number | null = null;
  #lastError: string | null = null;
  /** Nothing is sent before: after a failure, or for more to come. */
  #waitUntilMs = 0;
  #failuresTotal = 0;

  constructor(webhook: WebhookView, options: CourierOptions) {
    this.#webhook = webhook;
    this.#options = options;
  }

  /** Failed tries since the start of the process. */
  get failuresTotal(): number {
    return this.#failuresTotal;
  }

  get isPaused(): boolean {
    return this.#webhook.isPaused;
  }

  /** New settings, or a new secret: what is under way ends, and is tried again with them. */
  change(webhook: WebhookView = this.#webhook): void {
    this.stop();
    this.#ending = new AbortController();
    this.#webhook = webhook;
    this.#waitUntilMs = 0;
    this.#emptyAt = -1;
  }

  isAbout(webhook: WebhookView): boolean {
    return JSON.stringify(webhook) === JSON.stringify(this.#webhook);
  }

  /** Sends what there is, if it is time for that. */
  wake(): void {
    const { clock, historySequence } = this.#options;
    if (this.#isDelivering || this.#webhook.isPaused || this.#ending.signal.aborted) return;
    if (clock.monotonicMs() < this.#waitUntilMs || historySequence() === this.#emptyAt) return;
    this.#isDelivering = true;
    void this.#deliver().finally(() => {
      this.#isDelivering = false;
    });
  }

  /** Ends what is being sent; the result of it no longer counts. */
  stop(): void {
    this.#ending.abort();
  }

  async status(): Promise<WebhookStatus> {
    const { webhookId } = this.#webhook;
    const known = this.#options.store.find(webhookId);
    const deliveredNumber = known?.position ?? 0;
    const found = await this.#events(deliveredNumber, 1);
    return {
      hasSecret: known !== null,
      deliveredNumber,
      lastNumber: found?.lastNumber ?? deliveredNumber,
      failures: this.#failures,
      failingSinceMs: this.#failingSinceMs,
      lastError: this.#lastError,
    };
  }

  /** Sends an event again, or with null an event that says nothing; once, and out of turn. */
  async sendByHand(number: number | null): Promise<Delivery | SendRefused> {
    const { store } = this.#options;
    const secret = store.find(this.#webhook.webhookId)?.secret;
    if (secret === undefined) return "no-secret";
    if (this.#isSendingByHand) return "busy";
    this.#isSendingByHand = true;
    try {
      const found = number === null ? { events: [] } : await this.#events(number - 1, 1);
      if (found === null) return "unavailable";
      if (number !== null && found.events[0]?.number !== number) return "unknown-number";
      const kind = number === null ? "test" : "redelivery";
      return await this.#send(kind, found.events, secret, 1, this.#ending.signal);
    } finally {
      this.#isSendingByHand = false;
    }
  }

  async #deliver(): Promise<void> {
    const { clock, store, historySequence } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted && !this.#webhook.isPaused) {
      const { webhookId } = this.#webhook;
      const before = historySequence();
      const known = store.find(webhookId);
      if (known !== null && known.backToSequence !== null) {
        if (!(await this.#goBack(known.position, known.backToSequence, signal))) return;
        continue;
      }
      const found = known && (await this.#events(known.position, EVENTS_PER_REQUEST));
      if (signal.aborted) return;
      // The history is busy: the next call asks again.
      if (known !== null && found === null) return;
      const last = found?.events.at(-1);
      if (known === null || found === null || last === undefined) {
        this.#emptyAt = before;
        // An operator may have passed over what it did not take.
        this.#recovered();
        return;
      }
      const attempt = this.#failures + 1;
      const delivery = await this.#send("events", found.events, known.secret, attempt, signal);
      if (signal.aborted) return;
      const isNoted = isDelivered(delivery) && (await this.#moveTo(last.number));
      if (signal.aborted) return;
      if (!isNoted) return this.#fail(delivery);
      this.#recovered();
      if (found.events.length < EVENTS_PER_REQUEST) {
        this.#waitUntilMs = clock.monotonicMs() + PAUSE_MS;
        return;
      }
    }
  }

  /** To the last event, of those delivered, that was before a command; false: not now. */
  async #goBack(position: number, sequence: number, signal: AbortSignal): Promise<boolean> {
    let happened = 0;
    let later = position + 1;
    while (later - happened > 1) {
      const number = Math.floor((happened + later) / 2);
      const found = await this.#events(number - 1, 1);
      if (found === null || signal.aborted) return false;
      const [event] = found.events;
      if (event !== undefined && event.sequence <= sequence) happened = number;
      else later = number;
    }
    this.#options.store.wentBack(this.#webhook.webhookId, happened);
    return true;
  }

  async #moveTo(number: number): Promise<boolean> {
    const { store, warn } = this.#options;
    const { webhookId } = this.#webhook;
    try {
      await store.moveTo(webhookId, number);
      return true;
    } catch (error) {
      warn({ webhook: webhookId, error: String(error) }, "a delivery cannot be noted");
      return false;
    }
  }

  #recovered(): void {
    this.#failures = 0;
    this.#failingSinceMs = null;
    this.#lastError = null;
  }

  #fail({ status, error }: Delivery): void {
    const { clock, randomness, warn } = this.#options;
    const { webhookId } = this.#webhook;
    this.#failures++;
    this.#failuresTotal++;
    this.#failingSinceMs ??= clock.wallMs();
    this.#lastError = error ?? `answered ${status}`;
    const waitMs = Math.min(RETRY_FIRST_MS * 2 ** (this.#failures - 1), RETRY_MAX_MS);
    // Up to half as long again, so that many do not try in step.
    const jitter = (randomness.bytes(1)[0] ?? 0) / JITTER_STEPS / 2;
    this.#waitUntilMs = clock.monotonicMs() + waitMs * (1 + jitter);
    if (this.#failures === 1) {
      warn({ webhook: webhookId, error: this.#lastError }, "a webhook does not take its events");
    }
  }

  async #events(afterNumber: number, limit: number) {
    const { webhookId } = this.#webhook;
    const question = { webhookId, afterNumber, limit };
    const reply = await this.#options.history.query("webhook-events", question, 0);
    return "unavailable" in reply ? null : reply.answer;
  }

  async #send(
    kind: DeliveryKind,
    events: readonly WebhookEventEntry[],
    secret: string,
    attempt: number,
    signal: AbortSignal,
  ): Promise<Delivery> {
    const { clock, post, store, venueId, warn } = this.#options;
    const { url, webhookId } = this.#webhook;
    const timeMs = Math.round(clock.wallMs());
    const body = bodyOf(webhookId, venueId, kind, events);
    const headers = {
      "content-type": "application/json",
      "user-agent": "rialto-webhooks",
      "x-rialto-webhook": webhookId,
      "x-rialto-timestamp": String(timeMs),
      "x-rialto-signature": `sha256=${signature(secret, timeMs, body)}`,
    };
    const startedMs = clock.monotonicMs();
    const outcome = await post({ url, headers, body, signal });
    const sent = {
      timeMs,
      kind,
      firstNumber: events[0]?.number ?? 0,
      lastNumber: events.at(-1)?.number ?? 0,
      attempt,
      status: "status" in outcome ? outcome.status : null,
      error: "error" in outcome ? outcome.error : null,
      durationMs: Math.round(clock.monotonicMs() - startedMs),
    };
    if (signal.aborted) return { deliveryId: 0, ...sent };
    try {
      return await store.note(webhookId, sent);
    } catch (error) {
      warn({ webhook: webhookId, error: String(error) }, "a delivery cannot be noted");
      return { deliveryId: 0, ...sent };
    }
  }
}

function isDelivered({ status }: Pick<Delivery, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

function bodyOf(
  webhookId: string,
  venue: string,
  kind: DeliveryKind,
  events: readonly WebhookEventEntry[],
): string {
  // `data` is JSON already.
  const texts = events.map(({ number, type, uid, timeMs: time, sequence, data }) => {
    const head = JSON.stringify({ number, type, uid: uid === 0 ? null : uid, time, sequence });
    return `${head.slice(0, -1)},"data":${data}}`;
  });
  const head = JSON.stringify({ webhookId, venue, kind });
  return `${head.slice(0, -1)},"events":[${texts.join(",")}]}`;
}
