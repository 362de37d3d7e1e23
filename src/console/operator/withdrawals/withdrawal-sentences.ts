/** A withdrawal and its steps as sentences. */
import type { GetWithdrawalRequestAnswer } from "../../../client/index.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";

type Step = GetWithdrawalRequestAnswer["steps"][number];

export function termsSentences(withdrawal: GetWithdrawalRequestAnswer): readonly string[] {
  const { uid, amount, fee, asset, network, address, memo, addressId, id } = withdrawal;
  const target = memo === "" ? address : `${address}, memo ${memo}`;
  const kept = fee === "0" ? "No fee is kept." : `Of it, ${groupDecimal(fee)} ${asset} is the fee.`;
  return [
    `${groupDecimal(amount)} ${asset} of user ${uid} to ${target}, over ${network}.`,
    kept,
    `The address is number ${addressId} of the user's book; the request has the id ${id}.`,
  ];
}

const VERBS: Readonly<Record<Step["state"], string>> = {
  requested: "Requested",
  approved: "Approved",
  rejected: "Rejected",
  sent: "Recorded as sent",
  done: "Recorded as done",
  failed: "Recorded as failed",
};

export function stepSentence({ state, actor, note, time }: Step): string {
  const who = actor === "" ? "the user" : actor;
  const said = state === "sent" ? `, reference ${note}` : `: ${note}`;
  return `${VERBS[state]} by ${who} on ${utcTime(time)}${note === "" ? "" : said}`;
}
