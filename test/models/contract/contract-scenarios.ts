/**
 * Scripted situations that random traffic reaches too seldom: each is played against both the
 * engine and the reference exchange. `reaches` is what must have happened for it to test anything.
 */
import { fillScenarios } from "./contract-fill-scenarios.ts";
import { indexScenarios } from "./contract-index-scenarios.ts";
import { insuranceScenarios } from "./contract-insurance-scenarios.ts";
import { orderScenarios } from "./contract-order-scenarios.ts";
import { markPriceScenarios } from "./contract-price-scenarios.ts";
import {
  type ContractScenario,
  DEALER,
  HOLDER,
  HOUR_MS,
  OTHERS,
  SYMBOL,
  scenario,
} from "./contract-scenario.ts";
import type { ContractScript } from "./contract-script.ts";

export function contractScenarios(): ContractScenario[] {
  return [
    ...debtScenarios(),
    ...marginScenarios(),
    ...appendScenarios(),
    ...boundaryScenarios(),
    ...liquidationScenarios(),
    ...queueScenarios(),
    ...markScenarios(),
    ...bandScenarios(),
    ...changeScenarios(),
    ...triggerScenarios(),
    ...countdownScenarios(),
    ...timeScenarios(),
    ...orderScenarios(),
    ...fillScenarios(),
    ...markPriceScenarios(),
    ...indexScenarios(),
    ...insuranceScenarios(),
  ];
}

function debtScenarios(): ContractScenario[] {
  const broke = (script: ContractScript) => {
    script.user(HOLDER, "3060", "ISOLATED");
    script.pair(DEALER, HOLDER, "LONG", "1", "60000");
    script.mark("59000");
  };
  return [
    scenario("a resting close would make a debt", "ended: margin-not-enough", (script) => {
      broke(script);
      script.order(HOLDER, "close", "LONG", "1", "56900");
      script.order(DEALER, "open", "LONG", "1", "56900");
    }),
    scenario("a market close would make a debt", "ended: margin-not-enough", (script) => {
      broke(script);
      script.order(DEALER, "open", "LONG", "0.3", "57500");
      script.order(DEALER, "open", "LONG", "1", "56300");
      script.order(HOLDER, "close", "LONG", "1");
    }),
    scenario(
      "a cross account's last close would owe its order margin",
      "ended: margin-not-enough",
      (script) => {
        script.user(HOLDER, "5000", "CROSSED", 50);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.order(HOLDER, "open", "LONG", "2", "57300");
        script.order(DEALER, "open", "LONG", "1", "57400");
        script.order(HOLDER, "close", "LONG", "1");
      },
    ),
    scenario(
      "a cross account closes as far as its equity goes",
      "ended: margin-not-enough",
      (script) => {
        script.user(HOLDER, "2000", "CROSSED", 50);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.order(DEALER, "open", "LONG", "0.5", "58500");
        script.order(DEALER, "open", "LONG", "1", "57000");
        script.order(HOLDER, "close", "LONG", "1");
      },
    ),
  ];
}

