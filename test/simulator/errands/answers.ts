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
  const { linearity, story } = exchange;
  linearity.observe({
    kind: "read",
    what: detail(),
    asked,
    answered: linearity.turn(),
    shown: outcome.sequence,
    changes: () => story.funding.of(channel, id).map(({ sequence }) => sequence),
    fits: (sequence) => {
      return story.funding.of(channel, id).some((one) => one.sequence <= sequence && isIt(one));
    },
  });
  return said;
}

/** All rows of a user, while others change them. */
export function listed(
  exchange: SimulatedExchange,
  channel: FundingChannel,
  uid: number,
  outcome: Outcome,
  asked: number,
): void {
  const { linearity, story } = exchange;
  if (accepted(exchange, `list of ${channel}`, outcome, asked) === null) return;
  const rows = outcome?.body as readonly object[];
  if (rows.length === ROWS_MAX) return;
  linearity.observe({
    kind: "read",
    what: `${channel} of ${uid} ${JSON.stringify(rows)}`,
    asked,
    answered: linearity.turn(),
    shown: outcome?.sequence,
    changes: () => story.funding.ofUser(channel, uid).map(({ sequence }) => sequence),
    fits: (sequence) => isDeepStrictEqual(story.funding.rowsAt(channel, uid, sequence), rows),
  });
}

/** One withdrawal in a list of an operator, while others change it. */
export function operatorListed(
  exchange: SimulatedExchange,
  withdrawalId: number,
  outcome: Outcome,
  asked: number,
): void {
  if (outcome === null) return;
  const detail = () => `list of ${withdrawalId}: ${JSON.stringify(outcome)}`;
  hold(outcome.status === 200 || REFUSED.has(outcome.status), "answers", detail);
  if (outcome.status !== 200) return;
  const { linearity, story } = exchange;
  const { items } = outcome.body as { readonly items: readonly Said[] };
  const said = items.find((item) => item.withdrawalId === withdrawalId)?.state?.toUpperCase();
  const moments = () => story.funding.of("withdrawals", withdrawalId);
  linearity.observe({
    kind: "read",
    what: detail(),
    asked,
    answered: linearity.turn(),
    shown: outcome.sequence,
    changes: () => moments().map(({ sequence }) => sequence),
    fits: (sequence) => {
      return moments().findLast((one) => one.sequence <= sequence)?.row.status === said;
    },
  });
}

export const ROWS_MAX = 100;
