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
  venue: RiskFixture,
  positionId: number,
  direction: "add" | "remove",
  amount: string,
  uid = 1,
): string {
  const type = "move-position-margin";
  const result = movePositionMargin(venue, { type, uid, positionId, amount, direction });
  venue.run();
  return result.ok ? "ok" : `${result.reason} ${result.detail ?? result.field}`;
}

/** User 1 is LONG one at 60000 with a margin of 3000, and has 500 in cash. */
function isolated(): { readonly venue: RiskFixture; readonly position: Position } {
  const venue = new RiskFixture();
  const pair = [venue.user(1, "3500"), venue.user(2, "90000")] as const;
  venue.price("60000");
  const [position] = venue.pair(pair, "ISOLATED", 60000, 1, 20);
  venue.events = [];
  return { venue, position };
}

test("adds at most what is available", () => {
  const { venue, position } = isolated();
  const { positionId } = position;
  const [user] = [position.owner.account.user];
  assert.equal(move(venue, positionId, "add", "500.00000001"), "insufficient-margin amount");
  assert.equal(move(venue, positionId, "add", "500"), "ok");
  assert.equal(position.marginMinor, usdt("3500"));
  assert.equal(venue.cash(user), 0n);
  assert.equal(venue.wallet(user), usdt("3500"));
  const [moved] = venue.told("position-margin-moved");
  assert.equal(moved?.deltaMinor, usdt("500"));
  assert.equal(moved?.cause, "user");
  assert.equal(moved?.marginMinor, usdt("3500"));
  assert.equal(moved?.walletMinor, usdt("3500"));
  // (60000 - 3500) / 0.9942 = 56829.61
  assert.equal(liquidationTicks(venue.ledger, position), 568_296);
});

test("takes out at most what is above value / leverage, without profit but with loss", () => {
  for (const [price, most] of [
    ["60000", "400"],
    // Value / leverage is 3050, and the profit of 1000 does not count.
    ["61000", "350"],
    // 2995 are needed, and 100 are lost.
    ["59900", "305"],
  ] as const) {
    const { venue, position } = isolated();
    const { positionId } = position;
    assert.equal(move(venue, positionId, "add", "400"), "ok");
    venue.price(price);
    const refused = `failed-precondition at most ${most} can be taken out`;
    const above = formatDecimal(usdt(most) + 1n, 8);
    assert.equal(move(venue, positionId, "remove", above), refused);
    assert.equal(move(venue, positionId, "remove", most), "ok");
    assert.equal(position.marginMinor, usdt("3400") - usdt(most));
    assert.match(
      move(venue, positionId, "remove", "0.00000001"),
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
    const venue = new RiskFixture({ tiers: TIERS, defaultLeverage: 10 });
    venue.state.rulesVersion = rulesVersion;
    venue.price("60000");
    const pair = [venue.user(1, "6000"), venue.user(2, "90000")] as const;
    const [position] = venue.pair(pair, "ISOLATED", 60000, 1, 10);
    // From when it was smaller; 5,400 are above value / leverage.
    position.owner.isolatedLeverage[0] = 100;
    assert.equal(move(venue, position.positionId, "remove", "3000"), answer);
    if (answer === "ok") continue;
    assert.equal(move(venue, position.positionId, "remove", "2999.99999999"), "ok");
    assert.equal(venue.told("liquidation-started").length, 0);
  }
});

test("adds nothing that cross positions need, by hand or by itself", () => {
  for (const [rulesVersion, isKept] of [
    [RULES_WITH_CONTRACTS, false],
    [RULES_VERSION, true],
  ] as const) {
    for (const isAutomatic of [false, true]) {
      const venue = new RiskFixture();
      venue.state.rulesVersion = rulesVersion;
      const other = { symbol: "ETHUSDT", baseAsset: "ETH", tiers: TIERS, defaultLeverage: 10 };
      const eth = venue.list(other);
      const pair = [venue.user(1, "8000"), venue.user(2, "900000")] as const;
      for (const market of [venue.market, eth]) venue.price("60000", market);
      const [cross] = venue.pair(pair, "CROSSED", 60000, 1, 100, eth);
      const [{ positionId, owner }] = venue.pair(pair, "ISOLATED", 60000, 1, 20);
      // 5,000 of cash, of which 600 are cross margin; 3,000 are maintenance, and just that is due.
      if (isAutomatic) {
        const enable = {
          type: "set-auto-append-margin",
          uid: 1,
          positionId,
          enabled: true,
        } as const;
        assert.ok(setAutoAppendMargin(venue, enable).ok);
        venue.price("57320");
        assert.equal(owner.sideLots[0], isKept ? 0 : 1_000);
      } else {
        const most = "1999.99999999";
        if (isKept) assert.equal(move(venue, positionId, "add", most), "ok");
        const answer = move(venue, positionId, "add", isKept ? "0.00000001" : "2000");
        assert.equal(answer, isKept ? "insufficient-margin amount" : "ok");
      }
      assert.equal(cross.sizeLots === 1_000, isKept, `automatic: ${isAutomatic}`);
    }
  }
});

test("amounts that cannot be read, and positions that are not the user's own", () => {
  const { venue, position } = isolated();
  const { positionId } = position;
  assert.equal(move(venue, positionId, "add", "0"), "out-of-range more than 0");
  assert.equal(move(venue, positionId, "add", "-1"), "malformed amount");
  assert.equal(move(venue, positionId, "add", "0.000000001"), "excess-precision amount");
  assert.match(move(venue, positionId, "add", "1", 2), /^failed-precondition /);
  assert.match(move(venue, 999, "add", "1"), /^failed-precondition /);
  assert.equal(move(venue, positionId, "add", "1", 3), "unknown-user uid");
  assert.deepEqual(venue.events, []);
});

test("a cross position has no margin of its own", () => {
  const venue = new RiskFixture();
  venue.price("60000");
  const [position] = venue.pair(
    [venue.user(1, "9000"), venue.user(2, "90000")],
    "CROSSED",
    60000,
    1,
    20,
  );
  const { positionId } = position;
  assert.match(move(venue, positionId, "add", "1"), /^failed-precondition /);
  const enable = { type: "set-auto-append-margin", uid: 1, positionId, enabled: true } as const;
  assert.equal(setAutoAppendMargin(venue, enable).ok, false);
});

test("auto append is told when it changes", () => {
  const { venue, position } = isolated();
  const { positionId } = position;
  for (const enabled of [true, true, false]) {
    const command = { type: "set-auto-append-margin", uid: 1, positionId, enabled } as const;
    assert.equal(setAutoAppendMargin(venue, command).ok, true);
    assert.equal(position.autoAppend, enabled);
  }
  assert.deepEqual(
    venue.told("auto-append-set").map(({ enabled }) => enabled),
    [true, false],
  );
});
