/** The status of the running exchange, as its operator API reports it. */
import { checkAlarms } from "./alarm-check.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** The result of querying a running exchange. */
export type Probe =
  | {
      readonly kind: "answered";
      readonly sequence: number;
      readonly violations: readonly string[];
      readonly historyLag: number;
      readonly nearlyFull: boolean;
      /** What custody lacks, such as "0.5 USDT"; null where custody was never reported. */
      readonly shortages: readonly string[] | null;
      /** Webhooks that do not take their events, each with why. */
      readonly failingWebhooks: readonly string[];
      /** The page that Prometheus scrapes. */
      readonly metrics: string;
    }
  /** Nothing listens at that address. */
  | { readonly kind: "nobody"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/** Commands that the history may briefly lag behind under load. */
const HISTORY_LAG_MAX = 10_000;

/** `isHeld`: an exchange holds the data folder. */
export function checkExchange(probe: Probe, url: string, isHeld: boolean): Check {
  const name = "exchange";
  if (probe.kind === "refused") {
    return fail(
      name,
      probe.message,
      "Fix this and run doctor again; until then its health is unknown.",
    );
  }
  if (probe.kind === "nobody") {
    if (!isHeld) {
      return warn(name, `not running; nothing listens on ${url}`, "Start it: `npm start`.");
    }
    return fail(
      name,
      `an exchange uses the folder, but nothing listens on ${url}`,
      "Give its address with --operator-url; if it is starting, wait for its ready line.",
    );
  }
  const { sequence, violations, historyLag, nearlyFull } = probe;
  if (violations.length > 0) {
    const next = "Stop it, keep a copy of the folder, and check `rialto journal verify --replay`.";
    return fail(name, `broken invariants: ${violations.join("; ")}`, next);
  }
  if (nearlyFull) {
    return fail(name, "its disk is nearly full: orders are refused", "Free disk space.");
  }
  const finding = `answers on ${url}, sequence ${sequence}, invariants hold`;
  if (!isHeld) {
    const next = "Name its folder with --data-dir to check that one.";
    return warn(name, `${finding}; but it uses another folder`, next);
  }
  if (historyLag > HISTORY_LAG_MAX) {
    const next = "History queries wait meanwhile; if it does not catch up, the disk is too slow.";
    return warn(name, `${finding}; its history is ${historyLag} commands behind`, next);
  }
  return ok(name, finding);
}

/** Custody, webhooks and alarms of a running exchange; nothing of one that did not answer. */
export function checkOperation(probe: Probe): readonly Check[] {
  if (probe.kind !== "answered") return [];
  const { shortages, failingWebhooks, metrics } = probe;
  return [checkCustody(shortages), checkWebhooks(failingWebhooks), checkAlarms(metrics)];
}

function checkCustody(shortages: readonly string[] | null): Check {
  const name = "custody";
  if (shortages === null) return ok(name, "its balances were never reported");
  if (shortages.length === 0) return ok(name, "holds what the exchange owes");
  const next = "Halt withdrawals, report again, and compare what moved since the last good report.";
  return fail(name, `lacks ${shortages.join(", ")}`, next);
}

function checkWebhooks(failing: readonly string[]): Check {
  const name = "webhooks";
  if (failing.length === 0) return ok(name, "none fails");
  const next =
    "Repair the receiver; what waits is sent when it answers. See docs/operating/alarms.md.";
  return warn(name, failing.join("; "), next);
}
