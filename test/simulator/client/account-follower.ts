/**
 * An account as a client keeps it: what REST says once the channels are accepted, and again after
 * each interruption that it is told of, and every event since.
 */
import type { RialtoClient, StreamFill, StreamOrder } from "../../../src/client/index.ts";
import { exact, text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import type { OrderMoment } from "../order-timelines.ts";
import { hasEnded, type Product } from "../orders.ts";
import type { Story } from "../story.ts";
import type { AccountStream } from "./client-streams.ts";

interface Order {
  readonly price: string;
  readonly origQty: string;
  readonly executedQty: string;
  readonly status: string;
}

const OPEN_PAGE = 100;

export class AccountFollower {
  readonly #client: RialtoClient;
  readonly #uid: number;
  readonly #product: Product;
  readonly #orders = new Map<string, Order>();
  readonly #balances = new Map<string, string>();
  readonly #positions = new Map<number, string>();
  /** By the order, of fills since the last state. */
  readonly #filled = new Map<string, bigint>();
  readonly #fills = new Set<string>();
  /** Not compared yet, and what the story did not know the last time. */
  #told: StreamOrder[] = [];
  #doubted: StreamOrder[] = [];
  #failure: string | null = null;
  /** Null once REST has said what was before. */
  #held: (() => void)[] | null = [];
  #generation = 0;
  /** What has happened since this command was told as a whole. */
  #floor: number | null = null;
  #isRead = false;
  readonly #ending = new AbortController();
  /** How often it began anew. */
  states = 0;

  constructor(
    client: RialtoClient,
    uid: number,
    stream: AccountStream,
    trace: (said: unknown) => void,
  ) {
    this.#client = client;
    this.#uid = uid;
    this.#product = stream.product;
    const { account, fills, orders, positions } = stream;
    orders.listen((order) => {
      trace(order);
      this.#hear(() => this.#takeOrder(order));
    });
    fills.listen((fill) => {
      trace(fill);
      this.#hear(() => this.#takeFill(fill));
    });
    account.listen((balance) => {
      const { asset } = balance;
      const said = "free" in balance ? `${balance.free} ${balance.locked}` : balance.balance;
      this.#hear(() => this.#balances.set(asset, said));
    });
    positions?.listen(({ id, size }) => this.#hear(() => this.#positions.set(id, size)));
    stream.onState(({ name, resumed }) => {
      trace(name);
      const isTold = name !== "live" || resumed || this.states === 0;
      if (!isTold) this.#failure ??= "live again, and not told of the interruption";
      if (name !== "live" || resumed) this.#beginAnew();
      if (name === "live") void this.#readState();
    });
  }

  #hear(take: () => void): void {
    if (this.#held === null) take();
    else this.#held.push(take);
  }

  #beginAnew(): void {
    this.#generation++;
    this.#held = [];
    this.#isRead = false;
    this.#floor = null;
    for (const known of [this.#orders, this.#balances, this.#positions, this.#filled])
      known.clear();
    this.#fills.clear();
  }

  async #readState(): Promise<void> {
    this.states++;
    const generation = this.#generation;
    const open = await this.#openOrders().catch(() => null);
    if (generation !== this.#generation) return;
    this.#isRead = open !== null;
    for (const row of open ?? []) this.#orders.set(String(row.orderId), row);
    if (open === null) return;
    const held = this.#held ?? [];
    this.#held = null;
    for (const take of held) take();
  }

  async #openOrders(): Promise<readonly (Order & { readonly orderId: number | string })[]> {
    const { contract, spot } = this.#client;
    const { signal } = this.#ending;
    if (this.#product === "spot") return await spot.openOrders({ symbol: SYMBOL }, { signal });
    return await contract.openOrders({ symbol: SYMBOL, limit: OPEN_PAGE }, { signal });
  }

  /** It asks for nothing any more. */
  end(): void {
    this.#ending.abort();
  }

  /** Asks again if the answer was lost. */
  readAgain(isLive: boolean): void {
    if (isLive && !this.#isRead && this.#held !== null) void this.#readState();
  }

  #takeOrder(order: StreamOrder): void {
    if (order.symbol !== SYMBOL || order.triggerPrice !== "0") return;
    this.#orders.set(String(order.orderId), order);
    this.#told.push(order);
  }

  #takeFill({ id, orderId, qty }: StreamFill): void {
    const key = `${id}/${orderId}`;
    if (this.#fills.has(key)) this.#failure ??= `fill ${key} comes twice`;
    this.#fills.add(key);
    const order = String(orderId);
    this.#filled.set(order, (this.#filled.get(order) ?? 0n) + exact(qty));
  }

  /** By a story that has followed everything, but for what time has brought a moment ago. */
  check(story: Story): void {
    hold(this.#failure === null, "a client's account has no gap", () => `${this.#failure}`);
    const momentsOf = ({ orderId }: StreamOrder) => {
      return story.orders.get(this.#product, String(orderId))?.moments ?? [];
    };
    const isStrange = (order: StreamOrder): boolean => {
      return !momentsOf(order).some((moment) => isAt(order, moment));
    };
    for (const order of this.#doubted) {
      const detail = () => `${JSON.stringify(order)} is none of ${textOf(momentsOf(order))}`;
      hold(!isStrange(order), "a client is told of orders as they were", detail);
    }
    this.#doubted = this.#told.filter(isStrange);
    this.#told = [];
    if (this.#isRead) this.#floor ??= story.sequence;
  }

  /** Null once it is what the exchange has. */
  difference(story: Story): string | null {
    if (!this.#isRead) return `the ${this.#product} account was not read`;
    if (this.#orders.size >= OPEN_PAGE) return null;
    for (const timeline of story.orders.ofAccount(this.#product, this.#uid)) {
      const { moments, orderId, symbol } = timeline;
      const [first] = moments;
      const last = moments.at(-1);
      const mine = this.#orders.get(orderId);
      if (last === undefined || first === undefined || symbol !== SYMBOL) continue;
      if (mine === undefined ? last.isOpen : !isAt(mine, last)) {
        const said = `${JSON.stringify(mine)} instead of ${textOf([last])}`;
        return `${this.#product} order ${orderId}: ${said}`;
      }
      if (first.sequence <= (this.#floor ?? Number.POSITIVE_INFINITY)) continue;
      const filled = this.#filled.get(orderId) ?? 0n;
      if (filled === last.filled) continue;
      return `fills of ${this.#product} order ${orderId}: ${text(filled)} of ${text(last.filled)}`;
    }
    return null;
  }

  /** The wallet and the positions, by the client's own questions. */
  async balancesDiffer(): Promise<string | null> {
    const { contract, spot } = this.#client;
    const said = new Map<string, string>();
    if (this.#product === "spot") {
      const { balances } = await spot.account();
      for (const { asset, free, locked } of balances) said.set(asset, `${free} ${locked}`);
    } else for (const row of await contract.balance()) said.set(row.asset, row.balance);
    for (const [asset, mine] of this.#balances) {
      const due = said.get(asset);
      if (due !== mine) return `${this.#product} ${asset}: ${mine} instead of ${due}`;
    }
    if (this.#product === "spot") return null;
    const open = new Map((await contract.positions()).map(({ id, size }) => [id, size]));
    for (const [id, mine] of this.#positions) {
      const due = open.get(id) ?? "0";
      if (due !== mine) return `position ${id}: ${mine} instead of ${due}`;
    }
    return null;
  }
}

function isAt(order: Order, moment: OrderMoment): boolean {
  return (
    hasEnded({ status: order.status }) === !moment.isOpen &&
    exact(order.executedQty) === moment.filled &&
    exact(order.price) === moment.price &&
    exact(order.origQty) === moment.quantity
  );
}

function textOf(moments: readonly OrderMoment[] = []): string {
  return moments
    .map(({ filled, isOpen, price, quantity, sequence }) => {
      const terms = `${text(filled)} of ${text(quantity)} at ${text(price)}`;
      return `${sequence}: ${terms}, ${isOpen ? "open" : "ended"}`;
    })
    .join("; ");
}
