/**
 * Commands for a golden journal with contracts: random traffic and what the sequencer adds to it,
 * all of which change something.
 */
import { type Command, encodeCommand } from "../../../src/protocol/index.ts";
import { Random } from "../../support/random.ts";
import type { Entry } from "../golden-journal.ts";
import { LiveEngine } from "../live-engine.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";

export function contractEntries(seed: number, commands: number): Entry[] {
  const exchange = new NaiveContractExchange();
  const traffic = new ContractTraffic(new Random(seed), exchange);
  const live = new LiveEngine();
  const entries: Entry[] = [];
  const apply = (command: Command) => {
    const { nowMs } = live;
    if (live.chunkOf(command).length > 0) entries.push({ nowMs, command: encodeCommand(command) });
    while (live.engine.hasUnfinishedRisk) {
      const rest = { type: "continue-risk" } as const;
      live.execute(rest);
      entries.push({ nowMs, command: encodeCommand(rest) });
    }
  };
  while (entries.length < commands) {
    const command = traffic.next();
    live.nowMs = traffic.nowMs;
    if (command.type !== "resume") {
      if (live.engine.nextDueMs <= live.nowMs) apply({ type: "advance-time", toMs: live.nowMs });
      exchange.advance(live.nowMs, live.sequence + 1);
    }
    apply(command);
    exchange.carryOut(command, live.nowMs, live.sequence);
  }
  return entries;
}
