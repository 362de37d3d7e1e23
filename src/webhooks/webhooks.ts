/**
 * The couriers of all webhooks. Their settings are in the engine; secrets and positions are in
 * `webhooks.db`, or in a cluster in PostgreSQL. It runs beside trading: a request at a time for
 * each webhook, a page of events in memory for each, questions to the history like anyone's.
 */
import type { Platform, Timer } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { Courier, type CourierOptions, type SendRefused, type WebhookStatus } from "./courier.ts";
import { newSecret, newWebhookId } from "./signature.ts";
import { type WebhookTargets, webhookUrlProblem } from "./targets.ts";
import type { Delivery, WebhookRecords } from "./webhook-store.ts";

const WAKE_EVERY_MS = 100;

export interface WebhooksOptions extends Omit<CourierOptions, "clock" | "randomness"> {
  readonly engine: EngineClient;
  readonly platform: Pick<Platform, "clock" | "randomness" | "scheduler">;
  readonly targets: WebhookTargets;
  readonly store: WebhookRecords;
}

/** What metrics say of a webhook. */
export interface WebhookFigures {
  readonly webhookId: string;
  readonly waiting: number;
  readonly failingSeconds: number;
  readonly failuresTotal: number;
  readonly isPaused: boolean;
  readonly hasSecret: boolean;
}

export class Webhooks {
  readonly #options: WebhooksOptions;
  readonly #couriers = new Map<string, Courier>();
  #timer: Timer | null = null;
  #isStopped = false;
  #isHeld = false;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** Takes the settings that the engine has now, as soon as it is not too busy to say them. */
  async refresh(): Promise<void> {
    const { engine, platform } = this.#options;
    let reply = await engine.query({ type: "webhooks" });
    while (!this.#isStopped && "unavailable" in reply && reply.unavailable === "overloaded") {
      await new Promise<void>((resolve) => {
        platform.scheduler.after(WAKE_EVERY_MS, resolve);
      });
      reply = await engine.query({ type: "webhooks" });
    }
    if (!reply.ok || this.#isStopped) return;
    const kept = new Set(reply.value.map(({ webhookId }) => webhookId));
    for (const [webhookId, courier] of this.#couriers) {
      if (kept.has(webhookId)) continue;
      courier.stop();
      this.#couriers.delete(webhookId);
    }
    for (const webhook of reply.value) {
      const courier = this.#couriers.get(webhook.webhookId);
      if (courier === undefined) this.#couriers.set(webhook.webhookId, this.#hire(webhook));
      else if (!courier.isAbout(webhook)) courier.change(webhook);
    }
    this.#timer?.cancel();
    this.#timer = null;
    if (this.#couriers.size === 0) return;
    this.#timer = platform.scheduler.every(WAKE_EVERY_MS, () => this.#wake());
    this.#wake();
  }

  /** A sandbox is about to go back to this command: nothing is sent until it did. */
  goBack(sequence: number): void {
    this.#isHeld = true;
    for (const courier of this.#couriers.values()) courier.stop();
    this.#options.store.goBack(sequence);
  }

  /** It went back, or stayed where it was; settings and what there is to tell are those of now. */
  async restored(): Promise<void> {
    this.#isHeld = false;
    for (const courier of this.#couriers.values()) courier.change();
    await this.refresh();
  }

  /** What is wrong with a URL, null if nothing is. */
  urlProblem(url: string): string | null {
    return webhookUrlProblem(url, this.#options.targets);
  }

  /** An id that no webhook ever had, and its secret, kept before anyone is told. */
  async create(): Promise<{ readonly webhookId: string; readonly secret: string }> {
    const webhookId = newWebhookId(this.#options.platform.randomness);
    return { webhookId, ...(await this.newSecret(webhookId, 0)) };
  }

  /** Sends go on after `position`; null: after what was delivered last, or from the beginning. */
  async newSecret(
    webhookId: string,
    position: number | null,
  ): Promise<{ readonly secret: string }> {
    const { platform, store } = this.#options;
    const secret = newSecret(platform.randomness);
    await store.put(webhookId, {
      secret,
      position: position ?? store.find(webhookId)?.position ?? 0,
    });
    this.#couriers.get(webhookId)?.change();
    return { secret };
  }

  async forget(webhookId: string): Promise<void> {
    await this.#options.store.remove(webhookId);
  }

  /** Null where there is no such webhook. */
  async status(webhookId: string): Promise<WebhookStatus | null> {
    return (await this.#couriers.get(webhookId)?.status()) ?? null;
  }

  deliveries(webhookId: string, beforeId: number, limit: number): Promise<readonly Delivery[]> {
    return this.#options.store.deliveries(webhookId, beforeId, limit);
  }

  /** See `Courier.sendByHand`. */
  async send(webhookId: string, number: number | null): Promise<Delivery | SendRefused> {
    const courier = this.#couriers.get(webhookId);
    return courier === undefined ? "unknown-number" : await courier.sendByHand(number);
  }

  async figures(): Promise<readonly WebhookFigures[]> {
    const nowMs = this.#options.platform.clock.wallMs();
    const figures: WebhookFigures[] = [];
    for (const [webhookId, courier] of this.#couriers) {
      const { deliveredNumber, failingSinceMs, hasSecret, lastNumber } = await courier.status();
      const { failuresTotal, isPaused } = courier;
      const waiting = Math.max(0, lastNumber - deliveredNumber);
      const failingSeconds = Math.max(0, (nowMs - (failingSinceMs ?? nowMs)) / 1_000);
      figures.push({ webhookId, waiting, failingSeconds, failuresTotal, isPaused, hasSecret });
    }
    return figures;
  }

  /** What was not answered is sent again after the next start. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    for (const courier of this.#couriers.values()) courier.stop();
  }

  #wake(): void {
    if (this.#isHeld) return;
    for (const courier of this.#couriers.values()) courier.wake();
  }

  #hire(webhook: ConstructorParameters<typeof Courier>[0]): Courier {
    const { clock, randomness } = this.#options.platform;
    return new Courier(webhook, { ...this.#options, clock, randomness });
  }
}
