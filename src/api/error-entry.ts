/** An entry of the error registry: one reason, for every family of the API. */
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
  /** The message to the caller; the offending field and the accepted values may follow it. */
  readonly message: string;
  /** For the reference: when it happens. */
  readonly when: string;
  /** For the reference: what the caller should do. */
  readonly remedy: string;
}

/** Contracts use the v3 values; `withContractCodes` sets the codes that differ. */
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
