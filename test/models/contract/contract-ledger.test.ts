/**
 * Proves that all money of contracts adds up after every single event: a ledger that reads only
 * events follows random traffic with liquidations, deleveraging, funding, margin changes and
 * transfers, and equals the engine after every command. Then the ledger itself is tested: it
 * notices an amount that is one unit off in its own event, a missing or repeated event by the end
 * of the stream, and faults planted in the engine where they move money.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Worker } from "node:worker_threads";
import type { Event, EventType } from "../../../src/protocol/index.ts";
import { Random, scaled, seededRandom } from "../../support/random.ts";
import type { FaultReport, PlantedFault } from "../planted-fault.ts";
import { ContractEventLedger } from "./contract-event-ledger.ts";
import { LEDGER_FAULTS } from "./contract-ledger-fault.ts";
import { ContractLedgerRun } from "./contract-ledger-run.ts";

const random = seededRandom("contract ledger");
const EXCHANGES = 8;
const COMMANDS_PER_EXCHANGE = scaled(1_000);
const CUMULATED = ["OpenLots", "OpenValueMinor", "OpenFeeMinor", "CloseLots", "CloseValueMinor"];

/** Every amount of an event that moves money, or tells of a wallet. */
const AMOUNTS: Partial<Record<EventType, readonly string[]>> = {
  "funds-moved": ["amountMinor", "spotEquityMinor", "contractEquityMinor"],
  "insurance-moved": ["deltaMinor", "balanceMinor"],
  "contract-trade": [
    "valueMinor",
    ...["maker", "taker"].flatMap((side) =>
      ["feeMinor", "realizedPnlMinor", "walletMinor"].map((name) => `${side}.${name}`),
    ),
  ],
  "liquidation-settled": [
    ...["feeMinor", "liquidationFeeMinor", "insurancePaidMinor", "walletAfterFixMinor"],
    ...["walletMinor", "insuranceMinor"],
  ],
  "funding-moved": ["deltaMinor", "walletMinor"],
  "funding-settled": ["collectedMinor", "receivedMinor", "roundingMinor"],
  "position-margin-moved": ["walletMinor"],
  "liquidation-started": ["walletMinor"],
  "liquidation-finished": ["walletMinor"],
  "position-closed": [
    ...CUMULATED.map((name) => `cum${name}`),
    ...["cumCloseFeeMinor", "cumFundingFeeMinor", "cumLiquidateFeeMinor"],
  ],
};
/** Events without which, or with which twice, money is missing later on. */
const MOVING = [
  ...["funds-moved", "insurance-moved", "contract-trade", "liquidation-settled"],
  ...["funding-moved", "position-closed"],
] as const;

const streams: (readonly Event[])[] = [];

for (let exchange = 0; exchange < EXCHANGES; exchange++) {
  const seed = random.integer(0, 2 ** 32 - 1);
  test(`exchange ${exchange} (seed ${seed})`, () => {
    const run = new ContractLedgerRun(new Random(seed));
    run.run(COMMANDS_PER_EXCHANGE);
    streams.push(run.events);
  });
}

test("the traffic moved money in every way", () => {
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const event of streams.flat()) {
    count(event.type);
    if (event.type === "contract-trade") count(`trade: ${event.kind}`);
    if (event.type === "position-margin-moved") count(`margin: ${event.cause}`);
    if (event.type === "funds-moved") count(`${event.from} to ${event.to}`);
    if (event.type === "funding-settled" && event.roundingMinor > 0n) count("rounding");
    if (event.type !== "liquidation-settled") continue;
    if (event.insurancePaidMinor > 0n) count("the fund pays");
    if (event.liquidationFeeMinor > 0n) count("the fund is paid");
  }
  const needed = [
    ...["book", "liquidation", "adl"].map((kind) => `trade: ${kind}`),
    ...["rounding", "the fund pays", "the fund is paid", "margin: user", "margin: auto-append"],
    ...["contract to spot", "spot to contract", "contract to null", "null to contract"],
    ...Object.keys(AMOUNTS),
  ];
  console.log(`# ${needed.map((what) => `${what} ${seen.get(what) ?? 0}`).join(", ")}`);
  for (const what of needed) assert.ok((seen.get(what) ?? 0) > 0, `${what} never happened`);
});

/** Where the ledger objects to a stream in which one event was replaced; -1 for nowhere. */
function objection(events: readonly Event[], at: number, instead: readonly Event[]): number {
  const ledger = new ContractEventLedger();
  for (const [i, event] of events.entries()) {
    for (const emitted of i === at ? instead : [event]) if (ledger.take(emitted) !== null) return i;
  }
  return -1;
}

/** The event with an amount one unit higher; a name may lead into a part of it. */
function raised(event: Event, path: string): Event {
  const copy = structuredClone(event) as unknown as Record<string, unknown>;
  const names = path.split(".");
  const name = names.pop() as string;
  const part = names.reduce((whole, of) => whole[of] as Record<string, unknown>, copy);
  part[name] = (part[name] as bigint) + 1n;
  return copy as unknown as Event;
}

/** Some places of a type of event in one of the streams that have it. */
function placesOf(type: string): readonly [stream: readonly Event[], places: number[]] {
  const stream = streams.find((events) => events.some((event) => event.type === type));
  assert.ok(stream !== undefined);
  const places = [...stream.keys()].filter((i) => stream[i]?.type === type);
  return [stream, random.shuffle(places).slice(0, 3)];
}

for (const [type, paths] of Object.entries(AMOUNTS)) {
  test(`a unit too much in ${type} is noticed at once`, () => {
    const [stream, places] = placesOf(type);
    for (const at of places) {
      for (const path of paths) {
        const changed = raised(stream[at] as Event, path);
        assert.equal(objection(stream, at, [changed]), at, `${path} of event ${at}`);
      }
    }
  });
}

test("an event that is missing or told twice is noticed", () => {
  for (const type of MOVING) {
    const [stream, places] = placesOf(type);
    const [first] = places as [number];
    const event = stream[first] as Event;
    assert.ok(objection(stream, first, [event, event]) >= first, `${type} twice`);
    // The last event of an account is missed by nobody.
    const isMissed = places.some((at) => objection(stream, at, []) >= at);
    assert.ok(isMissed, `without ${type}`);
  }
});

function report(fault: PlantedFault, seed: number): Promise<FaultReport> {
  return new Promise((resolve, reject) => {
    const entry = new URL("./contract-ledger-fault-thread.ts", import.meta.url);
    const thread = new Worker(entry, { workerData: { fault, seed } });
    thread.once("message", resolve);
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the thread ended without a report")));
  });
}

for (const fault of LEDGER_FAULTS) {
  test(`a planted fault is found: ${fault.name}`, async (context) => {
    const { finder, detail } = await report(fault, random.integer(0, 2 ** 32 - 1));
    assert.ok(finder !== null, "no check noticed it");
    context.diagnostic(`${finder}, ${detail.slice(0, 100)}`);
  });
}
