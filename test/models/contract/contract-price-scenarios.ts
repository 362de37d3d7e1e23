/**
 * Prices that nobody may push, written out: the mark out of thin, one-sided and deep books, the
 * index out of a spot book, restarts, steps of an operator, and how far the fund pays.
 */
import {
  type ContractScenario,
  DEALER,
  HOLDER,
  HOUR_MS,
  OTHERS,
  SECOND_MS,
  SYMBOL,
  scenario,
} from "./contract-scenario.ts";
import { ContractScript } from "./contract-script.ts";

const ACTOR = "operator";
const [QUOTER] = OTHERS;

export function priceScenarios(): ContractScenario[] {
  return [
    ...markScenarios(),
    ...boundScenarios(),
    ...restartScenarios(),
    ...spotIndexScenarios(),
    ...spotGapScenarios(),
    ...stepScenarios(),
    ...slippageScenarios(),
    ...drawScenarios(),
  ];
}

/** Every second something happens, so that every second's prices are seen. */
function seconds(script: ContractScript, count: number): void {
  for (let i = 0; i < count; i++) {
    script.wait(SECOND_MS - 1);
    script.command({ type: "cancel-all-contract-orders", uid: HOLDER, symbol: null });
  }
}

function bookOf(script: ContractScript, bids: [string, string][], asks: [string, string][]): void {
  for (const [quantity, price] of bids) script.order(DEALER, "open", "LONG", quantity, price);
  for (const [quantity, price] of asks) script.order(DEALER, "open", "SHORT", quantity, price);
}

function withdraw(script: ContractScript): void {
  script.command({ type: "cancel-all-contract-orders", uid: DEALER, symbol: SYMBOL });
}

function markScenarios(): ContractScenario[] {
  return [
    scenario("a few small quotes do not move the mark", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(script, [["0.001", "60290"]], [["0.001", "60300"]]);
      seconds(script, 3);
      bookOf(script, [["1", "59990"]], [["1", "60310"]]);
      seconds(script, 3);
      bookOf(script, [], [["1", "60110"]]);
      seconds(script, 3);
    }),
    scenario("a thirtieth of a second's depth", "mark: a second without a sample", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(script, [["1", "60020"]], [["1", "60040"]]);
      seconds(script, 4);
      withdraw(script);
      bookOf(script, [["1", "59900"]], []);
      seconds(script, 33);
    }),
    scenario("depth that is just enough, and not quite", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      // 10,000 is asked for: 0.1 at 60,000 and a fifteenth at the next price are exactly enough.
      script.rules({ impactNotional: "9999", stepSize: "0.001" });
      bookOf(
        script,
        [
          ["0.1", "59990"],
          ["0.066", "59900"],
        ],
        [["1", "60150"]],
      );
      seconds(script, 3);
      bookOf(script, [["0.001", "59000"]], []);
      seconds(script, 3);
      script.rules({ impactNotional: "9952.4" });
      seconds(script, 2);
      script.rules({ impactNotional: "10011.4" });
      seconds(script, 2);
      script.rules({ impactNotional: "10011.5" });
      seconds(script, 2);
    }),
    scenario("the index moves under the samples", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(script, [["1", "60020"]], [["1", "60040.1"]]);
      seconds(script, 5);
      script.index("60017");
      seconds(script, 2);
      script.index("59950.3");
      seconds(script, 29);
      script.index("59950.4");
      seconds(script, 5);
    }),
    scenario("samples of half a tick, below the index", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(
        script,
        [
          ["0.1", "59990.1"],
          ["1", "59990"],
        ],
        [["1", "60009.7"]],
      );
      seconds(script, 16);
      withdraw(script);
      bookOf(script, [["1", "59990"]], [["1", "60008.9"]]);
      seconds(script, 16);
    }),
  ];
}

function boundScenarios(): ContractScenario[] {
  const far = (script: ContractScript, side: "above" | "below") => {
    script.user(HOLDER, "10000", "CROSSED");
    const [bid, ask] = side === "above" ? ["60600", "60700"] : ["59300", "59400"];
    bookOf(script, [["5", bid]], [["5", ask]]);
    seconds(script, 12);
    script.wait(20 * SECOND_MS);
    seconds(script, 2);
  };
  const tier = (rate: string, maxLeverage: number) => ({
    ...{ maxNotional: "1000000000", maintenanceMarginRate: rate, maxLeverage },
  });
  return [
    scenario("the mark stays near the index, above", "mark: at its bound", (script) =>
      far(script, "above"),
    ),
    scenario("the mark stays near the index, below", "mark: at its bound", (script) =>
      far(script, "below"),
    ),
    scenario("at most half a percent", "mark: at its bound", (script) => {
      script.rules({ maxLeverage: 20, tiers: [tier("0.005", 20)] });
      far(script, "above");
    }),
    scenario("the narrowest tier bounds the mark", "mark: at its bound", (script) => {
      const wide = { ...tier("0.005", 20), maxNotional: "1000000" };
      script.rules({ maxLeverage: 20, tiers: [wide, tier("0.0421", 20)] });
      far(script, "below");
    }),
    scenario("a market may leave its mark no room at all", "mark: at its bound", (script) => {
      script.rules({ tiers: [tier("0.0099", 100)] });
      far(script, "above");
    }),
  ];
}

