/**
 * The part of the reference exchange beside trading: assets, users, their fee rates and keys,
 * deposits, withdrawals and transfers. Balances are sums under readable names.
 */
import type {
  Product,
  RejectReason,
  SelfTradePrevention,
  UserState,
  Wallet,
} from "../../src/domain/index.ts";
import type { Command, CommandOf, FundsCommandType } from "../../src/protocol/index.ts";
import { exact, text } from "../support/exact.ts";
import { minorUnit, type NaiveAsset, readMoney, readRate } from "./naive-rules.ts";

const BALANCE_UNITS_MAX = 2n ** 96n;
const API_KEYS_MAX = 100;
const CLOCK_ADVANCE_MAX_MS = 100 * 366 * 86_400_000;
const RULES_VERSION = 4;

/** What happened, in the engine's words but with amounts as text. */
export type NaiveEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** An acceptance with its answer, or every reason that justifies a refusal. */
export type NaiveOutcome =
  | { readonly ok: true; readonly value: unknown; readonly events: readonly NaiveEvent[] }
  | { readonly ok: false; readonly reasons: ReadonlySet<RejectReason> };

export function accepted(value: unknown, events: readonly NaiveEvent[]): NaiveOutcome {
  return { ok: true, value, events };
}

export function refused(...reasons: RejectReason[]): NaiveOutcome {
  return { ok: false, reasons: new Set(reasons) };
}

export interface NaiveUser {
  readonly uid: number;
  readonly inviteCode: string;
  readonly inviterUid: number | null;
  readonly registeredMs: number;
  kyc: boolean;
  state: UserState;
  selfTradePrevention: SelfTradePrevention;
  /** By `spot` or `spot:<symbol>`. */
  readonly feeRates: Map<string, { readonly maker: bigint; readonly taker: bigint }>;
}

/** A countdown; it is held while it has fired in vain. */
export interface NaiveSwitch {
  readonly uid: number;
  readonly product: Product;
  readonly symbol: string | null;
  readonly countdownMs: number;
  firesAtMs: number;
  isHeld: boolean;
}

/** What affiliates pay out is no part of this model. */
type FundsCommand = CommandOf<Exclude<FundsCommandType, "withdraw-internally">>;
type HouseAccount = "fees" | "insurance" | "external" | "rounding";

export abstract class NaiveAccounts {
  readonly assets = new Map<string, NaiveAsset>();
  readonly users = new Map<number, NaiveUser>();
  switches: NaiveSwitch[] = [];
  /** By `<uid> <wallet> <asset>`. */
  readonly #equity = new Map<string, bigint>();
  /** By `<account> <asset>`. */
  readonly #house = new Map<string, bigint>();
  /** By command, user and id. Nothing here is ever forgotten, whoever asked for it. */
  readonly #movements = new Map<string, { readonly body: string; readonly answer: unknown }>();
  /** Owner by key. */
  readonly #apiKeys = new Map<string, number>();
  readonly #posted = new Set<string>();
  #rulesVersion = 0;
  #clockOffsetMs = 0;
  #clockSpeedE3: number | null = null;
  #nextUid = 100_001;

  /** Whether a market is listed, and whether one trades an asset. */
  protected abstract isListed(symbol: string, product: Product): boolean;
  protected abstract isTraded(asset: string): boolean;
  abstract available(uid: number, asset: string): bigint;

  equity(uid: number, wallet: Wallet, asset: string): bigint {
    return this.#equity.get(`${uid} ${wallet} ${asset}`) ?? 0n;
  }

  house(account: HouseAccount, asset: string): bigint {
    return this.#house.get(`${account} ${asset}`) ?? 0n;
  }

  protected addEquity(uid: number, wallet: Wallet, asset: string, amount: bigint): void {
    this.#posted.add(asset);
    this.#equity.set(`${uid} ${wallet} ${asset}`, this.equity(uid, wallet, asset) + amount);
  }

  protected addHouse(account: HouseAccount, asset: string, amount: bigint): void {
    this.#posted.add(asset);
    this.#house.set(`${account} ${asset}`, this.house(account, asset) + amount);
  }

