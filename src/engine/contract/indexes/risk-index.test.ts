/**
 * Goal: the index hands out exactly what is due, in order, however positions, wallets, marks, rules
 * and rates change. Method: random changes in several markets, and after each the next due entries
 * next to a scan of all positions and accounts. What is found is closed, held, saved or left, as
 * liquidations do. The counts at the end show that every way was taken. Then the boundaries.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { openPair, setMark } from "../../../../test/support/engine/paired-positions.ts";
import { RiskFixture } from "../../../../test/support/engine/risk-fixture.ts";
import { Random, scaled, seededRandom } from "../../../../test/support/random.ts";
import type { MarginType } from "../../../domain/index.ts";
import { feeRatesKey, setFeeRatesOf } from "../../accounts/user.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN } from "../../ledger/ledger.ts";
import { NONE } from "../../matching/slot.ts";
import type { State, User } from "../../state.ts";
import { findMarginAccount, symbolAccountOf } from "../contract-state.ts";
import {
  crossOwners,
  isCrossDue,
  isPositionDue,
  liquidationTicks,
} from "../formulas/account-equity.ts";
import { valueMinor } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  Position,
  SHORT,
  type SymbolAccount,
} from "../state/contract-market.ts";
import type { RiskLook } from "./risk-index.ts";

const seed = seededRandom("risk index").seed;

const USERS = 12;
const FUNDS = "3000";

function nameOf(entry: Position | MarginAccount | null): string {
  if (entry === null) return "nothing";
  if (entry instanceof Position) return `position ${entry.positionId}`;
  return `user ${entry.user.uid}, asset ${entry.assetIndex}`;
}

/** A few markets and users whose positions come and go without orders. */
class RandomPositions {
  readonly fixture: RiskFixture;
  readonly state: State;
  readonly markets: ContractMarket[];
  readonly random: Random;
  readonly blocked = new Set<ContractMarket>();
  readonly seen = new Map<string, number>();
  nextId = 1;

