/** The error that a fault rule answers with, in the words of the API where it has them. */
import { STATUS_CODES } from "node:http";
import type { Family } from "../api/calls.ts";
import { ERRORS, type RefusalReason } from "../api/errors.ts";
import type { RequestFault } from "../faults/index.ts";

export type AnswerFault = Extract<RequestFault, { readonly kind: "answer" }>;

/** What a status usually means; any other one has the first error of its kind. */
const USUAL: Readonly<Record<number, RefusalReason>> = {
  429: "rate-limited",
  503: "overloaded",
  504: "outcome-unknown",
};

/** Of statuses that the API has no error for. */
const UNKNOWN_CODES = { v2: "40015", v3: -1000, capi: -1000 } as const;

const REASONS = Object.keys(ERRORS) as RefusalReason[];

export function faultAnswer(
  { status, code }: AnswerFault,
  family: Family,
): { readonly code: string | number; readonly msg: string } {
  const wanted = code === undefined ? null : family === "v2" ? String(code) : code;
  const reason =
    wanted === null
      ? (USUAL[status] ?? REASONS.find((name) => ERRORS[name][family].status === status))
      : REASONS.find((name) => ERRORS[name][family].code === wanted);
  if (reason !== undefined) {
    const { [family]: own, message } = ERRORS[reason];
    return { code: own.code, msg: message };
  }
  return { code: wanted ?? UNKNOWN_CODES[family], msg: STATUS_CODES[status] ?? "Unknown error" };
}
