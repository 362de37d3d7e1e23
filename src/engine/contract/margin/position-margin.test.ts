/**
 * Goal: margin moves between the wallet's cash and an isolated position, never more than either can
 * do without, and only by its holder. Method: the largest amount that is allowed passes, one unit
 * more does not, in profit and in loss; the wallet as a whole never changes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import { formatDecimal } from "../../../domain/index.ts";
import { RULES_VERSION, RULES_WITH_CONTRACTS } from "../../rules-version.ts";
import { liquidationTicks } from "../formulas/account-equity.ts";
import type { Position } from "../state/contract-market.ts";
import { movePositionMargin, setAutoAppendMargin } from "./position-margin.ts";

function move(
  fixture: RiskFixture,
  positionId: number,
  direction: "add" | "remove",
  amount: string,
  uid = 1,
): string {
  const type = "move-position-margin";
  const result = movePositionMargin(fixture, { type, uid, positionId, amount, direction });
  fixture.run();
  return result.ok ? "ok" : `${result.reason} ${result.detail ?? result.field}`;
}

/** User 1 is LONG one at 60000 with a margin of 3000, and has 500 in cash. */
function isolated(): { readonly fixture: RiskFixture; readonly position: Position } {
  const fixture = new RiskFixture();
  const pair = [fixture.user(1, "3500"), fixture.user(2, "90000")] as const;
  fixture.price("60000");
  const [position] = fixture.pair(pair, "ISOLATED", 60000, 1, 20);
  fixture.events = [];
  return { fixture, position };
}

test("adds at most what is available", () => {
  const { fixture, position } = isolated();
  const { positionId } = position;
  const [user] = [position.owner.account.user];
  assert.equal(move(fixture, positionId, "add", "500.00000001"), "insufficient-margin amount");
  assert.equal(move(fixture, positionId, "add", "500"), "ok");
  assert.equal(position.marginMinor, usdt("3500"));
  assert.equal(fixture.cash(user), 0n);
  assert.equal(fixture.wallet(user), usdt("3500"));
  const [moved] = fixture.emitted("position-margin-moved");
  assert.equal(moved?.deltaMinor, usdt("500"));
  assert.equal(moved?.cause, "user");
  assert.equal(moved?.marginMinor, usdt("3500"));
  assert.equal(moved?.walletMinor, usdt("3500"));
  // (60000 - 3500) / 0.9942 = 56829.61
  assert.equal(liquidationTicks(fixture.ledger, position), 568_296n);
});

test("takes out at most what is above value / leverage, without profit but with loss", () => {
  for (const [price, most] of [
    ["60000", "400"],
    // Value / leverage is 3050, and the profit of 1000 does not count.
    ["61000", "350"],
    // 2995 are needed, and 100 are lost.
    ["59900", "305"],
  ] as const) {
    const { fixture, position } = isolated();
    const { positionId } = position;
    assert.equal(move(fixture, positionId, "add", "400"), "ok");
    fixture.price(price);
    const refused = `failed-precondition at most ${most} can be taken out`;
    const above = formatDecimal(usdt(most) + 1n, 8);
    assert.equal(move(fixture, positionId, "remove", above), refused);
    assert.equal(move(fixture, positionId, "remove", most), "ok");
    assert.equal(position.marginMinor, usdt("3400") - usdt(most));
    assert.match(
      move(fixture, positionId, "remove", "0.00000001"),
      /^failed-precondition at most 0 /,
    );
  }
});

