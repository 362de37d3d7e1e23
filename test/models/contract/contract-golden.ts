/**
 * Commands for a golden journal with contracts and affiliates: random traffic and the sequencer's
 * own commands, all of which change something.
 */
import { type Command, encodeCommand } from "../../../src/protocol/index.ts";
import { Random } from "../../support/random.ts";
import type { Entry } from "../golden-journal.ts";
import { LiveEngine } from "../live-engine.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { GoldenAffiliates } from "./golden-affiliates.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";

export function contractEntries(seed: number, commands: number): Entry[] {
  const exchange = new NaiveContractExchange();
  const traffic = new ContractTraffic(new Random(seed), exchange);
  const live = new LiveEngine();
  const entries: Entry[] = [];
  const affiliates = new GoldenAffiliates(new Random(seed + 1));
  const pace = new Random(seed + 2);
  const apply = (command: Command) => {
    const { nowMs } = live;
    const events = live.chunkOf(command);
    affiliates.note(events);
    if (events.length > 0) entries.push({ nowMs, command: encodeCommand(command) });
    if (live.engine.hasUnfinishedRisk) apply({ type: "continue-risk" });
  };
  for (let taken = 1; entries.length < commands; taken++) {
    const command = traffic.next();
    live.nowMs = traffic.nowMs;
    if (command.type !== "resume") {
      if (live.engine.nextDueMs <= live.nowMs) apply({ type: "advance-time", toMs: live.nowMs });
      exchange.advance(live.nowMs, live.sequence + 1);
    }
    apply(command);
    exchange.carryOut(command, live.nowMs, live.sequence);
    exchange.recordedMs = entries.at(-1)?.nowMs ?? 0;
    // The reference knows nothing of these; it is there to choose commands that do something.
    if (taken === traffic.setup.setUp.length) affiliates.setUp().forEach(apply);
    if (pace.chance(0.12)) apply(affiliates.next());
  }
  return entries;
}
