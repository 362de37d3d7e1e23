/**
 * Scenarios of prices that nobody may manipulate: the mark from thin, one-sided and deep books, and
 * its state after a restart.
 */
import {
  bookOf,
  type ContractScenario,
  DEALER,
  HOLDER,
  HOUR_MS,
  SECOND_MS,
  SYMBOL,
  scenario,
  seconds,
} from "./contract-scenario.ts";
import type { ContractScript } from "./contract-script.ts";

export function markPriceScenarios(): ContractScenario[] {
  return [...markScenarios(), ...boundScenarios(), ...restartScenarios(), givenRate()];
}

function givenRate(): ContractScenario {
  return scenario("a given rate is that of one funding", "funding: a given rate", (script) => {
    script.user(HOLDER, "10000", "CROSSED");
    script.pair(DEALER, HOLDER, "LONG", "1", "60000");
    const give = (rate: string | null, symbol = SYMBOL) =>
      script.command({ type: "set-funding-rate", actor: "operator", symbol, rate });
    const nextSlot = () => {
      script.wait(8 * HOUR_MS);
      seconds(script, 1);
    };
    for (const wrong of ["1.00000001", "-1.1", "0.123456789", "x", "--1", ""]) give(wrong);
    give("0.01", "ETHUSDT");
    give("-0.0125");
    give("-0.0125");
    nextSlot();
    nextSlot();
    give("0.02");
    give(null);
    nextSlot();
    // More than the holder can pay without a liquidation.
    give("1");
    nextSlot();
    nextSlot();
  });
}

function withdraw(script: ContractScript): void {
  script.command({ type: "cancel-all-contract-orders", uid: DEALER, symbol: SYMBOL });
}

function markScenarios(): ContractScenario[] {
  return [
    scenario("a few small quotes do not move the mark", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(script, "0.001@60290", "0.001@60300");
      seconds(script, 3);
      bookOf(script, "1@59990", "1@60310");
      seconds(script, 3);
      bookOf(script, "", "1@60110");
      seconds(script, 3);
    }),
    scenario("a thirtieth of a second's depth", "mark: a second without a sample", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      bookOf(script, "1@60020", "1@60040");
      seconds(script, 4);
      withdraw(script);
      bookOf(script, "1@59900", "");
      seconds(script, 33);
    }),
    scenario("depth that is just enough, and not quite", "contract-prices-changed", (script) => {
      script.user(HOLDER, "10000", "CROSSED");
      // 10,000 is asked for: 0.1 at 60,000 and a fifteenth at the next price are exactly enough.
      script.rules({ impactNotional: "9999", stepSize: "0.001" });
      bookOf(script, "0.1@59990 0.066@59900", "1@60150");
      seconds(script, 3);
      bookOf(script, "0.001@59000", "");
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
      bookOf(script, "1@60020", "1@60040.1");
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
      bookOf(script, "0.1@59990.1 1@59990", "1@60009.7");
      seconds(script, 16);
      withdraw(script);
      bookOf(script, "1@59990", "1@60008.9");
      seconds(script, 16);
    }),
  ];
}

function boundScenarios(): ContractScenario[] {
  const far = (script: ContractScript, side: "above" | "below") => {
    script.user(HOLDER, "10000", "CROSSED");
    const [bid, ask] = side === "above" ? ["60600", "60700"] : ["59300", "59400"];
    bookOf(script, `5@${bid}`, `5@${ask}`);
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
      bookOf(script, "1@60020", "1@60040");
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
