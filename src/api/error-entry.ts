/** What the registry of refusals says of one reason, in every family of the API. */
import type { Family } from "./calls.ts";

interface Coded {
  /** Text in v2, a negative number in the others. */
  readonly code: string | number;
  readonly status: number;
}

export interface ErrorEntry extends Readonly<Record<Family, Coded>> {
  readonly v2: { readonly code: string; readonly status: number };
  readonly v3: { readonly code: number; readonly status: number };
  readonly capi: { readonly code: number; readonly status: number };
  /** What the caller reads; the offending field and what would be accepted may follow it. */
  readonly message: string;
  /** For the reference: when it happens. */
  readonly when: string;
  /** For the reference: what the caller does next. */
  readonly remedy: string;
}

/** Contracts answer as v3 does; `withContractCodes` gives the codes that are their own. */
export function entry(
  v2Code: string,
  v3Code: number,
  message: string,
  when: string,
  remedy: string,
  status: { readonly v2?: number; readonly v3?: number } = {},
): ErrorEntry {
  const v3 = { code: v3Code, status: status.v3 ?? 400 };
  return {
    v2: { code: v2Code, status: status.v2 ?? 400 },
    v3,
    capi: v3,
    message,
    when,
    remedy,
  };
}