function restartScenarios(): ContractScenario[] {
  const stop = (name: string, reaches: string, ms: number, isSampled = true) =>
    scenario(name, reaches, (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      bookOf(script, [["1", "60020"]], [["1", "60040"]]);
      seconds(script, 5);
      if (!isSampled) {
        withdraw(script);
        seconds(script, 1);
      }
      script.wait(ms);
      script.command({ type: "resume" });
      script.index("57200");
      seconds(script, 3);
      script.wait(24 * SECOND_MS);
      seconds(script, 6);
    });
  const [short, long] = ["restart: the last sample stands", "restart: after a long gap"];
  return [
    stop("a short stop", short, 9_000),
    stop("a stop of half a minute", short, 29_999),
    stop("a stop of half a minute and a second", long, 30_999),
    stop("a stop of minutes", long, 300_000),
    stop("a short stop without a last sample", "resume", 9_000, false),
    scenario("a liquidation waits for samples, nothing else happens", long, (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.command({ type: "set-auto-append-margin", uid: HOLDER, positionId: 4, enabled: true });
      script.wait(60_000);
      script.command({ type: "resume" });
      script.index("57200");
      script.deposit(HOLDER, "5000");
      script.wait(2_000);
      script.command({ type: "resume" });
      script.wait(26_990);
      seconds(script, 1);
      script.wait(60_000);
      script.command({ type: "cancel-all-contract-orders", uid: HOLDER, symbol: null });
    }),
    scenario("a pinned mark waits for no samples", "liquidation-finished", (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.wait(60_000);
      script.command({ type: "resume" });
      script.mark("57200");
    }),
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

function spot(script: ContractScript, bids: [string, string][], asks: [string, string][]): void {
  for (const [side, rows] of [
    ["BUY", bids],
    ["SELL", asks],
  ] as const) {
    for (const [quantity, price] of rows) {
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

function spotIndexScenarios(): ContractScenario[] {
  const near = (script: ContractScript) =>
    spot(
      script,
      [
        ["0.1", "59999.4"],
        ["1", "59990.01"],
      ],
      [["1", "60005.04"]],
    );
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
        spot(script, [["1", "60000"]], [["0.1", "60003"]]);
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
    scenario(
      "an index from a spot book moves by a five hundredth a second",
      "index: at its step",
      (script) => {
        quoter(script);
        near(script);
        seconds(script, 16);
        noSpot(script);
        spot(script, [["1", "62999.4"]], [["1", "63005.04"]]);
        seconds(script, 12);
        noSpot(script);
        spot(script, [["1", "59099.4"]], [["1", "59105.04"]]);
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
        spot(script, [["1", "62999.4"]], [["1", "63005.04"]]);
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
        spot(script, [["0.001", "66000"]], [["0.001", "67000.02"]]);
        seconds(script, 20);
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
        for (const [bid, ask] of [
          ["60000", "60003"],
          ["60030", "60033"],
        ] as const) {
          spot(script, [["1", bid]], [["1", ask]]);
          seconds(script, 16);
          noSpot(script);
          for (let i = 0; i < 15; i++) {
            seconds(script, 1);
            script.order(HOLDER, "open", "LONG", "0.001", "59000");
          }
          spot(script, [["1", bid]], [["1", ask]]);
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
        spot(script, [["1", "60000"]], [["1", "60003"]]);
        seconds(script, 16);
        script.wait(5_000);
        script.command({ type: "resume" });
        seconds(script, 18);
        spot(script, [["1", "60001.5"]], []);
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
        spot(script, [["1", "60000"]], [["1", "60003"]]);
        seconds(script, 16);
        script.deposit(QUOTER, "600");
        script.leverage(QUOTER, 50);
        script.pair(DEALER, QUOTER, "LONG", "1", "60000");
        noSpot(script);
        seconds(script, 24);
        const tier = { maxNotional: "1000000000", maintenanceMarginRate: "0.09", maxLeverage: 10 };
        script.rules({ indexStaleMs: 10_000, tiers: [tier] });
        spot(script, [["1", "60000"]], [["1", "60003"]]);
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

function slippageScenarios(): ContractScenario[] {
  const reaches = "fund: no further than its slippage";
  const fees = "fund: as far as the position's own fees go";
  const due = (script: ContractScript, side: "LONG" | "SHORT", slippage = "0.0005") => {
    // Narrower than what the position paid in fees.
    script.rules({ insuranceSlippage: slippage });
    script.insurance("1000000");
    script.user(HOLDER, "3100", "ISOLATED");
    script.pair(DEALER, HOLDER, side, "1", "60000");
    script.mark(side === "LONG" ? "58000" : "62000");
  };
  return [
    // 57,000 is where nothing is left: 56,971.5 is a two thousandth below.
    scenario("the fund pays to its slippage, LONG", reaches, (script) => {
      due(script, "LONG");
      bookOf(
        script,
        [
          ["0.3", "56990"],
          ["0.3", "56971.5"],
          ["0.3", "56971.4"],
        ],
        [],
      );
      script.mark("57200");
    }),
    scenario("the fund pays to its slippage, SHORT", reaches, (script) => {
      due(script, "SHORT");
      bookOf(
        script,
        [],
        [
          ["0.3", "63010"],
          ["0.3", "63031.5"],
          ["0.3", "63031.6"],
        ],
      );
      script.mark("62800");
    }),
    scenario("beyond the mark where that is worse, LONG", reaches, (script) => {
      due(script, "LONG");
      bookOf(
        script,
        [
          ["0.3", "56480"],
          ["0.3", "56471.8"],
          ["0.3", "56471.7"],
        ],
        [],
      );
      script.mark("56500");
    }),
    scenario("beyond the mark where that is worse, SHORT", reaches, (script) => {
      due(script, "SHORT");
      bookOf(
        script,
        [],
        [
          ["0.3", "63520"],
          ["0.3", "63531.7"],
          ["0.3", "63531.8"],
        ],
      );
      script.mark("63500");
    }),
    scenario("a wider slippage ends at the band", "some insurancePaid", (script) => {
      due(script, "LONG", "0.2");
      script.user(QUOTER, "100000", "ISOLATED");
      script.pair(DEALER, QUOTER, "LONG", "1", "58000");
      bookOf(
        script,
        [
          ["0.005", "55100"],
          ["0.005", "54340"],
          ["0.005", "54339.9"],
        ],
        [],
      );
      script.mark("57200");
    }),
    scenario("the fund pays what the position paid in fees", fees, (script) => {
      due(script, "LONG", "0.01");
      bookOf(
        script,
        [
          ["0.1", "56950"],
          ["0.2", "56900"],
          ["0.4", "56850"],
          ["0.4", "56800"],
        ],
        [],
      );
      script.mark("57200");
    }),
    scenario("the fund pays what a cross position paid in fees", fees, (script) => {
      script.rules({ insuranceSlippage: "0.01" });
      script.insurance("1000000");
      script.user(HOLDER, "100000", "CROSSED", 20);
      script.pair(DEALER, HOLDER, "SHORT", "30", "60000");
      script.order(DEALER, "open", "LONG", "1", "60000");
      script.order(DEALER, "open", "SHORT", "1", "60100");
      script.order(HOLDER, "close", "SHORT", "1");
      for (const price of ["63000", "63450", "63800", "64000"]) {
        script.order(DEALER, "open", "SHORT", "5", price);
      }
      for (const mark of ["62500", "62800", "62900"]) script.mark(mark);
    }),
  ];
}

function drawScenarios(): ContractScenario[] {
  const reaches = "fund: as far as the hour allows";
  return [
    scenario("an hour costs the fund so much and no more", reaches, (script) => {
      script.rules({ insuranceDrawLimit: "0.1" });
      script.insurance("1234.56789");
      const users = [HOLDER, ...OTHERS];
      for (const uid of users) {
        script.user(uid, "3100", "ISOLATED");
        script.pair(DEALER, uid, "LONG", "1", "60000");
      }
      script.mark("58000");
      bookOf(
        script,
        [
          ["0.5", "56990"],
          ["3.5", "56900"],
        ],
        [],
      );
      script.command({ type: "move-position-margin", ...added(OTHERS[2], 13) });
      script.mark("57200");
      script.insurance("1000");
      script.mark("57100");
      script.wait(HOUR_MS - 500);
      script.mark("56950");
      script.mark("56850");
    }),
    scenario("a market may take nothing from the fund", "trade: adl", (script) => {
      script.rules({ insuranceDrawLimit: "0" });
      script.insurance("100000");
      script.user(HOLDER, "3100", "CROSSED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("58000");
      bookOf(
        script,
        [
          ["0.5", "56990"],
          ["3.5", "56800"],
        ],
        [],
      );
      script.mark("57200");
    }),
    scenario("the limit of an hour is lowered in it", reaches, (script) => {
      script.rules({ insuranceDrawLimit: "1" });
      script.insurance("1000");
      for (const uid of [HOLDER, QUOTER]) {
        script.user(uid, "3100", "ISOLATED");
        script.pair(DEALER, uid, "LONG", "1", "60000");
      }
      script.mark("58000");
      script.command({ type: "move-position-margin", ...added(QUOTER, 7) });
      bookOf(script, [["3.5", "56900"]], []);
      script.mark("57300");
      script.rules({ insuranceDrawLimit: "0.1" });
      script.mark("57200");
    }),
  ];
}

function added(uid: number, positionId: number) {
  return { uid, positionId, amount: "45", direction: "add" } as const;
}
