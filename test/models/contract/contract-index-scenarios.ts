/**
 * Scenarios of indexes that nobody may manipulate: derived from a spot book, and set by an
 * operator.
 */
import {
  type ContractScenario,
  DEALER,
  HOLDER,
  OTHERS,
  quotesOf,
  SYMBOL,
  scenario,
  seconds,
} from "./contract-scenario.ts";
import { ContractScript } from "./contract-script.ts";

const ACTOR = "operator";
const [QUOTER] = OTHERS;

export function indexScenarios(): ContractScenario[] {
  return [
    ...firstIndexScenarios(),
    ...spotStepScenarios(),
    ...tickScenarios(),
    ...thinSpotScenarios(),
    ...spotGapScenarios(),
    ...stepScenarios(),
  ];
}

/** A contract that takes its index from the spot market of its name. */
function spotScript(rules: Partial<{ tickSize: string; pricePrecision: number }> = {}) {
  const script = new ContractScript(rules, null);
  script.command({
    ...{ type: "set-spot-market", actor: ACTOR, symbol: SYMBOL },
    ...{ baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.03", stepSize: "0.001" },
    ...{ minTradeAmount: "0.001", maxTradeAmount: "1000", minNotional: "0" },
    ...{ makerFeeRate: "0", takerFeeRate: "0", maxOpenOrders: 200, state: "trading" },
    ...{ buyLimitPriceRatio: "1000", sellLimitPriceRatio: "0.99" },
  });
  return script;
}

function quoter(script: ContractScript): void {
  script.user(QUOTER, "1000", "CROSSED");
  for (const [asset, amount] of [
    ["USDT", "10000000"],
    ["BTC", "1000"],
  ] as const) {
    const ids = { actor: ACTOR, requestId: `spot-${asset}`, uid: QUOTER, wallet: "spot" } as const;
    script.command({ type: "deposit-funds", ...ids, asset, amount });
  }
  script.user(HOLDER, "10000", "CROSSED");
}

function spot(script: ContractScript, bids: string, asks: string): void {
  for (const [side, rows] of [
    ["BUY", bids],
    ["SELL", asks],
  ] as const) {
    for (const [quantity, price] of quotesOf(rows)) {
      script.command({
        ...{ type: "place-spot-order", uid: QUOTER, symbol: SYMBOL, side, price, quantity },
        ...{ orderType: "LIMIT", timeInForce: "GTC", quantityUnit: "base" },
        clientOrderId: `spot-${side}-${price}-${quantity}-${script.length}`,
      });
    }
  }
}

function noSpot(script: ContractScript): void {
  script.command({ type: "cancel-all-spot-orders", uid: QUOTER, symbol: SYMBOL });
}

function near(script: ContractScript): void {
  spot(script, "0.1@59999.4 1@59990.01", "1@60005.04");
}

function firstIndexScenarios(): ContractScenario[] {
  return [
    scenario(
      "the first index takes fifteen seconds",
      "index: too few samples",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 20);
        script.order(DEALER, "open", "LONG", "1", "59000");
      },
      spotScript(),
    ),
    scenario(
      "a second without depth begins the first index anew",
      "index: too few samples",
      (script) => {
        quoter(script);
        spot(script, "1@60000", "0.1@60003");
        seconds(script, 5);
        near(script);
        seconds(script, 10);
        noSpot(script);
        seconds(script, 1);
        near(script);
        seconds(script, 16);
      },
      spotScript(),
    ),
  ];
}

function spotStepScenarios(): ContractScenario[] {
  return [
    scenario(
      "an index from a spot book moves by a five hundredth a second",
      "index: at its step",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 16);
        noSpot(script);
        spot(script, "1@62999.4", "1@63005.04");
        seconds(script, 12);
        noSpot(script);
        spot(script, "1@59099.4", "1@59105.04");
        seconds(script, 24);
      },
      spotScript(),
    ),
    scenario(
      "an index from a spot book moves by a tick at least",
      "index: at its step",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 16);
        noSpot(script);
        spot(script, "1@62999.4", "1@63005.04");
        seconds(script, 12);
      },
      spotScript({ tickSize: "200", pricePrecision: 0 }),
    ),
    scenario(
      "0.001 of an empty spot book moves nothing",
      "contract-prices-changed",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 16);
        noSpot(script);
        spot(script, "0.001@66000", "0.001@67000.02");
        seconds(script, 20);
      },
      spotScript(),
    ),
  ];
}

