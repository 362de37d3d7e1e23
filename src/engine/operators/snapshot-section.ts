/** Operators in the state's canonical form; absent where there are none. */
import { OPERATOR_ROLES } from "../../domain/index.ts";
import { choice, nullable, record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";
import { operatorViews } from "./operators.ts";

const operatorRow = record(80, "operator", {
  name: text,
  role: choice(OPERATOR_ROLES),
  tokenHash: text,
  expiresAtMs: nullable(uint),
  addedMs: uint,
  removedMs: nullable(uint),
});

export const OPERATORS = section({
  name: "operators",
  codec: operatorRow,
  optional: true,
  *rowsOf({ operators }) {
    for (const operator of operatorViews(operators, null)) {
      yield { type: "operator", ...operator } as const;
    }
  },
  restore({ operators }, { type: _, ...operator }) {
    operators.set(operator.name, operator);
  },
});
