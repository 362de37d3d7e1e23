/** Where the metrics of operation come from: the data folder, the engine and the webhooks. */
import type { EngineClient } from "../protocol/index.ts";
import type { WebhookFigures } from "../webhooks/index.ts";
import { readBackupRecords } from "./backup/backup-record.ts";
import type { Metrics } from "./metrics.ts";

interface Parts {
  readonly engine: EngineClient;
  readonly metrics: Metrics;
}

/** `figures` are those of the webhooks that this process tells. */
export function watchOperation(
  dataFolder: string,
  { engine, metrics }: Parts,
  figures: () => Promise<readonly WebhookFigures[]>,
): void {
  metrics.watchOperation(async () => {
    const [open, custody] = await Promise.all([
      engine.query({ type: "open-withdrawals" }),
      engine.query({ type: "custody" }),
    ]);
    const report = custody.ok ? custody.value.report : null;
    return {
      backups: readBackupRecords(dataFolder),
      sequence: open.ok ? open.sequence : null,
      withdrawals: open.ok
        ? open.value.map(({ state, count, oldestMs }) => {
            return { state, count, oldestAgeMs: open.timestampMs - (oldestMs ?? open.timestampMs) };
          })
        : null,
      webhooks: await figures(),
      custody:
        report === null || !custody.ok
          ? null
          : { ageMs: custody.timestampMs - report.asOfMs, rows: report.rows },
    };
  });
}
