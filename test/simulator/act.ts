/** What somebody does in a step. */
import type { Random } from "../support/random.ts";
import type { SimulatedExchange, Wire } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

export type TraderAct = (trader: Trader, random: Random, wire?: Wire) => Promise<unknown>;
export type OperatorAct = (exchange: SimulatedExchange, random: Random) => Promise<unknown>;

/** By name; how often each is done follows its weight. */
export type Acts<Act> = Readonly<Record<string, readonly [weight: number, act: Act]>>;
