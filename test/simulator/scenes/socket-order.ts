/** What messages of one connection are answered and when, by a naive queue of them. */
import { hold } from "../breach.ts";
import { CHECK, type LogRow } from "./sandbox-rules.ts";
import { carryOut, type Orders, openOnes, openRows, type SentMessage } from "./socket-messages.ts";

/** What a message takes besides. */
const SLACK_MS = 1_000;
/** Waits are sums of fractions. */
const FRACTION_MS = 0.001;
const LOG = "the log of requests has each of them";
const ORDER = "messages of a connection keep their order";

interface Span {
  readonly least: number;
  readonly most: number;
}

/** Faults behind which a connection ends. */
const ENDING: ReadonlySet<string> = new Set([
  ...["drop-request", "drop-answer", "truncate-answer", "stall"],
]);
const UNDONE: ReadonlySet<string> = new Set(["answer", "drop-request", "stall"]);

const SILENT: ReadonlySet<string> = new Set(["drop-request", "drop-answer", "stall"]);
const NEVER: Span = { least: Number.POSITIVE_INFINITY, most: Number.POSITIVE_INFINITY };

/**
 * When each is answered, or ends the connection: steps begin beside steps and reads beside reads,
 * everything else behind the answers before it; a delayed one holds those behind it.
 */
function spansOf(sent: readonly SentMessage[]): readonly Span[] {
  const spans: Span[] = [];
  let began: Span = { least: 0, most: 0 };
  let due = began;
  let sharing: string | null = null;
  let answered: Span = { least: 0, most: 0 };
  for (const [index, { call, met, sentMs }] of sent.entries()) {
    const before = sent[index - 1]?.call.sharing ?? call.sharing;
    const isAlone = call.sharing !== "local" && sharing !== null && sharing !== call.sharing;
    // Behind one that is carried out at once, it depends on what is under way.
    const mayBeAlone = call.sharing !== "local" && before !== call.sharing;
    began = {
      least: Math.max(sentMs, began.least, isAlone ? answered.least : 0),
      most: Math.max(sentMs, began.most, mayBeAlone ? answered.most : 0),
    };
    due = {
      least: Math.max(due.least, began.least + met.least),
      most: Math.max(due.most, began.most + met.most),
    };
    const heldMs = met.fault?.kind === "stall" ? met.fault.ms : 0;
    const span = { least: due.least + heldMs, most: due.most + heldMs + SLACK_MS };
    spans.push(span);
    answered = {
      least: Math.max(answered.least, span.least),
      most: Math.max(answered.most, span.most),
    };
    if (call.sharing !== "local") sharing = call.sharing;
  }
  return spans;
}

/** Whether all were answered. `open`: the orders that wait then. */
export function checkMessages(
  sent: readonly SentMessage[],
  open: readonly Readonly<Record<string, unknown>>[],
): boolean {
  const spans = spansOf(sent);
  const endsAt = sent.findIndex(({ met }) => ENDING.has(met.fault?.kind ?? ""));
  const ends = spans[endsAt] ?? NEVER;
  const detail = () => JSON.stringify([spans, endsAt, open, sent.map(wordsOf)]);
  const end = sent[endsAt];
  const last = end === undefined ? sent.length - 1 : endsAt;
  let orders: Orders = new Map();
  /** Behind an answer that is lost, some may have been carried out beside it. */
  let mayFollow = true;
  const states: string[] = [];
  for (const [index, one] of sent.entries()) {
    const span = spans[index] ?? NEVER;
    const isBehind = end !== undefined && index > endsAt;
    if (isBehind) mayFollow &&= [end.call.sharing, "local"].includes(one.call.sharing);
    const carried = carryOut(one, orders);
    const kind = one.met.fault?.kind ?? "";
    if (mayFollow && !UNDONE.has(kind)) orders = carried.orders;
    if (index >= last) states.push(openOnes(orders));
    const isInTime = one.atMs >= span.least - FRACTION_MS && one.atMs <= span.most;
    if (one.outcome === null) {
      const mayBeLost = isBehind || (end !== undefined && span.most >= ends.least);
      hold(mayBeLost && (index !== endsAt || isInTime), CHECK, detail);
    } else {
      hold(isInTime && index !== endsAt && mayFollow, CHECK, detail);
      const isSo = kind === "answer" ? isMade(one) : carried.fits(one.outcome);
      hold(isSo, ORDER, detail);
    }
    if (ENDING.has(kind) && UNDONE.has(kind)) mayFollow = false;
  }
  hold(states.includes(openRows(open)), ORDER, detail);
  return end === undefined;
}

function wordsOf({ atMs, call, met, outcome, params, sentMs }: SentMessage) {
  return [call.name, params, met, sentMs, atMs, outcome];
}

/** As the rule says it. */
function isMade({ met: { fault }, outcome }: SentMessage): boolean {
  if (fault?.kind !== "answer" || outcome === null) return false;
  const { code } = outcome.body as { readonly code?: number };
  return outcome.status === fault.status && (fault.code ?? code) === code;
}

/** Each message that was met is in the log, once; of those behind the last one some may be. */
export function checkLog(sent: readonly SentMessage[], rows: readonly LogRow[]): void {
  const endsAt = sent.findIndex(({ met }) => ENDING.has(met.fault?.kind ?? ""));
  const left = [...rows];
  const detail = () => JSON.stringify([rows, endsAt, sent.map(wordsOf)]);
  const lostLast = [...sent.entries()].sort(([, one], [, other]) => {
    return Number(one.outcome === null) - Number(other.outcome === null);
  });
  for (const [index, one] of lostLast) {
    const at = left.findIndex((row) => isAbout(row, one));
    if (at >= 0) left.splice(at, 1);
    const isBehind = endsAt >= 0 && index > endsAt;
    hold(at >= 0 || isBehind, LOG, detail);
  }
  hold(left.length === 0, LOG, detail);
}

function isAbout({ fault, route, status }: LogRow, { call, met, outcome }: SentMessage): boolean {
  const name = call.method === "" ? call.name : `${call.method} ${call.path}`;
  if (route !== name || fault !== met.rule) return false;
  if (SILENT.has(met.fault?.kind ?? "")) return status === null;
  return status !== null && (outcome === null || outcome.status === status);
}