function tickScenarios(): ContractScenario[] {
  return [
    scenario(
      "no coarser tick while the first index is sampled",
      "index: too few samples",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 5);
        script.rules({ tickSize: "10" });
        seconds(script, 16);
      },
      spotScript(),
    ),
  ];
}

function thinSpotScenarios(): ContractScenario[] {
  return [
    scenario(
      "after a restart a spot book that was too thin has to change, too",
      "contract-prices-changed",
      (script) => {
        quoter(script);
        spot(script, "0.1@60000", "0.1@60003");
        seconds(script, 2);
        script.wait(5_000);
        script.command({ type: "resume" });
        script.rules({ impactNotional: "1000" });
        seconds(script, 18);
        spot(script, "0.1@60001.5", "");
        seconds(script, 16);
      },
      spotScript(),
    ),
  ];
}

function spotGapScenarios(): ContractScenario[] {
  return [
    scenario(
      "eight samples of fifteen keep an index alive",
      "index: too few samples",
      (script) => {
        quoter(script);
        script.rules({ indexStaleMs: 5_000 });
        for (const [bid, ask] of quotesOf("60000@60003 60030@60033")) {
          spot(script, `1@${bid}`, `1@${ask}`);
          seconds(script, 16);
          noSpot(script);
          for (let i = 0; i < 15; i++) {
            seconds(script, 1);
            script.order(HOLDER, "open", "LONG", "0.001", "59000");
          }
          spot(script, `1@${bid}`, `1@${ask}`);
          seconds(script, 9);
          noSpot(script);
        }
      },
      spotScript(),
    ),
    scenario(
      "after a restart a spot book has to change, and to say enough",
      "index: too few samples",
      (script) => {
        quoter(script);
        script.rules({ indexStaleMs: 20_000 });
        spot(script, "1@60000", "1@60003");
        seconds(script, 16);
        script.wait(5_000);
        script.command({ type: "resume" });
        seconds(script, 18);
        spot(script, "1@60001.5", "");
        script.order(HOLDER, "open", "LONG", "0.001", "59000");
        seconds(script, 10);
        script.order(HOLDER, "open", "LONG", "0.001", "59000");
        seconds(script, 2);
      },
      spotScript(),
    ),
    scenario(
      "an index that is alive again liquidates",
      "liquidation-finished",
      (script) => {
        quoter(script);
        script.rules({ indexStaleMs: 10_000 });
        spot(script, "1@60000", "1@60003");
        seconds(script, 16);
        script.deposit(QUOTER, "600");
        script.leverage(QUOTER, 50);
        script.pair(DEALER, QUOTER, "LONG", "1", "60000");
        noSpot(script);
        seconds(script, 24);
        const tier = { maxNotional: "1000000000", maintenanceMarginRate: "0.09", maxLeverage: 10 };
        script.rules({ indexStaleMs: 10_000, tiers: [tier] });
        spot(script, "1@60000", "1@60003");
        seconds(script, 9);
      },
      spotScript(),
    ),
  ];
}

function stepScenarios(): ContractScenario[] {
  return [
    scenario("a step of the index that is too far", "index: a far step, forced", (script) => {
      for (const price of ["66000.1", "66000.04", "66000", "59399.9", "59400.0", "59400"]) {
        script.index(price);
      }
      script.index("80000", SYMBOL, true);
      script.rules({ indexStepLimit: "0.02" });
      script.index("81600.1");
      script.index("81600", SYMBOL, true);
    }),
    scenario("a stale index takes any price", "index: a far step, stale", (script) => {
      script.rules({ indexStaleMs: 60_000 });
      script.wait(59_990);
      script.index("80000");
      script.wait(20);
      script.index("80000");
      script.wait(60_001);
      script.mark("60000");
      script.index("60000");
      script.mark(null);
      script.index("60000");
    }),
  ];
}
