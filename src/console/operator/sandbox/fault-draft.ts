/** A fault rule as the form has it, as text, and as the table shows it. */
import type { ListFaultsAnswer, SetFaultInput } from "../../../client/index.ts";

type Rule = ListFaultsAnswer["items"][number];
export type FaultKind = SetFaultInput["fault"]["kind"];

/** What each fault is called here, and the figure that it needs. */
export const FAULT_KINDS: Readonly<
  Record<FaultKind, { readonly text: string; readonly figure: "ms" | "status" | "updates" | null }>
> = {
  "drop-answer": { text: "Lose the response", figure: null },
  "drop-request": { text: "Lose the request", figure: null },
  "truncate-answer": { text: "Send half the response", figure: null },
  answer: { text: "Respond with an error", figure: "status" },
  delay: { text: "Delay", figure: "ms" },
  stall: { text: "Stall, then close", figure: "ms" },
  cut: { text: "Stream: cut the connection", figure: null },
  gap: { text: "Stream: skip updates", figure: "updates" },
  freeze: { text: "Stream: freeze", figure: "ms" },
  duplicate: { text: "Stream: send twice", figure: null },
};

export const WHENS = ["always", "next", "every", "after", "probability"] as const;
export type When = (typeof WHENS)[number];

export interface FaultDraft {
  readonly id: string;
  readonly kind: FaultKind;
  /** Of the fault: milliseconds, a status or a count of updates. */
  readonly figure: string;
  readonly when: When;
  readonly count: string;
  readonly uid: string;
  /** A call, or a channel of a stream. */
  readonly target: string;
}

export const NEW_FAULT: FaultDraft = {
  id: "",
  kind: "drop-answer",
  figure: "",
  when: "next",
  count: "1",
  uid: "",
  target: "",
};

const STREAM_KINDS: ReadonlySet<FaultKind> = new Set(["cut", "gap", "freeze", "duplicate"]);

/** Whether the target is a channel; a delay's is one when it is written like one. */
function isChannel({ kind, target }: FaultDraft): boolean {
  return STREAM_KINDS.has(kind) || (kind === "delay" && !/[ ]/.test(target));
}

/** The exchange checks it, and names the field that is wrong. */
export function ruleOf(draft: FaultDraft): SetFaultInput {
  const { id, kind, figure, when, count, uid, target } = draft;
  const { figure: name } = FAULT_KINDS[kind];
  const match = {
    ...(uid === "" ? {} : { uid: Number(uid) }),
    ...(target === "" ? {} : { [isChannel(draft) ? "channel" : "route"]: target }),
  };
  return {
    id,
    match,
    when: when === "always" ? {} : { [when]: Number(count) },
    fault: { kind, ...(name === null ? {} : { [name]: Number(figure) }) } as SetFaultInput["fault"],
  };
}

/** `uid 7, POST /api/v3/order`. */
export function matchText({ match }: Rule): string {
  const { uid, ...named } = match;
  const parts = [...(uid === undefined ? [] : [`uid ${uid}`]), ...Object.values(named)];
  return parts.length === 0 ? "everything" : parts.join(", ");
}

/** `next 3`. */
export function whenText({ when }: Rule): string {
  const [entry] = Object.entries(when);
  return entry === undefined ? "always" : entry.join(" ");
}

/** `Respond with an error, status 429`. */
export function faultText({ fault }: Rule): string {
  const { kind, ...figures } = fault;
  const texts = Object.entries(figures).map(([name, value]) => {
    return `${name} ${Array.isArray(value) ? value.join(" to ") : value}`;
  });
  return [FAULT_KINDS[kind].text, ...texts].join(", ");
}
