/**
 * Scenarios of fills that must not happen: openings and closings after which something would be
 * due, as taker and as maker, fill-or-kill orders that only a trial run can judge, money that would
 * leave, and rejections because of a stale index.
 */
import type { CommandOf } from "../../../src/protocol/index.ts";
import {
  type ContractScenario,
  DEALER,
  HOLDER,
  OTHERS,
  SECOND_MS,
  SYMBOL,
  scenario,
} from "./contract-scenario.ts";
import type { ContractScript } from "./contract-script.ts";

const [POOR] = OTHERS;
const TWIN = "ETHUSDT";
const REFUSED = "refused: an opening order would be due when filled";

export function fillScenarios(): ContractScenario[] {
  return [
    ...openingScenarios(),
    ...tierScenarios(),
    ...makerScenarios(),
    ...closingScenarios(),
    ...waitingScenarios(),
    ...fillOrKillScenarios(),
    ...leavingScenarios(),
    ...staleScenarios(),
  ];
}

/** Somebody's bid at 60,000 that nothing would be left of, once the mark is at 59,600. */
function poorBid(script: ContractScript, quantity = "1"): void {
  script.user(POOR, String(700 * Number(quantity)), "CROSSED", 100);
  script.order(POOR, "open", "LONG", quantity, "60000");
  script.mark("59600");
}

function openingScenarios(): ContractScenario[] {
  return [
    scenario("a market order down a thin book", REFUSED, (script) => {
      script.user(HOLDER, "5000", "ISOLATED", 100);
      script.order(DEALER, "open", "LONG", "0.001", "60000");
      script.order(DEALER, "open", "LONG", "1", "59700");
      script.order(DEALER, "open", "LONG", "1", "57100");
      for (const quantity of ["1.002", "1.001"]) script.order(HOLDER, "open", "SHORT", quantity);
    }),
    scenario("an isolated order that would be due to the tick", REFUSED, (script) => {
      script.user(HOLDER, "5000", "ISOLATED");
      script.mark("57950");
      // 60646.2 / 20 + 57950 − 60646.2 is exactly 57950 × 0.0058.
      for (const price of ["60646.2", "60646.1"]) script.order(HOLDER, "open", "LONG", "1", price);
      script.order(DEALER, "open", "SHORT", "1", "60000");
    }),
    scenario("a cross order that only its fee makes due", REFUSED, (script) => {
      script.user(HOLDER, "1000", "CROSSED", 100);
      script.order(DEALER, "open", "SHORT", "1", "60000");
      for (const mark of ["59392.4", "59392.5"]) {
        script.mark(mark);
        script.order(HOLDER, "open", "LONG", "1", "60000", { timeInForce: "IOC" });
      }
    }),
    scenario("a cross order that leaves exactly the maintenance margin", REFUSED, (script) => {
      script.user(HOLDER, "1000.5", "CROSSED", 100);
      script.mark("59250");
      // 1000.5 − 47.53008 − (59412.6 − 59250) − … : the amounts that are due to the unit.
      script.order(DEALER, "open", "SHORT", "1", "59859.31");
      for (const price of ["59859.4", "59859.3", "59859.2"]) {
        script.order(HOLDER, "open", "LONG", "1", price);
      }
    }),
    scenario("what would rest counts at its own price", REFUSED, (script) => {
      script.user(HOLDER, "1600", "CROSSED", 100);
      script.mark("59000");
      script.order(DEALER, "open", "SHORT", "0.5", "59000");
      for (const timeInForce of ["GTC", "POST_ONLY", "IOC"] as const) {
        script.order(HOLDER, "open", "LONG", "1", "61000", { timeInForce });
      }
    }),
    scenario("an isolated order would leave too little to a cross account", REFUSED, (script) => {
      heavyTwin(script);
      for (const quantity of ["2.27", "2.26"])
        script.order(HOLDER, "open", "LONG", quantity, "60000");
    }),
    scenario("an amended order adds to what it has filled", "amend-contract-order", (script) => {
      script.user(HOLDER, "5000", "ISOLATED", 100);
      const ids = { uid: HOLDER, symbol: SYMBOL, marginType: "ISOLATED" } as const;
      script.command({ type: "set-margin-type", ...ids, separatedType: "SEPARATED" });
      script.mark("58000");
      script.order(HOLDER, "open", "LONG", "1", "58000", { clientOrderId: "moved" });
      script.order(DEALER, "open", "SHORT", "0.9", "58000");
      script.mark("60000");
      // By itself the rest would be due.
      script.command(amended("moved", "60500"));
      script.order(DEALER, "open", "SHORT", "0.1", "60500");
    }),
    scenario("an amended order would be due", REFUSED, (script) => {
      script.user(HOLDER, "5000", "ISOLATED", 100);
      script.order(HOLDER, "open", "SHORT", "1", "60000", { clientOrderId: "moved" });
      for (const price of ["59700", "59800"]) script.command(amended("moved", price));
    }),
  ];
}

