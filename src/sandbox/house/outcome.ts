/** What the house answers: a value, or why not. */
import type { Rejection } from "../../domain/index.ts";
import type { Unavailable } from "../../protocol/index.ts";

export type Refused = Rejection | (Unavailable & { readonly ok: false });

export type Outcome<Value> = { readonly ok: true; readonly value: Value } | Refused;
