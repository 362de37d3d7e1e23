import type { ContractScenario } from "./contract-scenario.ts";
export function priceScenarios(): ContractScenario[] {
  return [];
}
