/**
 * Proves the worked example of the documentation on the engine, number by number: opening, mark,
 * funding, a partial close, and both ways in which the rest may be liquidated. The reference
 * exchange must agree at every step.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { ContractBalanceView, PositionView } from "../../../src/protocol/index.ts";
import { Random } from "../../support/random.ts";
import { ContractModelRun } from "./contract-model-run.ts";
import { ContractScript } from "./contract-script.ts";

const HOLDER = 1;
const MAKER = 2;
const HOUR_MS = 3_600_000;

class Example {
  readonly script = new ContractScript();
  readonly run = new ContractModelRun(new Random(1), this.script);

  play(): void {
    this.run.run(this.script.length);
  }

  position(uid = HOLDER): PositionView | undefined {
    const query = { type: "contract-positions", uid, symbol: null } as const;
    return (this.run.ask(query) as PositionView[])[0];
  }

  balance(uid = HOLDER): ContractBalanceView {
    const query = { type: "contract-balances", uid } as const;
    return (this.run.ask(query) as ContractBalanceView[])[0] as ContractBalanceView;
  }

  fund(): string {
    return (this.run.ask({ type: "insurance", asset: "USDT" }) as { balance: string }).balance;
  }

  /** Up to the end of step 4. */
  toPartialClose(): void {
    const { script } = this;
    script.user(HOLDER, "10000", "ISOLATED");
    script.user(MAKER, "1000000", "CROSSED");
    script.insurance("1000");
    script.pair(MAKER, HOLDER, "LONG", "1", "60000");
    this.play();
    assert.partialDeepStrictEqual(this.position(), {
      openValue: "60000",
      openFee: "48",
      isolatedMargin: "3000",
      liquidatePrice: "57332.5",
    });
    assert.partialDeepStrictEqual(this.balance(), { balance: "9952", availableBalance: "6952" });

    script.mark("61000");
    this.play();
    assert.equal(this.position()?.unrealizePnl, "1000");

    script.wait(8 * HOUR_MS);
    script.mark("61000.1");
    this.play();
    assert.partialDeepStrictEqual(this.position(), {
      fundingFee: "6.1",
      cumFundingFee: "6.1",
      isolatedMargin: "2993.9",
      liquidatePrice: "57338.7",
    });
    assert.equal(this.balance().balance, "9945.9");

    script.mark("61500");
    script.order(MAKER, "open", "LONG", "0.4", "61500");
    script.order(HOLDER, "close", "LONG", "0.4");
    this.play();
  }
}

test("steps 1 to 5: opening, mark, funding, a partial close", () => {
  const example = new Example();
  example.toPartialClose();
  assert.partialDeepStrictEqual(example.position(), {
    size: "0.6",
    openValue: "36000",
    openFee: "28.8",
    fundingFee: "3.66",
    marginSize: "1796.34",
    isolatedMargin: "1796.34",
    cumOpenSize: "1",
    cumOpenValue: "60000",
    cumOpenFee: "48",
    cumCloseSize: "0.4",
    cumCloseValue: "24600",
    cumCloseFee: "19.68",
    cumFundingFee: "6.1",
    cumLiquidateFee: "0",
    unrealizePnl: "900",
    liquidatePrice: "57338.7",
  });
  const { balance, availableBalance } = example.balance();
  assert.deepEqual(
    { balance, availableBalance },
    { balance: "10526.22", availableBalance: "8729.88" },
  );
});

/** Lets the book hold a bid, and the mark fall to the boundary. */
function liquidatedAt(price: string): Example {
  const example = new Example();
  example.toPartialClose();
  const { script } = example;
  script.mark("58000");
  script.order(MAKER, "open", "LONG", "0.6", price);
  script.mark("57338.7");
  example.play();
  assert.equal(example.position()?.size, "0.6", "one tick before the boundary it lives");
  script.mark("57338.6");
  example.play();
  assert.equal(example.position(), undefined);
  return example;
}

test("step 6: closed above bankruptcy, what is left goes to the fund", () => {
  const example = liquidatedAt("57200");
  assert.equal(example.fund(), "1088.884");
  assert.equal(example.balance().balance, "8729.88");
});

test("step 6: closed below bankruptcy, the fund pays the shortfall", () => {
  const example = liquidatedAt("56900");
  assert.equal(example.fund(), "909.028");
  assert.equal(example.balance().balance, "8729.88");
});
