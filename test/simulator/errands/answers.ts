/** What was answered of withdrawals and deposits must fit the story that the journal tells. */
import { isDeepStrictEqual } from "node:util";
import { hold } from "../breach.ts";
import type { FundingChannel, FundingMoment } from "../funding-timelines.ts";
import type { Outcome, SimulatedExchange } from "../simulated-exchange.ts";

/** Or left for a second operator. */
const REFUSED = new Set([202, 400, 404, 409, 429, 503]);

/** What a call answers of one of them. */
export interface Said {
  readonly withdrawalId?: number;
  readonly depositId?: number;
  /** In the words of the operator or of the user. */
  readonly state?: string;
  readonly status?: string;
  readonly time?: number;
  readonly updateTime?: number;
}

/** Null unless it was accepted. What it says was so after some command. */
export function accepted<Answer extends Said>(
  exchange: SimulatedExchange,
  what: string,
  outcome: Outcome,
  asked: number,
): Answer | null {
  if (outcome === null) return null;
  const detail = () => `${what}: ${JSON.stringify(outcome)}`;
  hold(outcome.status === 200 || REFUSED.has(outcome.status), "answers", detail);
  if (outcome.status !== 200) return null;
  const said = outcome.body as Answer;
  const id = said.withdrawalId ?? said.depositId;
  if (id === undefined) return said;
  const channel = said.withdrawalId === undefined ? "deposits" : "withdrawals";
  const status = (said.status ?? said.state ?? "").toUpperCase();
  const timeMs = said.updateTime ?? said.time;
  const isIt = (moment: FundingMoment) =>
    moment.row.status === status && (timeMs === undefined || moment.timeMs === timeMs);
  const { funding } = exchange.story;
  observeRead(exchange, detail(), outcome, asked, {
    moments: () => funding.of(channel, id),
    fits: (sequence) => {
      return funding.of(channel, id).some((one) => one.sequence <= sequence && isIt(one));
    },
  });
  return said;
}

interface Observed {
  readonly moments: () => readonly FundingMoment[];
  readonly fits: (sequence: number) => boolean;
}

function observeRead(
  { linearity }: SimulatedExchange,
  what: string,
  outcome: Outcome,
  asked: number,
  { fits, moments }: Observed,
): void {
  const changes = () => moments().map(({ sequence }) => sequence);
  const shown = outcome?.sequence;
  linearity.observe({
    kind: "read",
    what,
    asked,
    answered: linearity.turn(),
    shown,
    changes,
    fits,
  });
}

/** All rows of a user, while others change them. */
export function listed(
  exchange: SimulatedExchange,
  channel: FundingChannel,
  uid: number,
  outcome: Outcome,
  asked: number,
): void {
  const { funding } = exchange.story;
  if (accepted(exchange, `list of ${channel}`, outcome, asked) === null) return;
  const rows = outcome?.body as readonly object[];
  if (rows.length === ROWS_MAX) return;
  observeRead(exchange, `${channel} of ${uid} ${JSON.stringify(rows)}`, outcome, asked, {
    moments: () => funding.ofUser(channel, uid),
    fits: (sequence) => isDeepStrictEqual(funding.rowsAt(channel, uid, sequence), rows),
  });
}

/** One withdrawal in a list of an operator, while others change it. */
export function operatorListed(
  exchange: SimulatedExchange,
  withdrawalId: number,
  outcome: Outcome,
  asked: number,
): void {
  const { funding } = exchange.story;
  const what = `list of withdrawal ${withdrawalId}`;
  const list = accepted<Said & { readonly items?: readonly Said[] }>(
    exchange,
    what,
    outcome,
    asked,
  );
  if (list === null) return;
  const row = list.items?.find((item) => item.withdrawalId === withdrawalId);
  const said = row?.state?.toUpperCase();
  const moments = () => funding.of("withdrawals", withdrawalId);
  observeRead(exchange, `${what}: ${said}`, outcome, asked, {
    moments,
    fits: (sequence) => {
      return moments().findLast((one) => one.sequence <= sequence)?.row.status === said;
    },
  });
}

export const ROWS_MAX = 100;
