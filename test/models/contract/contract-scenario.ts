/** One situation of contracts that is written out, and who is in all of them. */
import { ContractScript } from "./contract-script.ts";

export const SYMBOL = "BTCUSDT";
export const SECOND_MS = 1_000;
export const HOUR_MS = 3_600_000;
/** Whose situation it is, who trades with them, and others. */
export const HOLDER = 11;
export const DEALER = 22;
export const OTHERS = [33, 44, 55] as const;

export interface ContractScenario {
  readonly name: string;
  /** What must have happened for it to test anything. */
  readonly reaches: string;
  readonly script: ContractScript;
}

export function scenario(
  name: string,
  reaches: string,
  write: (script: ContractScript) => void,
  script = new ContractScript(),
): ContractScenario {
  script.user(DEALER, "10000000", "CROSSED");
  write(script);
  return { name, reaches, script };
}