function marginScenarios(): ContractScenario[] {
  return [
    scenario("all that is available is enough", "trade: book", (script) => {
      script.user(HOLDER, "3048", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
    }),
    scenario("margin is taken out beside a loss", "failed-precondition", (script) => {
      script.user(HOLDER, "10000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("59500");
      for (const [direction, amount] of [
        ["add", "1000"],
        ["remove", "600"],
        ["remove", "525.00000001"],
        ["remove", "525"],
        ["remove", "0.00000001"],
      ] as const) {
        const positionId = 4;
        script.command({
          type: "move-position-margin",
          uid: HOLDER,
          positionId,
          amount,
          direction,
        });
      }
    }),
    scenario(
      "two positions of a cross account share what funding leaves",
      "some waived",
      (script) => {
        script.user(HOLDER, "1400", "CROSSED", 100);
        script.command({
          type: "set-margin-type",
          uid: HOLDER,
          symbol: SYMBOL,
          marginType: "CROSSED",
          separatedType: "SEPARATED",
        });
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.mark("59758.9");
        script.wait(8 * HOUR_MS);
        script.mark("59759");
      },
    ),
    scenario(
      "resting closes are trimmed from the newest on",
      "ended: position-closed",
      (script) => {
        script.user(HOLDER, "10000", "ISOLATED");
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        for (const price of ["61000", "61001", "61002"]) {
          script.order(HOLDER, "close", "LONG", "0.3", price);
        }
        script.order(DEALER, "open", "LONG", "0.6", "59990");
        script.command({ type: "close-positions", uid: HOLDER, symbol: SYMBOL, positionId: null });
      },
    ),
  ];
}

function appendScenarios(): ContractScenario[] {
  return [
    scenario("what rests to close is reserved", "close-exceeds-position", (script) => {
      script.user(HOLDER, "10000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(HOLDER, "close", "LONG", "0.6", "61000");
      script.order(HOLDER, "close", "LONG", "0.401", "61000");
      script.order(HOLDER, "close", "LONG", "0.4", "61000");
    }),
    scenario(
      "equity that is exactly the maintenance margin is due",
      "liquidation-finished",
      (script) => {
        script.user(HOLDER, "10000", "ISOLATED");
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        const margin = { type: "move-position-margin", uid: HOLDER, positionId: 4 } as const;
        script.command({ ...margin, amount: "32.34", direction: "add" });
        script.mark("57300.1");
        script.mark("57300");
      },
    ),
    scenario("a trailing stop follows, also over restarts", "algo: FILLED", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.trail(HOLDER, "LONG", "0.5", "1");
      script.order(DEALER, "open", "LONG", "1", "60000");
      for (const price of ["60500", "61000", "60600", "60800", "60390.1", "60390", "60389.9"]) {
        for (let i = 0; i < 4; i++) script.mark(String(Number(price) + i));
        script.order(DEALER, "open", "LONG", "0.01", price);
        script.order(DEALER, "open", "SHORT", "0.01", price);
      }
    }),
    scenario("auto append would not save, and adds nothing", "liquidation-finished", (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.command({ type: "set-auto-append-margin", uid: HOLDER, positionId: 4, enabled: true });
      script.mark("57200");
    }),
    scenario("auto append saves, and later cannot any more", "margin: auto-append", (script) => {
      script.user(HOLDER, "4000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.command({ type: "set-auto-append-margin", uid: HOLDER, positionId: 4, enabled: true });
      for (const price of ["57332.6", "57332.5", "57000", "56700", "56300", "56000"]) {
        script.mark(price);
      }
    }),
  ];
}

function boundaryScenarios(): ContractScenario[] {
  /** Steps of a tick around the price at which it is due. */
  const approach = (script: ContractScript, from: number, ticks: number) => {
    const step = ticks > 0 ? 1 : -1;
    for (let i = 0; i !== ticks; i += step) script.mark(((from * 10 + i) / 10).toFixed(1));
  };
  const boundary = (
    marginType: "CROSSED" | "ISOLATED",
    side: "LONG" | "SHORT",
    quantity: string,
    from: number,
  ) =>
    scenario(
      `the boundary of ${marginType} ${side} ${quantity}`,
      "liquidation-finished",
      (script) => {
        script.insurance("1000000");
        script.user(HOLDER, String(3100 * Number(quantity)), marginType);
        script.pair(DEALER, HOLDER, side, quantity, "60000");
        script.order(DEALER, "open", side, quantity, side === "LONG" ? "57100" : "62900");
        approach(script, from, side === "LONG" ? -40 : 40);
      },
    );
  return [
    boundary("ISOLATED", "LONG", "1", 57_334),
    boundary("ISOLATED", "SHORT", "1", 62_634),
    boundary("CROSSED", "LONG", "1", 57_282),
    boundary("CROSSED", "SHORT", "1", 62_696),
    boundary("ISOLATED", "LONG", "90", 58_213),
    boundary("CROSSED", "SHORT", "90", 61_765),
  ];
}

function liquidationScenarios(): ContractScenario[] {
  return [
    scenario(
      "a large cross position goes down two tiers at a time",
      "liquidation-finished",
      (script) => {
        script.insurance("1000000");
        script.user(HOLDER, "800000", "CROSSED", 10);
        script.pair(DEALER, HOLDER, "LONG", "100", "60000");
        for (const price of ["53500", "53400", "53300"])
          script.order(DEALER, "open", "LONG", "60", price);
        for (let mark = 55_000; mark > 52_200; mark -= 100) script.mark(String(mark));
      },
    ),
    scenario("a hedged cross account is netted at the mark", "trade: netting", (script) => {
      script.user(HOLDER, "2000", "CROSSED", 50);
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.pair(DEALER, HOLDER, "SHORT", "0.4", "60000");
      script.order(DEALER, "open", "LONG", "1", "57200");
      for (let mark = 57_700; mark > 56_500; mark -= 100) script.mark(String(mark));
    }),
    scenario(
      "a cross account that is hedged in full owes more than it has",
      "liquidation-finished",
      (script) => {
        script.user(HOLDER, "1300", "CROSSED", 100);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.mark("60000");
        script.pair(DEALER, HOLDER, "SHORT", "0.02", "59400");
        for (let mark = 59_400; mark > 57_000; mark -= 100) script.mark(String(mark));
      },
    ),
    scenario("the fund pays, but not beyond the band", "some insurancePaid", (script) => {
      script.insurance("100000");
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("58000");
      script.order(DEALER, "open", "LONG", "0.4", "56900");
      script.order(DEALER, "open", "LONG", "0.3", "54000");
      script.mark("59000");
      script.mark("57200");
      script.mark("58200");
    }),
    scenario("the fund pays as far as it goes", "some insurancePaid", (script) => {
      script.insurance("100");
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("58000");
      script.order(DEALER, "open", "LONG", "0.9", "56900");
      script.order(DEALER, "open", "LONG", "0.9", "56800");
      script.mark("57200");
    }),
  ];
}

function queueScenarios(): ContractScenario[] {
  const crowd = (script: ContractScript, own: boolean) => {
    const [cross, isolated, hedged] = OTHERS;
    script.user(HOLDER, "20000", "ISOLATED", 50);
    script.user(cross, "4000", "CROSSED", 20);
    script.user(isolated, "4000", "ISOLATED", 20);
    script.user(hedged, "100000", "CROSSED", 5);
    script.pair(cross, HOLDER, "LONG", "0.4", "60000");
    script.pair(isolated, HOLDER, "LONG", "0.4", "60100");
    script.pair(hedged, HOLDER, "LONG", "0.9", "59900");
    script.pair(DEALER, hedged, "LONG", "0.7", "59950");
    if (own) script.pair(DEALER, HOLDER, "SHORT", "0.5", "60200");
    script.mark("58700");
  };
  return [
    scenario("the other side gives by rank", "trade: adl", (script) => crowd(script, false)),
    scenario("the liquidated user's own position comes last", "trade: adl", (script) =>
      crowd(script, true),
    ),
    scenario(
      "nobody can bear the price: the rest waits for another mark",
      "liquidation-finished",
      (script) => {
        const [poor] = OTHERS;
        script.user(HOLDER, "3100", "ISOLATED");
        script.user(poor, "3100", "ISOLATED");
        script.pair(poor, HOLDER, "LONG", "1", "60000");
        script.mark("57000");
        script.mark("56900");
        script.mark("55000");
      },
    ),
  ];
}

/** What makes a position due although its own mark stands still, or hardly moves. */
function markScenarios(): ContractScenario[] {
  return [
    scenario("nothing is closed at market without a mark", "close-positions", (script) => {
      const symbol = "BTCUSD";
      script.user(HOLDER, "10000", "CROSSED");
      script.rules({ symbol });
      script.mark("60000", symbol);
      script.order(DEALER, "open", "SHORT", "1", "60000", { symbol });
      script.order(HOLDER, "open", "LONG", "1", "60000", { symbol });
      script.mark(null, symbol);
      script.command({ type: "close-positions", uid: HOLDER, symbol: null, positionId: null });
    }),
  ];
}

function bandScenarios(): ContractScenario[] {
  return [
    scenario("two markets use up the surplus of one account", "liquidation-finished", (script) => {
      const symbol = "ETHUSDT";
      script.rules({ symbol, baseAsset: "BTC" });
      script.index("60000", symbol);
      script.user(HOLDER, "4000", "CROSSED", 50);
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(DEALER, "open", "SHORT", "0.5", "60000", { symbol });
      script.order(HOLDER, "open", "LONG", "0.5", null, { symbol });
      for (let mark = 59_900; mark > 57_500; mark -= 100) {
        script.mark(String(mark));
        script.mark(String(mark), symbol);
      }
    }),
    scenario(
      "a mark that leaves the tier makes a position due",
      "liquidation-finished",
      (script) => {
        script.user(HOLDER, "100000", "ISOLATED", 50);
        script.pair(DEALER, HOLDER, "SHORT", "16.5", "60000");
        for (const mark of ["60500", "60606", "60606.1", "60607"]) script.mark(mark);
      },
    ),
    scenario("a new sibling raises the tier of the others", "liquidation-finished", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      const ids = { uid: HOLDER, symbol: SYMBOL, marginType: "ISOLATED" } as const;
      script.command({ type: "set-margin-type", ...ids, separatedType: "SEPARATED" });
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.leverage(HOLDER, 50);
      script.pair(DEALER, HOLDER, "LONG", "8", "60000");
      script.mark("59460");
      script.pair(DEALER, HOLDER, "LONG", "9", "59460");
      script.mark("59440");
    }),
  ];
}

function changeScenarios(): ContractScenario[] {
  const nearlyDue = (script: ContractScript) => {
    script.user(HOLDER, "3100", "ISOLATED");
    script.pair(DEALER, HOLDER, "LONG", "1", "60000");
    script.mark("57400");
  };
  return [
    scenario("another fee rate makes a position due", "liquidation-finished", (script) => {
      nearlyDue(script);
      const rates = { makerFeeRate: "0", takerFeeRate: "0.003" };
      const ids = { actor: "operator", uid: HOLDER, product: "contract", symbol: null } as const;
      script.command({ type: "set-fee-rates", ...ids, ...rates });
    }),
    scenario("another maintenance rate makes a position due", "liquidation-finished", (script) => {
      nearlyDue(script);
      const tier = { maxNotional: "1000000", maintenanceMarginRate: "0.008", maxLeverage: 100 };
      script.rules({ tiers: [tier] });
    }),
    scenario("the larger of two positions goes first", "liquidation-finished", (script) => {
      script.user(HOLDER, "4000", "CROSSED", 50);
      const ids = { uid: HOLDER, symbol: SYMBOL, marginType: "CROSSED" } as const;
      script.command({ type: "set-margin-type", ...ids, separatedType: "SEPARATED" });
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.pair(DEALER, HOLDER, "LONG", "2", "60000");
      script.order(DEALER, "open", "LONG", "5", "58900");
      for (let mark = 59_500; mark > 58_000; mark -= 20) script.mark(String(mark));
    }),
    scenario(
      "what is left of the margin is less than the fee",
      "liquidation-finished",
      (script) => {
        nearlyDue(script);
        script.order(DEALER, "open", "LONG", "1", "57010");
        script.mark("57300");
      },
    ),
  ];
}

function triggerScenarios(): ContractScenario[] {
  return [
    scenario("of two triggers the older fires first", "algo: FILLED", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      const stop = { slTriggerPrice: "59000", slWorkingType: "MARK_PRICE" } as const;
      script.order(DEALER, "open", "SHORT", "1", "60000");
      script.order(HOLDER, "open", "LONG", "0.3", null, stop);
      script.order(HOLDER, "open", "LONG", "0.7", null, stop);
      script.order(DEALER, "open", "LONG", "0.5", "58900");
      script.order(DEALER, "open", "LONG", "0.5", "58800");
      script.mark("59000");
    }),
    scenario("of triggers in two markets the older fires first", "algo: FILLED", (script) => {
      const symbol = "BTCUSDT2";
      script.rules({ symbol });
      script.index("60000", symbol);
      script.user(HOLDER, "6000", "CROSSED", 50);
      script.user(OTHERS[0], "1000000", "CROSSED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(DEALER, "open", "SHORT", "1", "60000", { symbol });
      script.order(HOLDER, "open", "LONG", "1", null, { symbol });
      for (const [price, market] of [
        ["54400", SYMBOL],
        ["59900", symbol],
      ] as const) {
        script.order(DEALER, "open", "LONG", "5", price, { symbol: market });
        script.stop(OTHERS[0], "SHORT", "0.5", String(Number(price) + 20), market);
      }
      // The liquidation of a cross account moves the last price of both at once.
      script.mark("54500");
      script.mark("54450");
    }),
  ];
}

function countdownScenarios(): ContractScenario[] {
  const market = { type: "set-contract-market-state", actor: "operator", symbol: SYMBOL } as const;
  const countdown = { type: "set-dead-man-switch", uid: HOLDER, product: "contract" } as const;
  return [
    scenario(
      "a held countdown ends when its market goes on",
      "ended: dead-man-switch",
      (script) => {
        script.user(HOLDER, "100000", "CROSSED");
        script.order(HOLDER, "open", "LONG", "1", "59000");
        script.command({ ...countdown, symbol: null, countdownMs: 1_000 });
        script.command({ ...market, state: "halted" });
        script.wait(5_000);
        script.index("60001");
        script.command({ ...market, state: "cancel-only" });
        script.index("60002");
      },
    ),
  ];
}

function timeScenarios(): ContractScenario[] {
  const restart = (afterSlotMs: number, name: string) =>
    scenario(name, "resume", (script) => {
      script.user(HOLDER, "10000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.wait(8 * HOUR_MS + afterSlotMs);
      script.command({ type: "resume" });
      script.index("60100");
      script.index("60200");
    });
  return [
    restart(60_000, "a slot that was just missed is settled"),
    restart(599_000, "a slot that was missed almost ten minutes ago is settled"),
    restart(660_000, "a slot that was missed long ago is not settled"),
  ];
}
