/**
 * Scenarios of orders at the bounds of their rules, which random traffic reaches only after
 * thousands of commands: amendments, conditional orders and their parents, the effects of funding
 * and liquidations.
 */
import {
  type ContractScenario,
  DEALER,
  HOLDER,
  HOUR_MS,
  SYMBOL,
  scenario,
} from "./contract-scenario.ts";
import type { ContractScript } from "./contract-script.ts";

export function orderScenarios(): ContractScenario[] {
  return [...amendScenarios(), ...conditionScenarios(), ...remainderScenarios()];
}

function amend(
  script: ContractScript,
  clientOrderId: string,
  price: string | null,
  quantity: string | null,
): void {
  const ids = { uid: HOLDER, orderId: null, clientOrderId };
  script.command({ type: "amend-contract-order", ...ids, price, quantity });
}

function amendScenarios(): ContractScenario[] {
  const reaches = "contract-order-amended";
  return [
    scenario("an amended order is paid for once and counts once", reaches, (script) => {
      script.rules({ maxPositionSize: "2.5" });
      script.user(HOLDER, "6200", "ISOLATED");
      script.order(HOLDER, "open", "LONG", "2", "60000", { clientOrderId: "it" });
      amend(script, "it", null, "2.02");
      script.order(DEALER, "open", "SHORT", "0.5", "60000");
      for (const quantity of ["0.5", "1.5", "0.501"]) amend(script, "it", null, quantity);
      script.order(HOLDER, "close", "LONG", "0.5", "61000", { clientOrderId: "close" });
      amend(script, "close", "61100", null);
      amend(script, "close", "61000", "0.501");
      amend(script, "close", null, "0.3");
    }),
    scenario("an amended post-only order does not take", reaches, (script) => {
      script.user(HOLDER, "10000", "ISOLATED");
      const terms = { clientOrderId: "it", timeInForce: "POST_ONLY" } as const;
      script.order(HOLDER, "open", "LONG", "1", "59900", terms);
      script.order(DEALER, "open", "SHORT", "1", "60500");
      for (const price of ["60500", "60499.9"]) amend(script, "it", price, null);
    }),
    scenario("what is attached follows an amended order", reaches, (script) => {
      script.user(HOLDER, "10000", "ISOLATED");
      const terms = { clientOrderId: "it", slTriggerPrice: "58500" };
      script.order(HOLDER, "open", "LONG", "0.2", "59000", terms);
      amend(script, "it", "58500", null);
      amend(script, "it", "58500.1", "0.3");
      amend(script, "it", null, "0.25");
      script.order(DEALER, "open", "SHORT", "0.1", "58500.1");
      amend(script, "it", "58600", "0.35");
      script.order(DEALER, "open", "SHORT", "0.1", "58500.1");
    }),
    scenario(
      "an opening sell is frozen at the bid that it meets",
      "insufficient-margin",
      (script) => {
        script.user(HOLDER, "3040", "ISOLATED");
        script.order(DEALER, "open", "LONG", "1", "60000");
        script.order(HOLDER, "open", "SHORT", "1", "59000");
        script.deposit(HOLDER, "8");
        script.order(HOLDER, "open", "SHORT", "1", "59000");
      },
    ),
  ];
}

function conditionScenarios(): ContractScenario[] {
  return [
    scenario("the level of a trailing stop is off the grid", "algo: UNTRIGGERED", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.trail(HOLDER, "LONG", "0.5", "1.234567");
    }),
    scenario("attached rows follow their parent and their side", "algo: CANCELED", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      const both = { tpTriggerPrice: "61000", slTriggerPrice: "58000" };
      script.order(HOLDER, "open", "LONG", "1", "59000", { ...both, clientOrderId: "no" });
      const gone = { uid: HOLDER, orderId: null, clientOrderId: "no" };
      script.command({ type: "cancel-contract-order", ...gone });
      script.order(HOLDER, "open", "LONG", "1", "60000", both);
      for (const quantity of ["0.2", "0.3"]) {
        script.order(DEALER, "open", "SHORT", quantity, "60000");
      }
      script.order(DEALER, "open", "LONG", "1", "59990");
      script.order(HOLDER, "close", "LONG", "0.5");
    }),
    scenario("a child leaves what resting orders close", "algo: FILLED", (script) => {
      script.user(HOLDER, "100000", "ISOLATED");
      const stop = { slTriggerPrice: "59000", slWorkingType: "MARK_PRICE" } as const;
      script.order(DEALER, "open", "SHORT", "1", "60000");
      script.order(HOLDER, "open", "LONG", "1", null, stop);
      script.order(HOLDER, "close", "LONG", "0.6", "61000");
      script.order(DEALER, "open", "LONG", "1", "58900");
      script.mark("59000");
    }),
  ];
}

function remainderScenarios(): ContractScenario[] {
  return [
    scenario(
      "a liquidation leaves the orders of the other side",
      "liquidation-finished",
      (script) => {
        script.user(HOLDER, "3200", "ISOLATED");
        script.pair(DEALER, HOLDER, "LONG", "1", "60000");
        script.order(HOLDER, "open", "SHORT", "0.01", "61000");
        script.order(HOLDER, "close", "LONG", "0.1", "61000");
        script.mark("57200");
      },
    ),
    scenario("who paid funding is due earlier", "liquidation-finished", (script) => {
      script.user(HOLDER, "3100", "ISOLATED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.order(DEALER, "open", "LONG", "1", "60300");
      script.order(DEALER, "open", "SHORT", "1", "60400");
      script.mark("60000");
      script.wait(8 * HOUR_MS);
      script.mark("60001");
      script.command({ type: "cancel-all-contract-orders", uid: DEALER, symbol: SYMBOL });
      for (const mark of ["58000", "57700", "57600", "57500", "57400"]) script.mark(mark);
    }),
  ];
}
