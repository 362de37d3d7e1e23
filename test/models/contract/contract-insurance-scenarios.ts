/** Scenarios of how far the insurance fund pays: slippage, own fees, and the hourly limit. */
import {
  bookOf,
  type ContractScenario,
  DEALER,
  HOLDER,
  HOUR_MS,
  OTHERS,
  scenario,
} from "./contract-scenario.ts";
import type { ContractScript } from "./contract-script.ts";

const [QUOTER] = OTHERS;

export function insuranceScenarios(): ContractScenario[] {
  return [...slippageScenarios(), ...drawScenarios()];
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
      bookOf(script, "0.3@56990 0.3@56971.5 0.3@56971.4", "");
      script.mark("57200");
    }),
    scenario("the fund pays to its slippage, SHORT", reaches, (script) => {
      due(script, "SHORT");
      bookOf(script, "", "0.3@63010 0.3@63031.5 0.3@63031.6");
      script.mark("62800");
    }),
    scenario("beyond the mark where that is worse, LONG", reaches, (script) => {
      due(script, "LONG");
      bookOf(script, "0.3@56480 0.3@56471.8 0.3@56471.7", "");
      script.mark("56500");
    }),
    scenario("beyond the mark where that is worse, SHORT", reaches, (script) => {
      due(script, "SHORT");
      bookOf(script, "", "0.3@63520 0.3@63531.7 0.3@63531.8");
      script.mark("63500");
    }),
    scenario("a wider slippage ends at the band", "some insurancePaid", (script) => {
      due(script, "LONG", "0.2");
      script.user(QUOTER, "100000", "ISOLATED");
      script.pair(DEALER, QUOTER, "LONG", "1", "58000");
      bookOf(script, "0.005@55100 0.005@54340 0.005@54339.9", "");
      script.mark("57200");
    }),
    scenario("the fund pays what the position paid in fees", fees, (script) => {
      due(script, "LONG", "0.01");
      bookOf(script, "0.1@56950 0.2@56900 0.4@56850 0.4@56800", "");
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
      bookOf(script, "0.5@56990 3.5@56900", "");
      script.command({ type: "move-position-margin", ...added(OTHERS[2], 13) });
      script.mark("57300");
      script.insurance("1000");
      script.wait(HOUR_MS - 500);
      script.mark("57280");
    }),
    scenario("a market may take nothing from the fund", "trade: adl", (script) => {
      script.rules({ insuranceDrawLimit: "0" });
      script.insurance("100000");
      script.user(HOLDER, "3100", "CROSSED");
      script.pair(DEALER, HOLDER, "LONG", "1", "60000");
      script.mark("58000");
      bookOf(script, "0.5@56990 3.5@56800", "");
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
      bookOf(script, "3.5@56900", "");
      script.mark("57300");
      script.rules({ insuranceDrawLimit: "0.1" });
      script.mark("57200");
    }),
  ];
}

function added(uid: number, positionId: number) {
  return { uid, positionId, amount: "45", direction: "add" } as const;
}
