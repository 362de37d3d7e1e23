/** The filters of the audit page as they are typed, and what they ask for. */
import type { ListAuditInput } from "../../../client/index.ts";
import { dayEndMs, dayStartMs } from "../../data/utc.ts";

export interface Draft {
  readonly actor: string;
  readonly action: string;
  readonly uid: string;
  readonly symbol: string;
  readonly text: string;
  /** UTC days. */
  readonly from: string;
  readonly to: string;
}

export type AuditQuery = Omit<ListAuditInput, "before" | "after" | "limit">;

export const NO_FILTER: Draft = {
  ...{ actor: "", action: "", uid: "", symbol: "", text: "", from: "", to: "" },
};

const UID = /^[1-9]\d{0,14}$/;
const SYMBOL = /^[A-Z0-9]{2,40}$/;
const ACTOR = /^[A-Za-z0-9._@:/+-]{1,64}$/;

/** Why a field is left out of the search; null for those that are not. */
export function problems({ actor, uid, symbol, from, to }: Draft) {
  return {
    actor: actor === "" || ACTOR.test(actor.trim()) ? null : "An operator's name has no spaces.",
    uid: uid === "" || UID.test(uid.trim()) ? null : "A UID is a whole number above 0.",
    symbol: symbol === "" || SYMBOL.test(symbolOf(symbol)) ? null : "A market is like BTCUSDT.",
    to: from === "" || to === "" || from <= to ? null : "Must not be before the start.",
  };
}

/** Without fields that are empty or wrong. */
export function queryOf(draft: Draft): AuditQuery {
  const { actor, action, uid, symbol, text, from, to } = draft;
  const wrong = problems(draft);
  return {
    ...(actor === "" || wrong.actor !== null ? {} : { actor: actor.trim() }),
    ...(action === "" ? {} : { action }),
    ...(uid === "" || wrong.uid !== null ? {} : { uid: Number(uid.trim()) }),
    ...(symbol === "" || wrong.symbol !== null ? {} : { symbol: symbolOf(symbol) }),
    ...(text.trim() === "" ? {} : { text: text.trim() }),
    ...(from === "" ? {} : { startTime: dayStartMs(from) }),
    ...(to === "" || wrong.to !== null ? {} : { endTime: dayEndMs(to) }),
  };
}

export function isEmpty(query: AuditQuery): boolean {
  return Object.keys(query).length === 0;
}

function symbolOf(text: string): string {
  return text.trim().toUpperCase();
}
