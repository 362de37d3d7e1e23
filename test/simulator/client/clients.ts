/**
 * The clients of a seed that has some, with randomness of their own: what other seeds draw, and
 * what the traders of this one draw, stays as it is.
 */
import type { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import type { Product } from "../orders.ts";
import { passTime } from "../pass-time.ts";
import { stepRandom } from "../schedule.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { SimulationOptions } from "../simulation-result.ts";
import { Trader } from "../trader.ts";
import { cancelAll, clientAct } from "./client-acts.ts";
import { CLIENT_FAULTS, type ClientFault, REFUSAL, refuse, strike } from "./client-faults.ts";
import { moreCall } from "./more-calls.ts";
import { SimulatedClient } from "./simulated-client.ts";

/** Of seeds. */
const PART = 0.3;
const SALT = 0x7c3e9b1d;
const REFUSAL_SALT = 0x1f83d9ab;
const BESIDE_SALT = 0x510e527f;
/** Of what a client does, beside which it compares its books, or listens to one more channel. */
const COMPARED = 0.1;
const SUBSCRIBED = 0.15;
const CHANNELS_SALT = 0x428a2f98;
/** That before which it opens or closes one of the channels of its own. */
const CHANGED = 0.3;
const RESTORED_SALT = 0x59f111f1;
/** Of restores, those beneath streams that are open. */
const BENEATH = 0.9;
const MORE_SALT = 0x3956c25b;
/** That behind which it makes another kind of call. */
const MORE = 0.2;
/** Of the event loop: about as many as it takes to connect. */
const TURNS_MAX = 60;
/** Of what a client on the trading WebSocket does, that before which it cancels everything. */
const CUTS = 0.25;
/** Of what a client does in a seed of three, that before which its channels are refused for now. */
const REFUSED = 0.15;
/** In which streams come back, and others ask again. */
const BACK_MS = 1_000;
/** Before a request is read, or before its answer is. */
const CUT_TURNS_MAX = 8;

export function hasClients(seed: number): boolean {
  return stepRandom(seed ^ SALT, 0).chance(PART);
}

export interface ClientsPlace {
  readonly exchange: SimulatedExchange;
  readonly options: SimulationOptions;
  readonly contractFunds: string;
  readonly products: readonly Product[];
  /** Whether somebody takes part who is to do something. */
  readonly takesPart: (name: string) => boolean;
  /** How many of each have happened. */
  readonly faults: Record<string, number>;
}

export class Clients {
  readonly #place: ClientsPlace;
  readonly #random: Random;
  readonly #rate: number;
  readonly #faultRate: number;
  readonly #faults: readonly ClientFault[];
  readonly #isRefused: boolean;
  readonly #wanted: number;
  readonly #traders: Trader[] = [];
  #clients: SimulatedClient[] = [];

  constructor(place: ClientsPlace) {
    this.#place = place;
    const random = stepRandom(place.options.seed ^ SALT, 0);
    this.#random = random;
    this.#wanted = random.chance(PART) ? random.pick([1, 1, 2]) : 0;
    this.#rate = random.pick([0.3, 0.6, 0.9]);
    this.#faultRate = random.pick([0, 0.1, 0.3]);
    this.#faults = CLIENT_FAULTS.filter(() => random.chance(0.6));
    this.#isRefused = stepRandom(place.options.seed ^ REFUSAL_SALT, 0).chance(PART);
  }

  /** Their accounts, whose orders and histories are checked like all others. */
  get traders(): readonly Trader[] {
    return this.#traders;
  }

  async open(): Promise<void> {
    this.#place.exchange.onLife = () => {
      for (const { machine } of this.#clients) machine.goOn();
    };
    for (let number = 1; number <= this.#wanted; number++) {
      const trader = await this.#register(`c${number}`);
      this.#traders.push(trader);
      const own = stepRandom(this.#place.options.seed ^ CHANNELS_SALT, number);
      this.#clients.push(new SimulatedClient(trader, this.#choose(own), this.#random, own));
    }
  }

  #choose(own: Random) {
    const random = this.#random;
    return {
      products: this.#place.products,
      transport: random.pick(["http", "http", "websocket"] as const),
      levels: random.pick([15, 15, 200] as const),
      skewMs: random.pick([0, 0, 20_000, -45_000, 3_600_000]),
      hasMarkets: random.chance(0.8),
      hasMany: own.chance(0.2),
    };
  }

  async #register(name: string): Promise<Trader> {
    const { contractFunds, exchange } = this.#place;
    const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
    const key = { label: name, permissions: ["read", "spot", "contract"], passphrase: "phrase" };
    const credentials = await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, key);
    const trader = new Trader(exchange, name, uid, credentials);
    for (const body of [
      { account: "spot", asset: "BTC", amount: "1" },
      { account: "spot", asset: "USDT", amount: "1000" },
      { account: "contract", asset: "USDT", amount: contractFunds },
    ]) {
      await exchange.life.until(trader.move("deposits", body));
    }
    return trader;
  }

  /** What they do in a step, at the same time as everybody else. */
  act(step: number): { readonly names: string[]; readonly acts: Promise<void>[] } {
    const { faults, options, takesPart } = this.#place;
    const { seed, without } = options;
    const names: string[] = [];
    const acts: Promise<void>[] = [];
    const random = stepRandom(seed ^ SALT, step);
    for (const client of this.#clients) {
      const { name } = client.trader;
      const own = stepRandom(random.integer(0, 0x7fffffff), step);
      if (!own.chance(this.#rate) || !takesPart(name)) continue;
      const { act, name: what } = clientAct(own);
      const isStruck = this.#faults.length > 0 && own.chance(this.#faultRate);
      const fault = isStruck ? own.pick(this.#faults) : null;
      if (fault !== null && without?.has(fault) !== true) {
        strike(client, fault, own);
        faults[fault] = (faults[fault] ?? 0) + 1;
        names.push(`${name} ${fault}`);
      }
      names.push(`${name} ${what}`);
      const refusing = stepRandom(own.seed ^ REFUSAL_SALT, step);
      const isRefused = this.#mayRefuse && refusing.chance(REFUSED);
      if (isRefused) names.push(`${name} ${REFUSAL}`);
      const aimed = stepRandom(own.seed ^ SALT, step);
      const isCut = this.#mayCut(client) && aimed.chance(CUTS);
      if (isCut) names.push(`${name} cancel-all under a cut`);
      const beside = stepRandom(own.seed ^ BESIDE_SALT, step);
      if (beside.chance(COMPARED)) acts.push(client.compareBooks(beside.integer(0, TURNS_MAX)));
      if (beside.chance(SUBSCRIBED)) acts.push(client.subscribeMore(beside.integer(0, TURNS_MAX)));
      const changing = stepRandom(own.seed ^ CHANNELS_SALT, step);
      for (let left = 2; left > 0; left--) {
        if (changing.chance(CHANGED)) client.changeChannels(changing);
      }
      const begun = isRefused ? this.#actRefused(client, own, refusing) : act(client, own);
      const done = isCut ? this.#cutBehind(client, begun, aimed) : begun;
      const more = stepRandom(own.seed ^ MORE_SALT, step);
      if (!more.chance(MORE)) acts.push(done);
      else {
        const next = moreCall(more);
        names.push(`${name} ${next.name}`);
        acts.push(this.#behind(done, () => next.act(client, more)));
      }
    }
    return { names, acts };
  }

  async #behind(first: Promise<void>, next: () => Promise<void>): Promise<void> {
    const { life } = this.#place.exchange;
    await first;
    if (this.#place.exchange.life === life && !life.isOver) await next();
  }

  get #mayRefuse(): boolean {
    return this.#isRefused && this.#place.options.without?.has(REFUSAL) !== true;
  }

  /** Its streams come back, and what it does then some of their channels do not tell. */
  async #actRefused(client: SimulatedClient, own: Random, random: Random): Promise<void> {
    const { exchange, faults } = this.#place;
    const { life } = exchange;
    refuse(client, random);
    faults[REFUSAL] = (faults[REFUSAL] ?? 0) + 1;
    for (let count = random.integer(1, 3); count > 0; count--) {
      await passTime(exchange, random.integer(1, BACK_MS));
      if (exchange.life !== life || life.isOver) return;
      await clientAct(own).act(client, own);
    }
  }

  #mayCut({ choice }: SimulatedClient): boolean {
    const { without } = this.#place.options;
    return choice.transport === "websocket" && without?.has("client-cut") !== true;
  }

  /** What may not be sent twice is on its way when its connection breaks. */
  async #cutBehind(client: SimulatedClient, first: Promise<void>, random: Random): Promise<void> {
    await this.#behind(first, async () => {
      const { faults } = this.#place;
      client.network.faults = [{ cutAfterTurns: random.integer(0, CUT_TURNS_MAX) }];
      faults["client-cut"] = (faults["client-cut"] ?? 0) + 1;
      await cancelAll(client, random);
    });
  }

  /** The exchange has started again: their calls come to an end. */
  async settle(): Promise<void> {
    const { life } = this.#place.exchange;
    for (const client of this.#clients) if (client.isBusy) await life.until(client.settle());
  }

  check(): void {
    for (const client of this.#clients) client.check();
  }

  async audit(): Promise<void> {
    for (const client of this.#clients) await client.audit();
  }

  /** The story that they know comes to its end: behind theirs, or beneath their streams. */
  async goBack(restore: () => Promise<void>): Promise<void> {
    const { exchange, options } = this.#place;
    const { story } = exchange;
    const isBeneath = stepRandom(options.seed ^ RESTORED_SALT, 0).chance(BENEATH);
    if (!isBeneath) await this.close();
    for (const client of this.#clients) client.expectRestore();
    await restore();
    if (exchange.story === story) return;
    for (const client of this.#clients) await client.restored();
    await this.close();
  }

  async close(): Promise<void> {
    const { life } = this.#place.exchange;
    for (const client of this.#clients) await life.until(client.close());
    this.drop();
  }

  drop(): void {
    for (const client of this.#clients) client.drop();
    this.#clients = [];
  }
}