function amended(clientOrderId: string, price: string): CommandOf<"amend-contract-order"> {
  const ids = { uid: HOLDER, orderId: null, clientOrderId };
  return { type: "amend-contract-order", ...ids, price, quantity: null };
}

/**
 * A cross position of one in another market, whose maintenance margin is 3,048 by new rules, which
 * is more than 1/leverage of it; beside it some 6,950 are available.
 */
function heavyTwin(script: ContractScript, amount = "10000", between = () => {}): void {
  const twin = { symbol: TWIN, baseAsset: "BTC" };
  script.rules(twin);
  script.index("60000", TWIN);
  script.user(HOLDER, amount, "ISOLATED");
  script.order(DEALER, "open", "SHORT", "1", "60000", { symbol: TWIN });
  script.order(HOLDER, "open", "LONG", "1", null, { symbol: TWIN });
  between();
  const tier = { maxNotional: "1000000000", maintenanceMarginRate: "0.05", maxLeverage: 10 };
  script.rules({ ...twin, tiers: [tier] });
}

function tierScenarios(): ContractScenario[] {
  return [
    scenario("a step into a higher tier", REFUSED, (script) => {
      script.user(HOLDER, "100000", "ISOLATED", 50);
      script.pair(DEALER, HOLDER, "LONG", "16", "60000");
      script.mark("59400");
      script.order(DEALER, "open", "SHORT", "1", "59400");
      for (const quantity of ["1", "0.8"]) script.order(HOLDER, "open", "LONG", quantity);
    }),
    scenario("an older sibling would be due in the tier after", REFUSED, (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      const ids = { uid: HOLDER, symbol: SYMBOL, marginType: "ISOLATED" } as const;
      script.command({ type: "set-margin-type", ...ids, separatedType: "SEPARATED" });
      script.leverage(HOLDER, 50);
      script.pair(DEALER, HOLDER, "LONG", "8", "60000");
      script.leverage(HOLDER, 20);
      script.mark("59400");
      script.order(DEALER, "open", "SHORT", "9", "59400");
      for (const quantity of ["9", "8"]) script.order(HOLDER, "open", "LONG", quantity);
    }),
  ];
}

