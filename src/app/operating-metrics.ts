/**
 * Metrics of what an operator has to look after: the backup, withdrawals that wait, webhooks and
 * custody. Asked for when metrics are requested, at most once a second.
 */
import { Counter, Gauge, type Registry } from "@prometheus-io/client";
import type { Clock } from "../platform/index.ts";
import type { BackupRecord } from "./backup/backup-record.ts";

const ASKED_EVERY_MS = 1_000;

/** What there is now; a part is null where there is none, or nobody could answer. */
export interface Operation {
  /** The last backup of each target. */
  readonly backups: readonly BackupRecord[];
  /** Of the last command. */
  readonly sequence: number | null;
  readonly withdrawals:
    | readonly { readonly state: string; readonly count: number; readonly oldestAgeMs: number }[]
    | null;
  readonly webhooks: readonly {
    readonly webhookId: string;
    readonly waiting: number;
    readonly failingSeconds: number;
    readonly failuresTotal: number;
    readonly hasSecret: boolean;
  }[];
  readonly custody: {
    readonly ageMs: number;
    readonly rows: readonly {
      readonly asset: string;
      readonly difference: string | null;
      readonly shortage: string | null;
    }[];
  } | null;
}

export type AskOperation = () => Promise<Operation>;

export class OperatingMetrics {
  readonly #ask: AskOperation;
  readonly #clock: Clock;
  readonly #backupAge: Gauge<"target">;
  readonly #backupLag: Gauge<"target">;
  readonly #custodyAge: Gauge;
  readonly #gauges: readonly Gauge<"target" | "state" | "webhook" | "asset">[];
  readonly #open: Gauge<"state">;
  readonly #oldest: Gauge<"state">;
  readonly #waiting: Gauge<"webhook">;
  readonly #failing: Gauge<"webhook">;
  readonly #withoutSecret: Gauge<"webhook">;
  readonly #failures: Counter<"webhook">;
  readonly #difference: Gauge<"asset">;
  readonly #shortage: Gauge<"asset">;
  readonly #shortestMs: number;
  #askedMs = Number.NEGATIVE_INFINITY;

  constructor(registry: Registry, ask: AskOperation, clock: Clock, shortestMs = ASKED_EVERY_MS) {
    this.#ask = ask;
    this.#clock = clock;
    this.#shortestMs = shortestMs;
    const registers = [registry];
    const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge<Label>({ name: `rialto_${name}`, help, labelNames, registers });
    this.#backupAge = gauge(
      "backup_age_seconds",
      "Since the last backup to a target; absent without one",
      "target",
    );
    this.#backupLag = gauge(
      "backup_lag_commands",
      "Commands that the last backup to a target does not have",
      "target",
    );
    this.#custodyAge = gauge(
      "custody_report_age_seconds",
      "Since custody was last reported; absent before",
    );
    this.#open = gauge("withdrawals_open", "Open withdrawals by state", "state");
    this.#oldest = gauge(
      "withdrawal_oldest_seconds",
      "How long the oldest open withdrawal has been in its state",
      "state",
    );
    this.#waiting = gauge("webhook_waiting", "Events that a webhook was not told yet", "webhook");
    this.#failing = gauge(
      "webhook_failing_seconds",
      "Since a webhook last took its events; 0 while it takes them",
      "webhook",
    );
    this.#withoutSecret = gauge(
      "webhook_without_secret",
      "1 while a webhook is sent nothing for want of a secret, as after a restore",
      "webhook",
    );
    this.#failures = new Counter({
      name: "rialto_webhook_failures_total",
      help: "Requests that a webhook did not take",
      labelNames: ["webhook"],
      registers,
    });
    this.#difference = gauge(
      "custody_difference",
      "What custody reported minus what the exchange owed, in the asset",
      "asset",
    );
    this.#shortage = gauge(
      "custody_shortage",
      "What custody lacked even if all that was in flight had left it, in the asset",
      "asset",
    );
    this.#gauges = [
      ...[this.#backupAge, this.#backupLag, this.#open],
      ...[this.#oldest, this.#waiting, this.#failing, this.#withoutSecret],
      ...[this.#difference, this.#shortage],
    ] as Gauge<"target" | "state" | "webhook" | "asset">[];
  }

  /** Asks again unless it just did. */
  async refresh(): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#askedMs < this.#shortestMs) return;
    this.#askedMs = nowMs;
    const { backups, custody, sequence, webhooks, withdrawals } = await this.#ask();
    // What no longer exists must not keep its last value.
    for (const gauge of this.#gauges) gauge.reset();
    this.#failures.reset();
    const wallMs = this.#clock.wallMs();
    for (const { target, madeMs, sequence: last } of backups) {
      this.#backupAge.set({ target }, (wallMs - madeMs) / 1_000);
      if (sequence !== null) this.#backupLag.set({ target }, Math.max(0, sequence - last));
    }
    setAge(this.#custodyAge, custody?.ageMs ?? null);
    for (const { state, count, oldestAgeMs } of withdrawals ?? []) {
      this.#open.set({ state }, count);
      this.#oldest.set({ state }, oldestAgeMs / 1_000);
    }
    for (const figures of webhooks) {
      const { webhookId: webhook, waiting, failingSeconds, failuresTotal, hasSecret } = figures;
      this.#waiting.set({ webhook }, waiting);
      this.#failing.set({ webhook }, failingSeconds);
      this.#withoutSecret.set({ webhook }, hasSecret ? 0 : 1);
      this.#failures.inc({ webhook }, failuresTotal);
    }
    for (const { asset, difference, shortage } of custody?.rows ?? []) {
      if (difference !== null) this.#difference.set({ asset }, Number(difference));
      if (shortage !== null) this.#shortage.set({ asset }, Number(shortage));
    }
  }
}

/** Absent where there is none: 0 would be a lie. */
function setAge(gauge: Gauge, ageMs: number | null): void {
  if (ageMs === null) gauge.remove();
  else gauge.set(ageMs / 1_000);
}
