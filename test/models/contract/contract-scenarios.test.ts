/**
 * Proves rare situations of contracts, scripted, on the engine and the reference exchange: debts
 * that a close must not make, margins, the boundary of every kind of liquidation to the tick,
 * netting, the fund, and the deleveraging ranking.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random } from "../../support/random.ts";
import { ContractModelRun } from "./contract-model-run.ts";
import { contractScenarios } from "./contract-scenarios.ts";

for (const { name, reaches, script } of contractScenarios()) {
  test(name, () => {
    const run = new ContractModelRun(new Random(7), script);
    run.run(script.length);
    assert.ok((run.reached.get(reaches) ?? 0) > 0, `"${reaches}" never happened`);
  });
}