function makerScenarios(): ContractScenario[] {
  const goesOn = (marginType: "CROSSED" | "ISOLATED") =>
    scenario(`a ${marginType} maker since the mark moved`, "unsound: opening maker", (script) => {
      script.user(POOR, "700", marginType, 100);
      script.order(POOR, "open", "LONG", "1", "60000");
      script.order(DEALER, "open", "LONG", "1", "59500");
      script.user(HOLDER, "100000", "CROSSED");
      script.mark("59600");
      script.order(HOLDER, "open", "SHORT", "1", "59500");
    });
  return [
    goesOn("CROSSED"),
    goesOn("ISOLATED"),
    scenario("many resting orders of one account", "unsound: opening maker", (script) => {
      script.user(POOR, "3000", "CROSSED", 100);
      for (const price of ["60000", "59900", "59800", "59700"]) {
        script.order(POOR, "open", "LONG", "1", price);
      }
      script.mark("59300");
      script.order(DEALER, "open", "SHORT", "4", "59700");
    }),
    scenario("a maker in a tier that it has outgrown", "unsound: opening maker", (script) => {
      script.user(POOR, "21200", "CROSSED", 50);
      script.pair(DEALER, POOR, "LONG", "16", "60000");
      script.order(POOR, "open", "LONG", "0.9", "59400");
      script.mark("59400");
      script.order(DEALER, "open", "SHORT", "0.9", "59400");
    }),
    scenario("a maker that a liquidation meets", "unsound: opening maker", (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("57900");
      script.user(POOR, "670", "ISOLATED", 100);
      script.order(POOR, "open", "LONG", "1", "57900");
      script.order(DEALER, "open", "LONG", "1", "57200");
      script.mark("57330");
    }),
    scenario("a taker whom an unfit maker leads on", "unsound: opening taker", (script) => {
      poorBid(script);
      script.order(DEALER, "open", "LONG", "1", "57500");
      for (const marginType of ["ISOLATED", "CROSSED"] as const) {
        const uid = marginType === "ISOLATED" ? HOLDER : OTHERS[1];
        script.user(uid, "1200", marginType, 100);
        script.order(uid, "open", "SHORT", "1");
        script.order(POOR, "open", "LONG", "1", "59700");
      }
    }),
    scenario("an account that trades with itself", "trade: book", (script) => {
      script.user(HOLDER, "1500", "CROSSED", 100);
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(HOLDER, "close", "LONG", "0.5", "58500");
      script.order(HOLDER, "open", "LONG", "0.5", "58500");
      script.order(HOLDER, "close", "LONG", "1", "57400");
      script.order(HOLDER, "open", "SHORT", "0.2", "57400");
      script.order(HOLDER, "open", "LONG", "1", "57400");
    }),
  ];
}

function closingScenarios(): ContractScenario[] {
  const hold = (script: ContractScript, side: "LONG" | "SHORT") => {
    script.user(HOLDER, "8200", "CROSSED", 100);
    script.pair(DEALER, HOLDER, side, "10", "60000");
  };
  return [
    scenario("a market close that thins a cross account", "unsound: closing taker", (script) => {
      hold(script, "LONG");
      script.order(DEALER, "open", "LONG", "1", "59900");
      script.order(DEALER, "open", "LONG", "5", "57400");
      script.order(HOLDER, "close", "LONG", "3");
    }),
    scenario("a resting close that thins a cross account", "unsound: closing maker", (script) => {
      hold(script, "SHORT");
      script.order(HOLDER, "close", "SHORT", "2", "62600");
      script.order(DEALER, "open", "SHORT", "2", "62600");
    }),
    scenario("the last close may go below maintenance", "position-closed", (script) => {
      hold(script, "LONG");
      script.order(DEALER, "open", "LONG", "10", "59400");
      script.order(HOLDER, "close", "LONG", "10");
    }),
    scenario("an isolated close that thins a cross account", "unsound: closing taker", (script) => {
      heavyTwin(script, "8630");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(DEALER, "open", "LONG", "1", "54530");
      script.mark("57400");
      script.order(HOLDER, "close", "LONG", "1");
    }),
    scenario("the smallest loss that thins an account", "unsound: closing taker", (script) => {
      hold(script, "LONG");
      for (const price of ["57443.6", "57443.5", "57443.4", "57443.3"]) {
        script.order(DEALER, "open", "LONG", "2", price, { timeInForce: "GTC" });
        script.order(HOLDER, "close", "LONG", "2", price, { timeInForce: "FOK" });
        script.command({ type: "cancel-all-contract-orders", uid: DEALER, symbol: SYMBOL });
      }
    }),
  ];
}

