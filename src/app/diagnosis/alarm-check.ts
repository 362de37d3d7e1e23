/**
 * The alarms of `deploy/prometheus`, asked of a running exchange at this moment. Two are not here:
 * one needs the speed of commits over minutes, the other the metrics of all nodes of a cluster.
 */
import { type Check, fail, ok, warn } from "./check.ts";

export interface Alarm {
  readonly name: string;
  /** As in the rule: a metric, perhaps with one label, compared with a number. */
  readonly when: string;
  readonly severity: "page" | "warn";
}

const page = (name: string, when: string): Alarm => ({ name, when, severity: "page" });
const today = (name: string, when: string): Alarm => ({ name, when, severity: "warn" });

export const ALARMS: readonly Alarm[] = [
  page("RialtoDiskNearlyFull", "rialto_journal_nearly_full == 1"),
  today("RialtoHistoryBehind", "rialto_history_lag_commands > 100000"),
  page("RialtoBackupOld", "rialto_backup_age_seconds > 900"),
  today("RialtoBackupBehind", "rialto_backup_lag_commands > 1000000"),
  page("RialtoCustodyShortage", "rialto_custody_shortage > 0"),
  today("RialtoCustodyReportOld", "rialto_custody_report_age_seconds > 90000"),
  today("RialtoWithdrawalUndecided", 'rialto_withdrawal_oldest_seconds{state="requested"} > 14400'),
  page("RialtoWithdrawalStuck", 'rialto_withdrawal_oldest_seconds{state=~"approved|sent"} > 7200'),
  page("RialtoWebhookFailing", "rialto_webhook_failing_seconds > 600"),
  today("RialtoWebhookBehind", "rialto_webhook_waiting > 10000"),
  today("RialtoWebhookWithoutSecret", "rialto_webhook_without_secret == 1"),
  page("RialtoIndexStale", "rialto_index_stale == 1"),
  page("RialtoInsuranceDraining", "rialto_insurance_draw_used > 0.8"),
  page("RialtoNoQuorum", "max(rialto_quorum_members) < 2"),
  page("RialtoUnconfirmed", "rialto_confirmed_lag > 1"),
  page("RialtoMemberDiverged", "rialto_diverged_members > 0"),
  page("RialtoLogPartition", "rialto_log_partition_left_ratio < 0.2"),
  today("RialtoQuorumWithoutSpare", "max(rialto_quorum_members) == 2"),
  page("RialtoNodeBehind", "rialto_log_lag_seconds > 1"),
];

const RULE = /^(?:max\()?(\w+)(?:\{(\w+)=~?"([^"]+)"\})?\)? (==|>|<) ([\d.]+)$/;
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/;

const COMPARISONS: Readonly<Record<string, (value: number, bound: number) => boolean>> = {
  "==": (value, bound) => value === bound,
  ">": (value, bound) => value > bound,
  "<": (value, bound) => value < bound,
};

/** `metrics` is the page that Prometheus scrapes. */
export function checkAlarms(metrics: string): Check {
  const name = "alarms";
  const sounding = ALARMS.flatMap((alarm) =>
    samplesOf(alarm, metrics).map((sample) => ({ ...alarm, sample })),
  );
  if (sounding.length === 0) return ok(name, "none sounds");
  const finding = sounding.map((alarm) => `${alarm.name} (${alarm.sample})`).join("; ");
  const next = "See docs/operating/alarms.md: what it means, and what to do.";
  const isUrgent = sounding.some(({ severity }) => severity === "page");
  return isUrgent ? fail(name, finding, next) : warn(name, finding, next);
}

/** The samples for which it sounds. */
function samplesOf({ when }: Alarm, metrics: string): readonly string[] {
  const [, metric, label, values = "", comparison = "", bound] = RULE.exec(when) ?? [];
  const wanted = values.split("|").map((value) => `${label}="${value}"`);
  return metrics.split("\n").filter((line) => {
    const [, name, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (name !== metric) return false;
    if (label !== undefined && !labels.split(",").some((each) => wanted.includes(each))) {
      return false;
    }
    return COMPARISONS[comparison]?.(Number(value), Number(bound)) ?? false;
  });
}