  constructor(random: Random) {
    this.random = random;
    const tiers = [
      { maxNotional: "20000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
      { maxNotional: "60000", maintenanceMarginRate: "0.02", maxLeverage: 20 },
      { maxNotional: "200000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
    ];
    const fixture = new RiskFixture({ tiers });
    this.fixture = fixture;
    this.state = fixture.state;
    this.markets = [
      fixture.market,
      fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH", tickSize: "0.05", tiers }),
      fixture.list({ symbol: "XRPEUR", baseAsset: "XRP", quoteAsset: "EUR", marginAsset: "EUR" }),
    ];
    for (const market of this.markets) setMark(fixture.state, market, 10_000);
    for (let uid = 1; uid <= USERS; uid++) {
      const user = fixture.user(uid, FUNDS);
      for (const market of this.markets) {
        const { account } = symbolAccountOf(fixture.state, user, market);
        const { ledger } = fixture.state;
        const external = ledger.houseAccount(account.assetIndex, "external");
        ledger.move(external, account.base + CONTRACT_AVAILABLE, 10n ** 9n);
      }
    }
  }

  get look(): RiskLook {
    const { ledger, contract } = this.state;
    return {
      ledger,
      liquidityRevision: contract.liquidityRevision,
      mayLiquidate: (market) => !this.blocked.has(market),
    };
  }

  count(name: string): void {
    this.seen.set(name, (this.seen.get(name) ?? 0) + 1);
  }

  owners(): SymbolAccount[] {
    const owners: SymbolAccount[] = [];
    for (const user of this.state.users.values()) {
      for (const market of this.markets) {
        owners.push(symbolAccountOf(this.state, user, market));
      }
    }
    return owners;
  }

  /** A position of one side alone: the index does not ask who is on the other. */
  open(owner: SymbolAccount): void {
    const { random } = this;
    const { account, market } = owner;
    const side = random.chance(0.5) ? LONG : SHORT;
    const isIsolated = owner.marginType === "ISOLATED";
    const position = new Position({
      positionId: this.nextId++,
      owner,
      side,
      marginType: owner.marginType,
      separatedOpenOrderId: this.nextId,
      sequence: 1,
      nowMs: 1,
    });
    position.sizeLots = random.integer(1, 30_000);
    const near = Math.max(1, market.mark.ticks + random.integer(-300, 300));
    position.openValueMinor = valueMinor(market.rules, near, position.sizeLots);
    owner.positions[side].push(position);
    owner.sideLots[side] += position.sizeLots;
    market.positions.add(position);
    this.state.contract.positions.set(position.positionId, position);
    if (isIsolated)
      this.moveMargin(position, position.openValueMinor / BigInt(random.integer(5, 90)));
    else account.crossPositions.push(position);
    this.state.contract.risk.positionChanged(position);
  }

  moveMargin(position: Position, deltaMinor: bigint): void {
    const { ledger } = this.state;
    const { account } = position.owner;
    const from = account.base + CONTRACT_AVAILABLE;
    ledger.draw(from, account.base + CONTRACT_POSITION_MARGIN, 0n);
    if (deltaMinor >= 0n) ledger.draw(from, account.base + CONTRACT_POSITION_MARGIN, deltaMinor);
    else ledger.draw(account.base + CONTRACT_POSITION_MARGIN, from, -deltaMinor);
    position.marginMinor += deltaMinor;
    account.isolatedMarginMinor += deltaMinor;
    this.state.contract.risk.positionChanged(position);
    this.state.contract.risk.accountChanged(account);
  }

  /** Funding: whoever pays is told of, whoever receives is not. */
  fundPosition(position: Position, deltaMinor: bigint): void {
    const { contract, ledger } = this.state;
    const { account } = position.owner;
    const isIsolated = position.marginType === "ISOLATED";
    const own = account.base + (isIsolated ? CONTRACT_POSITION_MARGIN : CONTRACT_AVAILABLE);
    const clearing = ledger.houseAccount(account.assetIndex, "funding-clearing");
    if (deltaMinor > 0n) ledger.draw(clearing, own, deltaMinor);
    else ledger.draw(own, clearing, -deltaMinor);
    if (isIsolated) {
      position.marginMinor += deltaMinor;
      account.isolatedMarginMinor += deltaMinor;
    }
    if (deltaMinor < 0n) contract.risk.paid(position, -deltaMinor);
    this.count(`${deltaMinor < 0n ? "paid" : "received"} ${position.marginType}`);
  }

  /** Takes lots away at the open price, all of them when that many are left. */
  reduce(position: Position, lots: number): void {
    const { owner, side, sizeLots, openValueMinor, marginMinor } = position;
    const { account, market } = owner;
    const { risk, positions } = this.state.contract;
    const rest = Math.max(0, sizeLots - lots);
    position.openValueMinor = (openValueMinor * BigInt(rest)) / BigInt(sizeLots);
    position.sizeLots = rest;
    owner.sideLots[side] -= sizeLots - rest;
    if (rest > 0) {
      risk.positionChanged(position);
      return;
    }
    this.moveMargin(position, -marginMinor);
    owner.positions[side].splice(owner.positions[side].indexOf(position), 1);
    const { crossPositions } = account;
    if (position.marginType === "CROSSED")
      crossPositions.splice(crossPositions.indexOf(position), 1);
    market.positions.delete(position);
    positions.delete(position.positionId);
    risk.positionClosed(position);
  }

  /** What a scan of everything finds first. */
  expected(): Position | MarginAccount | null {
    const { contract, ledger } = this.state;
    const revision = contract.liquidityRevision;
    const due = [...contract.positions.values()]
      .filter(({ marginType, heldAtRevision }) => {
        return marginType === "ISOLATED" && heldAtRevision !== revision;
      })
      .filter(({ owner }) => !this.blocked.has(owner.market))
      .filter((position) => isPositionDue(position))
      .sort((a, b) => a.positionId - b.positionId);
    if (due[0] !== undefined) return due[0];
    const accounts = [...this.state.users.values()]
      .sort((a, b) => a.uid - b.uid)
      .flatMap((user) =>
        this.state.assets.map(({ index: asset }) => findMarginAccount(this.state, user, asset)),
      );
    for (const account of accounts) {
      if (account === null || account.heldAtRevision === revision) continue;
      if (!isCrossDue(ledger, account)) continue;
      if ([...crossOwners(account)].every(({ market }) => !this.blocked.has(market)))
        return account;
    }
    return null;
  }

  change(): void {
    const { random, state } = this;
    const { contract, ledger } = state;
    const market = random.pick(this.markets);
    const positions = [...contract.positions.values()];
    const kind = random.integer(0, 99);
    if (kind < 40) {
      const move = random.chance(0.8) ? random.integer(-40, 40) : random.integer(-1500, 1500);
      setMark(state, market, Math.max(1, market.mark.ticks + move));
    } else if (kind < 60) {
      const owner = random.pick(this.owners());
      const isEmpty = owner.sideLots[LONG] === 0 && owner.sideLots[SHORT] === 0;
      if (isEmpty) owner.marginType = random.pick<MarginType>(["CROSSED", "ISOLATED"]);
      this.open(owner);
    } else if (kind < 66 && positions.length > 0) {
      const position = random.pick(positions);
      const { marginMinor, marginType, openValueMinor } = position;
      // Never more than there is of the margin; some of it often makes the position due.
      const most = marginType === "ISOLATED" ? marginMinor : openValueMinor / 10n;
      const part = most / BigInt(random.pick([1, 1, 2, 10, 1_000]));
      if (part > 0n) this.fundPosition(position, random.chance(0.6) ? -part : part);
    } else if (kind < 75 && positions.length > 0) {
      const position = random.pick(positions);
      if (random.chance(0.5)) this.reduce(position, random.integer(1, position.sizeLots));
      else if (position.marginType === "ISOLATED") {
        this.moveMargin(position, position.marginMinor / BigInt(random.pick([-2, 3, 20])));
      }
    } else if (kind < 85) {
      const { account } = random.pick(this.owners());
      const external = ledger.houseAccount(account.assetIndex, "external");
      const amount = BigInt(random.integer(-(10 ** 10), 10 ** 10));
      if (amount > 0n) ledger.draw(external, account.base + CONTRACT_AVAILABLE, amount);
      else ledger.draw(account.base + CONTRACT_AVAILABLE, external, -amount);
      contract.risk.accountChanged(account);
    } else if (kind < 89) {
      const { account } = random.pick(this.owners());
      const rate = random.pick([0, 80_000, 1_000_000, 5_000_000]);
      const rates = { makerFeeRateE8: 0, takerFeeRateE8: rate };
      const key = feeRatesKey("contract", random.pick([null, market.symbol]));
      setFeeRatesOf(account.user, key, rates);
      for (const own of contract.accounts.get(account.user)?.values() ?? []) {
        contract.risk.ratesChanged(own);
      }
    } else if (kind < 92) {
      const maintenanceMarginRateE8 = random.integer(400_000, 1_000_000);
      const [first, ...rest] = market.rules.tiers;
      const tiers = [{ ...first, maintenanceMarginRateE8 }, ...rest] as typeof market.rules.tiers;
      market.rules = { ...market.rules, tiers };
      contract.risk.rulesChanged(market);
    } else if (kind < 97) {
      if (!this.blocked.delete(market)) this.blocked.add(market);
    } else {
      contract.liquidityRevision++;
    }
  }

  /** Deals with what is due until nothing is, and compares each with the scan. */
  settle(): void {
    const { contract } = this.state;
    for (;;) {
      const found = contract.risk.nextDue(this.look);
      assert.equal(nameOf(found), nameOf(this.expected()));
      if (found === null) return;
      const way = this.random.integer(0, 9);
      if (way === 0) {
        this.count("held");
        found.heldAtRevision = contract.liquidityRevision;
      } else if (found instanceof Position) {
        this.count("position");
        if (way < 3) this.moveMargin(found, found.openValueMinor);
        else this.reduce(found, found.sizeLots);
      } else {
        this.count("account");
        const position = this.random.pick(found.crossPositions);
        this.reduce(position, this.random.integer(1, position.sizeLots));
      }
    }
  }
}

test("hands out what a full scan finds, in the same order", () => {
  const random = new Random(seed);
  const fixture = new RandomPositions(random);
  for (let step = 0; step < scaled(6000); step++) {
    fixture.change();
    // Not after each change, so that changes meet what was not looked at yet.
    if (random.chance(0.7)) fixture.settle();
    if (fixture.blocked.size > 0) fixture.count("blocked");
  }
  const funded = ["paid ISOLATED", "paid CROSSED", "received ISOLATED", "received CROSSED"];
  for (const name of ["held", "position", "account", "blocked", ...funded]) {
    assert.ok((fixture.seen.get(name) ?? 0) > 20, `${name}: ${fixture.seen.get(name)}`);
  }
});

test("nothing is left in the index when all positions are gone", () => {
  const fixture = new RandomPositions(new Random(seed + 1));
  const { contract } = fixture.state;
  for (let step = 0; step < 300; step++) fixture.change();
  fixture.blocked.clear();
  fixture.settle();
  for (const position of [...contract.positions.values()]) {
    fixture.reduce(position, position.sizeLots);
    assert.equal(position.riskSlot, NONE);
  }
  assert.equal(contract.risk.nextDue(fixture.look), null);
  assert.equal(contract.risk.size, 0);
  for (const { account } of fixture.owners()) assert.equal(account.crossSlot, NONE);
});

for (const marginType of ["ISOLATED", "CROSSED"] as const) {
  test(`${marginType}: due at the boundary, not a tick before, and displayed so`, () => {
    const random = new Random(seed + 2);
    for (let round = 0; round < scaled(60); round++) {
      const fixture = new RiskFixture();
      const { market } = fixture;
      setMark(fixture.state, market, 600_000);
      const funds = `${random.integer(20_000, 90_000)}`;
      const holders = [fixture.user(1, funds), fixture.user(2, funds)] as const;
      // Up to 6,000,000 of value: both tiers.
      const lots = random.integer(1, marginType === "ISOLATED" ? 1000 : 5000);
      const leverage = marginType === "ISOLATED" ? random.integer(20, 50) : 20;
      const pair = { market, holders, marginType, priceTicks: 600_000, lots, leverage };
      const positions = openPair(fixture.state, { ...pair, positionId: 1 });
      for (const position of positions) {
        if (marginType === "CROSSED") assert.equal(position.riskSlot, NONE);
        checkBoundary(fixture.state, market, position);
      }
    }
  });
}

/** Walks the mark to the boundary by bisection over the exact rule, and compares the index. */
function checkBoundary(state: State, market: ContractMarket, position: Position): void {
  const { account } = position.owner;
  const isDueAt = (ticks: number): boolean => {
    setMark(state, market, ticks);
    return position.marginType === "ISOLATED"
      ? isPositionDue(position)
      : isCrossDue(state.ledger, account);
  };
  // Within one tier dueness is monotonic in the mark; the start is healthy, the end is due.
  let healthy = 600_000;
  let due = position.side === LONG ? 1 : 2_000_000;
  assert.equal(isDueAt(healthy), false);
  if (!isDueAt(due)) return;
  while (Math.abs(healthy - due) > 1) {
    const middle = Math.floor((healthy + due) / 2);
    if (isDueAt(middle)) due = middle;
    else healthy = middle;
  }
  const look = {
    ledger: state.ledger,
    liquidityRevision: state.contract.liquidityRevision,
    mayLiquidate: () => true,
  };
  const isFound = (): boolean => {
    const found = state.contract.risk.nextDue(look);
    return found === position || found === account;
  };
  setMark(state, market, 600_000);
  assert.equal(isFound(), false);
  setMark(state, market, healthy);
  const displayed = liquidationTicks(state.ledger, position);
  assert.ok(Math.abs(Number(displayed) - due) <= 1, `displayed ${displayed}, due at ${due}`);
  assert.equal(isFound(), false);
  setMark(state, market, due);
  assert.equal(isFound(), true);
  setMark(state, market, 600_000);
  assert.equal(isFound(), false);
}

/** Marks, funds and positions of a few users, and what the index finds of them. */
function nextOf(fixture: RiskFixture): string {
  const { contract, ledger } = fixture.state;
  const { liquidityRevision } = contract;
  return nameOf(contract.risk.nextDue({ ledger, liquidityRevision, mayLiquidate: () => true }));
}

test("an account is found when no market alone uses up its surplus", () => {
  const fixture = new RiskFixture();
  const eth = fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  const [victim, other] = [fixture.user(1, "3000"), fixture.user(2, "900000")];
  for (const market of [fixture.market, eth]) {
    setMark(fixture.state, market, 100_000);
    fixture.pair([victim, other], "CROSSED", 10_000, 1, 20, market);
  }
  assert.equal(nextOf(fixture), "nothing");
  // E = 3000 - 1450 - 1450 = 100 of 17100 * 0.0058 = 99.18, and a tick more is one too much.
  setMark(fixture.state, fixture.market, 85_500);
  assert.equal(nextOf(fixture), "nothing");
  setMark(fixture.state, eth, 85_500);
  assert.equal(nextOf(fixture), "nothing");
  setMark(fixture.state, eth, 85_490);
  assert.equal(nextOf(fixture), "user 1, asset 1");
});

for (const marginType of ["ISOLATED", "CROSSED"] as const) {
  test(`the edge of a tier belongs to it, one tick more does not: ${marginType}`, () => {
    const tiers = [
      { maxNotional: "60000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
      { maxNotional: "900000", maintenanceMarginRate: "0.03", maxLeverage: 20 },
    ];
    const fixture = new RiskFixture({ tiers });
    setMark(fixture.state, fixture.market, 599_000);
    const [one, two] = [fixture.user(1, "1200"), fixture.user(2, "1200")] as const;
    const [long] = fixture.pair([one, two], marginType, 60_000, 1, 50);
    // 1200 are more than 60000 * 0.0058, and less than 60000.1 * 0.0308.
    assert.equal(nextOf(fixture), "nothing");
    setMark(fixture.state, fixture.market, 600_000);
    assert.equal(nextOf(fixture), "nothing");
    setMark(fixture.state, fixture.market, 600_001);
    const { positionId } = long;
    const found = marginType === "ISOLATED" ? `position ${positionId}` : "user 1, asset 1";
    assert.equal(nextOf(fixture), found);
    setMark(fixture.state, fixture.market, 600_000);
    assert.equal(nextOf(fixture), "nothing");
  });
}

test("accounts come by uid and then by asset, whatever the asset of another one", () => {
  const fixture = new RiskFixture();
  const euro = fixture.list({
    symbol: "XRPEUR",
    baseAsset: "XRP",
    quoteAsset: "EUR",
    marginAsset: "EUR",
  });
  const users = [1, 2, 3, 4].map((uid) => fixture.user(uid, "0")) as User[];
  const [one, two, three, four] = users as [User, User, User, User];
  for (const market of [fixture.market, euro]) setMark(fixture.state, market, 100_000);
  fixture.pair([one, four], "CROSSED", 10_000, 1, 20, euro);
  fixture.pair([two, four], "CROSSED", 10_000, 1, 20);
  fixture.pair([three, one], "CROSSED", 10_000, 1, 20);
  const found: string[] = [];
  for (let i = 0; i < 3; i++) {
    found.push(nextOf(fixture));
    // What was found waits, so that the next one comes.
    const [, uid, asset] = /user (\d), asset (\d)/.exec(found[i] ?? "") ?? [];
    const user = fixture.state.users.get(Number(uid)) as User;
    const account = findMarginAccount(fixture.state, user, Number(asset));
    if (account !== null) account.heldAtRevision = fixture.state.contract.liquidityRevision;
  }
  assert.deepEqual(found, ["user 1, asset 1", "user 1, asset 3", "user 2, asset 1"]);
});