/** Due, but nothing is liquidated in the first half minute after a long stop. */
function waitingScenarios(): ContractScenario[] {
  const waits = (script: ContractScript, index: string) => {
    script.user(HOLDER, "8000", "CROSSED", 100);
    const rates = { makerFeeRate: "0", takerFeeRate: "0" };
    const ids = { actor: "operator", uid: HOLDER, product: "contract", symbol: null } as const;
    script.command({ type: "set-fee-rates", ...ids, ...rates });
    script.pair(DEALER, HOLDER, "LONG", "10", "60000");
    script.wait(60 * SECOND_MS);
    script.command({ type: "resume" });
    script.index(index);
  };
  const waiting = "unsound: closing taker of an account that waits";
  return [
    scenario("who waits for liquidation may close, not thinner", waiting, (script) => {
      waits(script, "59250");
      // 500 are left of 10: a tenth is worth 50.
      for (const price of ["59199.9", "59200"]) {
        script.order(DEALER, "open", "LONG", "1", price);
        script.order(HOLDER, "close", "LONG", "1");
        script.command({ type: "cancel-all-contract-orders", uid: DEALER, symbol: SYMBOL });
      }
      script.order(DEALER, "open", "LONG", "1", "59249");
      script.order(HOLDER, "close", "LONG", "2", "59240");
      script.order(DEALER, "open", "LONG", "1", "59241");
      script.order(DEALER, "open", "LONG", "8", "58000");
      script.wait(40 * SECOND_MS);
      script.index("59251");
    }),
    scenario("who waits for liquidation opens nothing", REFUSED, (script) => {
      heavyTwin(script, "3090", () => {
        script.wait(60 * SECOND_MS);
        script.command({ type: "resume" });
      });
      script.order(DEALER, "open", "SHORT", "1", "59990");
      for (const quantity of ["0.001", "0.002"]) script.order(HOLDER, "open", "LONG", quantity);
      script.wait(40 * SECOND_MS);
      script.index("60000");
    }),
  ];
}

function fillOrKillScenarios(): ContractScenario[] {
  const notWhole = "fill-or-kill: not whole on the copy";
  const fok = { timeInForce: "FOK" } as const;
  return [
    scenario("a fill-or-kill order counts nobody who is unfit", notWhole, (script) => {
      poorBid(script);
      script.order(DEALER, "open", "LONG", "1", "59600");
      script.user(HOLDER, "100000", "CROSSED");
      for (const quantity of ["1.001", "1", "0.1"]) {
        script.order(HOLDER, "open", "SHORT", quantity, "59500", fok);
      }
    }),
    scenario("a fill-or-kill order that would end in the middle", notWhole, (script) => {
      script.user(HOLDER, "8200", "CROSSED", 100);
      script.pair(DEALER, HOLDER, "LONG", "10", "60000");
      script.order(DEALER, "open", "LONG", "1", "59900");
      script.order(DEALER, "open", "LONG", "5", "57400");
      script.order(HOLDER, "close", "LONG", "3", "57400", fok);
      script.order(HOLDER, "close", "LONG", "1", "57400", fok);
    }),
    scenario("a fill-or-kill order meets one account again and again", notWhole, (script) => {
      script.user(POOR, "3000", "CROSSED", 100);
      for (const price of ["60000", "59900", "59800", "59700"]) {
        script.order(POOR, "open", "LONG", "1", price);
      }
      script.mark("59300");
      for (const quantity of ["4", "3", "2", "1"]) {
        script.order(DEALER, "open", "SHORT", quantity, "59700", fok);
      }
    }),
  ];
}

