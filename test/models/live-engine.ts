/** An engine with its own clock and counter, for tests that go command by command. */
import assert from "node:assert/strict";
import { sha256Hex } from "../../src/app/event-digest.ts";
import { Engine } from "../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type CommandAnswers,
  type CommandOf,
  type CommandResult,
  type CommandType,
  type Event,
  type EventOf,
  type EventType,
  readEvents,
} from "../../src/protocol/index.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../support/hash-key.ts";
import { BTC_SPOT, type SpotListing } from "../support/listings.ts";

const START_MS = Date.UTC(2026, 0, 1);
const ACTOR = "operator";

export interface Executed {
  readonly result: CommandResult;
  readonly events: readonly Event[];
}

const OPEN_RULES: SpotListing = {
  ...BTC_SPOT,
  symbol: "ACOQUO",
  baseAsset: "ACO",
  quoteAsset: "QUO",
  tickSize: "0.01",
};

export class LiveEngine {
  engine = Engine.create(sha256Hex, HASH_KEY);
  nowMs = START_MS;
  sequence = 0;
  readonly #writer = new ByteWriter();
  #ids = 0;

  execute(command: Command): Executed {
    this.#writer.clear();
    const result = this.engine.apply(command, this.sequence + 1, this.nowMs, this.#writer);
    const events = [...readEvents(this.#writer.toBytes())];
    if (events.length > 0) this.sequence++;
    return { result, events };
  }

  /** The bytes of the command's events; none when it changed nothing. */
  chunkOf(command: Command): Uint8Array {
    this.execute(command);
    return this.#writer.toBytes();
  }

  /** Fails the test when the command is refused. */
  must<Type extends CommandType>(
    command: CommandOf<Type>,
  ): { readonly value: CommandAnswers[Type]; readonly events: readonly Event[] } {
    const { result, events } = this.execute(command as Command);
    assert.ok(result.ok, `${command.type} was refused`);
    return { value: result.value as CommandAnswers[Type], events };
  }

  /** Lists ACO and QUO and their market. */
  listMarket(rules: Partial<SpotListing> = {}, baseScale = 8, quoteScale = 8): void {
    for (const [asset, coinId, scale] of [
      ["ACO", 1, baseScale],
      ["QUO", 2, quoteScale],
    ] as const) {
      this.must({ type: "set-asset", actor: ACTOR, asset, coinId, name: asset, scale });
    }
    this.must({ type: "set-spot-market", actor: ACTOR, ...OPEN_RULES, ...rules });
  }

  /** A user with so much of both assets, invited by nobody unless it says so. */
  fundedUser(amount = "1000000000", invitedWith: string | null = null): number {
    const inviteCode = `invite-${++this.#ids}`;
    const { uid } = this.must({
      type: "register-user",
      actor: ACTOR,
      uid: null,
      inviteCode,
      invitedWith,
      kyc: false,
    }).value;
    for (const asset of ["ACO", "QUO"]) this.deposit(uid, asset, amount);
    return uid;
  }

  deposit(uid: number, asset: string, amount: string): void {
    const requestId = `deposit-${++this.#ids}`;
    const body = { actor: ACTOR, requestId, uid, wallet: "spot", asset, amount } as const;
    this.must({ type: "deposit-funds", ...body });
  }

  /** A limit order of the listed market, good till cancelled unless it says otherwise. */
  order(
    uid: number,
    side: "BUY" | "SELL",
    price: string,
    quantity: string,
    other: Partial<CommandOf<"place-spot-order">> = {},
  ): CommandOf<"place-spot-order"> {
    return {
      type: "place-spot-order",
      uid,
      symbol: "ACOQUO",
      side,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity,
      quantityUnit: "base",
      clientOrderId: `order-${++this.#ids}`,
      ...other,
    };
  }

  /** From here on it is the engine that its own snapshot gives. */
  restart(): void {
    this.engine = Engine.restore(
      this.engine.snapshotSections(),
      this.nowMs,
      sha256Hex,
      OTHER_HASH_KEY,
    );
  }
}

export function eventsOf<Type extends EventType>(
  events: readonly Event[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}