/** Where 60,000 need a margin of 5 % to stay, closing fee included. */
const TIERS = [
  { maxNotional: "50000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
  { maxNotional: "100000", maintenanceMarginRate: "0.0492", maxLeverage: 15 },
];

test("takes nothing out that the maintenance margin of its tier needs", () => {
  for (const [rulesVersion, answer] of [
    [RULES_WITH_CONTRACTS, "ok"],
    [RULES_VERSION, "failed-precondition less: it would be liquidated without it"],
  ] as const) {
    const fixture = new RiskFixture({ tiers: TIERS, defaultLeverage: 10 });
    fixture.state.rulesVersion = rulesVersion;
    fixture.price("60000");
    const pair = [fixture.user(1, "6000"), fixture.user(2, "90000")] as const;
    const [position] = fixture.pair(pair, "ISOLATED", 60000, 1, 10);
    // From when it was smaller; 5,400 are above value / leverage.
    position.owner.isolatedLeverage[0] = 100;
    assert.equal(move(fixture, position.positionId, "remove", "3000"), answer);
    if (answer === "ok") continue;
    assert.equal(move(fixture, position.positionId, "remove", "2999.99999999"), "ok");
    assert.equal(fixture.emitted("liquidation-started").length, 0);
  }
});

test("adds nothing that cross positions need, by hand or by itself", () => {
  for (const [rulesVersion, isKept] of [
    [RULES_WITH_CONTRACTS, false],
    [RULES_VERSION, true],
  ] as const) {
    for (const isAutomatic of [false, true]) {
      const fixture = new RiskFixture();
      fixture.state.rulesVersion = rulesVersion;
      const other = { symbol: "ETHUSDT", baseAsset: "ETH", tiers: TIERS, defaultLeverage: 10 };
      const eth = fixture.list(other);
      const pair = [fixture.user(1, "8000"), fixture.user(2, "900000")] as const;
      for (const market of [fixture.market, eth]) fixture.price("60000", market);
      const [cross] = fixture.pair(pair, "CROSSED", 60000, 1, 100, eth);
      const [{ positionId, owner }] = fixture.pair(pair, "ISOLATED", 60000, 1, 20);
      // 5,000 of cash, of which 600 are cross margin; 3,000 are maintenance, and just that is due.
      if (isAutomatic) {
        const enable = {
          type: "set-auto-append-margin",
          uid: 1,
          positionId,
          enabled: true,
        } as const;
        assert.ok(setAutoAppendMargin(fixture, enable).ok);
        fixture.price("57320");
        assert.equal(owner.sideLots[0], isKept ? 0 : 1_000);
      } else {
        const most = "1999.99999999";
        if (isKept) assert.equal(move(fixture, positionId, "add", most), "ok");
        const answer = move(fixture, positionId, "add", isKept ? "0.00000001" : "2000");
        assert.equal(answer, isKept ? "insufficient-margin amount" : "ok");
      }
      assert.equal(cross.sizeLots === 1_000, isKept, `automatic: ${isAutomatic}`);
    }
  }
});

test("amounts that cannot be read, and positions that are not the user's own", () => {
  const { fixture, position } = isolated();
  const { positionId } = position;
  assert.equal(move(fixture, positionId, "add", "0"), "out-of-range more than 0");
  assert.equal(move(fixture, positionId, "add", "-1"), "malformed amount");
  assert.equal(move(fixture, positionId, "add", "0.000000001"), "excess-precision amount");
  assert.match(move(fixture, positionId, "add", "1", 2), /^failed-precondition /);
  assert.match(move(fixture, 999, "add", "1"), /^failed-precondition /);
  assert.equal(move(fixture, positionId, "add", "1", 3), "unknown-user uid");
  assert.deepEqual(fixture.events, []);
});

test("a cross position has no margin of its own", () => {
  const fixture = new RiskFixture();
  fixture.price("60000");
  const [position] = fixture.pair(
    [fixture.user(1, "9000"), fixture.user(2, "90000")],
    "CROSSED",
    60000,
    1,
    20,
  );
  const { positionId } = position;
  assert.match(move(fixture, positionId, "add", "1"), /^failed-precondition /);
  const enable = { type: "set-auto-append-margin", uid: 1, positionId, enabled: true } as const;
  assert.equal(setAutoAppendMargin(fixture, enable).ok, false);
});

test("auto append is told when it changes", () => {
  const { fixture, position } = isolated();
  const { positionId } = position;
  for (const enabled of [true, true, false]) {
    const command = { type: "set-auto-append-margin", uid: 1, positionId, enabled } as const;
    assert.equal(setAutoAppendMargin(fixture, command).ok, true);
    assert.equal(position.autoAppend, enabled);
  }
  assert.deepEqual(
    fixture.emitted("auto-append-set").map(({ enabled }) => enabled),
    [true, false],
  );
});