function leavingScenarios(): ContractScenario[] {
  const move = (script: ContractScript, amount: string) => {
    const requestId = `out-${amount}`;
    script.command({
      ...{ type: "transfer-own-funds", uid: HOLDER, requestId, asset: "USDT", amount },
      ...{ from: "contract", to: "spot" },
    });
  };
  const leaves = "refused: money that leaves would make something due";
  return [
    scenario("a transfer would make a cross account due", leaves, (script) => {
      heavyTwin(script);
      for (const amount of ["6904", "6904.00000001", "6903.99999999", "100"]) move(script, amount);
    }),
    scenario(
      "margin that is added would make a cross account due",
      "refused: margin to add would make something due",
      (script) => {
        heavyTwin(script);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        const add = { type: "move-position-margin", uid: HOLDER, direction: "add" } as const;
        for (const positionId of [6, 7, 8]) {
          for (const amount of ["3856", "3855.99999999"]) {
            script.command({ ...add, positionId, amount });
          }
        }
      },
    ),
    scenario(
      "auto append would make a cross account due",
      "auto append: would make the cross account due",
      (script) => {
        heavyTwin(script);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        for (const positionId of [6, 7, 8]) {
          const ids = { uid: HOLDER, positionId, enabled: true };
          script.command({ type: "set-auto-append-margin", ...ids });
        }
        move(script, "3850");
        script.mark("57300");
      },
    ),
    scenario(
      "margin that is removed would make a position due",
      "refused: margin to remove would make something due",
      (script) => {
        script.user(HOLDER, "100000", "ISOLATED", 50);
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        const tier = { maxNotional: "1000000000", maintenanceMarginRate: "0.05", maxLeverage: 10 };
        const margin = { type: "move-position-margin", uid: HOLDER, positionId: 4 } as const;
        script.command({ ...margin, amount: "3000", direction: "add" });
        script.rules({ tiers: [tier] });
        for (const amount of ["1152", "1151.99999999", "0.00000001"]) {
          script.command({ ...margin, amount, direction: "remove" });
        }
      },
    ),
  ];
}

function staleScenarios(): ContractScenario[] {
  const stale = "index-stale";
  return [
    scenario("on a stale index nothing is opened", stale, (script) => {
      script.rules({ indexStaleMs: 60_000 });
      script.user(HOLDER, "10000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(HOLDER, "open", "LONG", "0.1", "59000", { clientOrderId: "moved" });
      script.order(DEALER, "open", "LONG", "1", "59990");
      script.stop(HOLDER, "SHORT", "0.5", "59995", SYMBOL);
      // The index was set before the first user came; commands are a millisecond apart.
      script.wait(59_985);
      for (let i = 0; i < 8; i++) script.order(DEALER, "open", "LONG", "0.001", "59000");
      script.wait(10_000);
      script.order(DEALER, "open", "SHORT", "0.1", "59990");
      for (const price of ["59100", "58900"]) script.command(amended("moved", price));
      // A close meets a resting opening order, and fires a stop that may not open.
      script.order(HOLDER, "close", "LONG", "0.4");
      script.mark("60001");
      script.order(DEALER, "open", "SHORT", "0.1", "59990");
      script.mark(null);
      script.order(DEALER, "open", "SHORT", "0.1", "59990");
      script.index("60002");
      script.order(DEALER, "open", "SHORT", "0.1", "59990");
    }),
    scenario("an index without an age never is stale", "trade: book", (script) => {
      script.rules({ indexStaleMs: 0 });
      script.user(HOLDER, "10000", "ISOLATED");
      script.wait(90_000_000);
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
    }),
    scenario("nothing is liquidated on a stale index", "liquidation-finished", (script) => {
      script.rules({ indexStaleMs: 60_000 });
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.wait(70_000);
      const tier = { maxNotional: "1000000000", maintenanceMarginRate: "0.06", maxLeverage: 10 };
      script.rules({ indexStaleMs: 60_000, tiers: [tier] });
      script.order(DEALER, "close", "SHORT", "0.1", "60000");
      script.order(HOLDER, "close", "LONG", "0.1");
      script.index("60000");
    }),
  ];
}