  /** Remembers every balance; what it returns puts all of them back. */
  protected rememberMoney(): () => void {
    const remembered = [this.#equity, this.#house].map((now) => ({ now, rows: [...now] }));
    return () => {
      for (const { now, rows } of remembered) {
        now.clear();
        for (const [key, amount] of rows) now.set(key, amount);
      }
    };
  }

  protected setAsset(command: CommandOf<"set-asset">): NaiveOutcome {
    const { asset, coinId, name, scale } = command;
    if (!/^[A-Z0-9]{1,20}$/.test(asset)) return refused("malformed");
    if (scale > 18) return refused("out-of-range");
    const others = [...this.assets.values()].filter((other) => other.asset !== asset);
    if (others.some((other) => other.coinId === coinId)) return refused("conflict");
    const present = this.assets.get(asset);
    const isFixed = this.#posted.has(asset) || this.isTraded(asset);
    if (present !== undefined && present.scale !== scale && isFixed) return refused("conflict");
    this.assets.set(asset, { asset, coinId, name, scale });
    return accepted(null, [{ type: "asset-set" }]);
  }

  protected registerUser(command: CommandOf<"register-user">, nowMs: number): NaiveOutcome {
    const { inviteCode, invitedWith, kyc } = command;
    const users = [...this.users.values()];
    if (command.uid !== null && (command.uid < 1 || command.uid > Number.MAX_SAFE_INTEGER)) {
      return refused("out-of-range");
    }
    const isTaken = command.uid !== null && this.users.has(command.uid);
    if (isTaken || users.some((user) => user.inviteCode === inviteCode)) return refused("conflict");
    const inviter = users.find((user) => user.inviteCode === invitedWith);
    if (invitedWith !== null && inviter === undefined) return refused("unknown-invite-code");
    while (this.users.has(this.#nextUid)) this.#nextUid++;
    const uid = command.uid ?? this.#nextUid++;
    this.users.set(uid, {
      uid,
      inviteCode,
      inviterUid: inviter?.uid ?? null,
      registeredMs: nowMs,
      kyc,
      state: "active",
      selfTradePrevention: "NONE",
      feeRates: new Map(),
    });
    return accepted({ uid, inviteCode }, [{ type: "user-registered" }]);
  }

  protected updateUser(command: CommandOf<"update-user">): NaiveOutcome {
    const user = this.users.get(command.uid);
    if (user === undefined) return refused("unknown-user");
    if (command.kyc !== null) user.kyc = command.kyc;
    if (command.state !== null) user.state = command.state;
    if (command.selfTradePrevention !== null) {
      user.selfTradePrevention = command.selfTradePrevention;
    }
    return accepted(null, [{ type: "user-updated" }]);
  }

  protected setFeeRates(command: CommandOf<"set-fee-rates">): NaiveOutcome {
    const user = this.users.get(command.uid);
    if (user === undefined) return refused("unknown-user");
    const { product, symbol } = command;
    const reasons = new Set<RejectReason>();
    if (symbol !== null && !this.isListed(symbol, product)) {
      reasons.add("unknown-symbol");
    }
    const maker = readRate(command.makerFeeRate, exact("0.1"), reasons);
    const taker = readRate(command.takerFeeRate, exact("0.1"), reasons);
    if (reasons.size > 0) return { ok: false, reasons };
    user.feeRates.set(symbol === null ? product : `${product}:${symbol}`, { maker, taker });
    return accepted(null, [{ type: "fee-rates-set" }]);
  }

  protected changeApiKey(command: CommandOf<"set-api-key" | "revoke-api-key">): NaiveOutcome {
    const owner = this.#apiKeys.get(command.apiKey);
    if (command.type === "revoke-api-key") {
      if (owner === undefined) return refused("unknown-api-key");
      this.#apiKeys.delete(command.apiKey);
      return accepted(null, [{ type: "api-key-revoked" }]);
    }
    if (!this.users.has(command.uid)) return refused("unknown-user");
    if (owner !== undefined && owner !== command.uid) return refused("conflict");
    const own = [...this.#apiKeys.values()].filter((uid) => uid === command.uid);
    if (owner === undefined && own.length >= API_KEYS_MAX) return refused("conflict");
    this.#apiKeys.set(command.apiKey, command.uid);
    return accepted(null, [{ type: "api-key-set" }]);
  }

  protected adoptRules({ version }: CommandOf<"adopt-rules">): NaiveOutcome {
    if (version > RULES_VERSION) return refused("out-of-range");
    if (version <= this.#rulesVersion) return accepted(null, []);
    this.#rulesVersion = version;
    return accepted(null, [{ type: "rules-adopted" }]);
  }

  protected advanceClock({ byMs }: CommandOf<"advance-clock">): NaiveOutcome {
    if (byMs < 1 || this.#clockOffsetMs + byMs > CLOCK_ADVANCE_MAX_MS) {
      return refused("out-of-range");
    }
    this.#clockOffsetMs += byMs;
    return accepted(null, [{ type: "clock-advanced" }]);
  }

  protected setClock(command: CommandOf<"set-clock">, nowMs: number): NaiveOutcome {
    const { toMs, speedE3 } = command;
    const byMs = toMs === null ? 0 : toMs - nowMs;
    const isPast = byMs < 0 || this.#clockOffsetMs + byMs > CLOCK_ADVANCE_MAX_MS;
    if (isPast || (speedE3 ?? 0) > 10_000_000) return refused("out-of-range");
    if (byMs === 0 && (speedE3 === null || speedE3 === this.#clockSpeedE3)) {
      return accepted(null, []);
    }
    this.#clockOffsetMs += byMs;
    this.#clockSpeedE3 = speedE3 ?? this.#clockSpeedE3;
    return accepted(null, [{ type: "clock-set" }]);
  }

  protected setSwitch(command: CommandOf<"set-dead-man-switch">, nowMs: number): NaiveOutcome {
    const { uid, product, symbol, countdownMs } = command;
    if (!this.users.has(uid)) return refused("unknown-user");
    const reasons = new Set<RejectReason>();
    if (symbol !== null && !this.isListed(symbol, product)) reasons.add("unknown-symbol");
    const isOff = countdownMs === 0;
    if (!isOff && (countdownMs < 1_000 || countdownMs > 86_400_000)) reasons.add("out-of-range");
    if (reasons.size > 0) return { ok: false, reasons };
    const firesAtMs = isOff ? 0 : nowMs + countdownMs;
    const answer = { symbol, countdownMs, firesAtMs, isHeld: false };
    const known = this.switches.find(
      (one) => one.uid === uid && one.product === product && one.symbol === symbol,
    );
    if (known === undefined && isOff) return accepted(answer, []);
    const isSame = known?.firesAtMs === firesAtMs && known.countdownMs === countdownMs;
    if (isSame && !known.isHeld) return accepted(answer, []);
    this.switches = this.switches.filter((one) => one !== known);
    if (!isOff) this.switches.push({ uid, product, ...answer });
    const event = { type: "dead-man-switch-set", uid, product, symbol, countdownMs, firesAtMs };
    return accepted(answer, [event]);
  }

  /** The next one to fire until a moment, spot before contracts, then by user and market. */
  protected nextSwitch(toMs: number): NaiveSwitch | null {
    const due = this.switches.filter((one) => !one.isHeld && one.firesAtMs <= toMs);
    const keyOf = ({ product, symbol }: NaiveSwitch): [number, string] => [
      product === "spot" ? 0 : 1,
      symbol ?? "",
    ];
    due.sort((one, other) => {
      const [product, symbol] = keyOf(one);
      const [otherProduct, otherSymbol] = keyOf(other);
      return (
        one.firesAtMs - other.firesAtMs ||
        product - otherProduct ||
        one.uid - other.uid ||
        (symbol < otherSymbol ? -1 : 1)
      );
    });
    return due[0] ?? null;
  }

  /** It is over, or held until a halted market goes on. */
  protected switchFired(fired: NaiveSwitch, isHeld: boolean): NaiveEvent {
    fired.isHeld = isHeld;
    if (!isHeld) this.switches = this.switches.filter((one) => one !== fired);
    const { uid, product, symbol } = fired;
    return { type: "dead-man-switch-fired", uid, product, symbol, isHeld };
  }

  /** What was due while the exchange was down is due when it starts. */
  protected postponeSwitches(nowMs: number): void {
    for (const one of this.switches) {
      if (!one.isHeld && one.firesAtMs < nowMs) one.firesAtMs = nowMs;
    }
  }

  protected releaseSwitches(nowMs: number): void {
    for (const held of this.switches.filter(({ isHeld }) => isHeld)) {
      held.isHeld = false;
      held.firesAtMs = nowMs;
    }
  }

  /** Whether the movement of its id was made. */
  protected hasMoved({ requestId, type, uid }: MovementId): boolean {
    return this.#movements.has(`${type} ${uid} ${requestId}`);
  }

  /** What the movement of an id was answered. */
  balanceBehind(type: FundsCommandType, uid: number, requestId: string): string | null {
    const moved = this.#movements.get(`${type} ${uid} ${requestId}`);
    return moved === undefined ? null : (moved.answer as { readonly balance: string }).balance;
  }

  /** Takes every command that nobody else took; of a movement, null is the world outside. */
  protected moveFunds(other: Command): NaiveOutcome {
    const command = other as FundsCommand;
    const uid = "uid" in command ? command.uid : 0;
    if (uid !== 0 && !this.users.has(uid)) return refused("unknown-user");
    const asset = this.assets.get(command.asset);
    if (asset === undefined) return refused("unknown-asset");
    const reasons = new Set<RejectReason>();
    const amount = readMoney(command.amount, asset.scale, reasons);
    if (amount === 0n) reasons.add("out-of-range");
    if (amount === null || reasons.size > 0) return { ok: false, reasons };
    const [from, to] = endsOf(command);
    const key = `${command.type} ${uid} ${command.requestId}`;
    const body = `${asset.asset} ${amount} ${from} ${to}`;
    const first = this.#movements.get(key);
    if (first !== undefined) {
      return first.body === body ? accepted(first.answer, []) : refused("conflict");
    }
    if (from === to) return refused("malformed");
    if (from !== null && amount > this.#movable(uid, from, asset.asset)) {
      return refused("insufficient-balance");
    }
    if (from === "contract" && !this.canSpare(uid, asset.asset, amount)) {
      return refused("insufficient-balance");
    }
    const limit = BALANCE_UNITS_MAX * minorUnit(asset.scale);
    if (from === null && amount - this.house("external", asset.asset) > limit) {
      return refused("out-of-range");
    }
    this.#add(uid, from, asset.asset, -amount);
    this.#add(uid, to, asset.asset, amount);
    const balance = text(this.#balance(uid, to ?? from ?? "spot", asset.asset));
    const answer = { requestId: command.requestId, balance };
    this.#movements.set(key, { body, answer });
    return accepted(answer, [this.#movedEvent(command, uid, asset.asset, amount)]);
  }

  #movable(uid: number, end: Wallet | "insurance", asset: string): bigint {
    if (end === "insurance") return this.house("insurance", asset);
    return end === "spot" ? this.available(uid, asset) : this.contractMovable(uid, asset);
  }

  #balance(uid: number, end: Wallet | "insurance", asset: string): bigint {
    return end === "contract" ? this.contractCash(uid, asset) : this.#movable(uid, end, asset);
  }

  /** What may leave the contract wallet, and what is in it beside margins. */
  protected contractMovable(uid: number, asset: string): bigint {
    return this.equity(uid, "contract", asset);
  }

  protected contractCash(uid: number, asset: string): bigint {
    return this.equity(uid, "contract", asset);
  }

  /** Whether nothing in the contract wallet's account is due without an amount. */
  protected canSpare(_uid: number, _asset: string, _amount: bigint): boolean {
    return true;
  }

  #add(uid: number, end: Wallet | "insurance" | null, asset: string, amount: bigint): void {
    if (end === null) this.addHouse("external", asset, amount);
    else if (end === "insurance") this.addHouse("insurance", asset, amount);
    else this.addEquity(uid, end, asset, amount);
  }

  #movedEvent(command: FundsCommand, uid: number, asset: string, amount: bigint): NaiveEvent {
    const { requestId } = command;
    if (uid === 0) {
      const delta = text(command.type === "deposit-insurance" ? amount : -amount);
      const balance = text(this.house("insurance", asset));
      return { type: "insurance-moved", requestId, asset, delta, balance };
    }
    const [from, to] = endsOf(command);
    return {
      type: "funds-moved",
      requestId,
      uid,
      asset,
      amount: text(amount),
      from,
      to,
      spotEquity: text(this.equity(uid, "spot", asset)),
      contractEquity: text(this.equity(uid, "contract", asset)),
    };
  }
}

type MovementId = Pick<CommandOf<"deposit-funds" | "withdraw-funds">, "type" | "uid" | "requestId">;

type End = Wallet | "insurance" | null;

function endsOf(command: FundsCommand): readonly [from: End, to: End] {
  switch (command.type) {
    case "deposit-funds":
      return [null, command.wallet];
    case "withdraw-funds":
      return [command.wallet, null];
    case "transfer-funds":
    case "transfer-own-funds":
      return [command.from, command.to];
    case "deposit-insurance":
      return [null, "insurance"];
    case "withdraw-insurance":
      return ["insurance", null];
  }
}
