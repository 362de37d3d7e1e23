/**
 * Readers who subscribe to every change of a book while another one has done so: between two fills
 * of one order, behind amendments that keep a place or lose it, and while these are on their way.
 */
import { CommandBookWatch } from "../command-books.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { changeOf, type Waiting } from "./amendments.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const ORDERS = [2, 4] as const;
const ACTS = [3, 6] as const;
const LOTS_MAX = 6;
const FUNDS = { account: "contract", asset: "USDT", amount: "1000" } as const;
/** A call of the disk takes so long at most while somebody subscribes. */
const SYNC_MS = 4;

export function lateReaders(product: Product): Scene {
  return async (stage) => {
    const { exchange, random } = stage;
    for (const trader of stage.traders) {
      if (product === "spot") await fundSpot(stage, trader);
      else await stage.move(trader, "deposits", FUNDS);
    }
    await stage.clear(product, SYMBOL);
    const readers = [new CommandBookWatch(exchange, product, SYMBOL)];
    await stage.do(readers[0]?.connect() ?? Promise.resolve());
    const queue = new Queue(stage, product);
    for (let count = random.integer(...ORDERS); count > 0; count--) await queue.add();
    for (let count = random.integer(...ACTS); count > 0; count--) {
      const act = await queue.next();
      const isBeside = random.chance(0.4);
      if (isBeside) await besideAll(stage, act, join(stage, readers));
      else await stage.do(act());
      if (!isBeside && random.chance(0.7)) await stage.do(join(stage, readers)());
      await checkAll(stage, readers);
    }
    await stage.look();
    for (const reader of readers) reader.disconnect();
    await stage.clear(product, SYMBOL);
  };
}

type Act = () => Promise<unknown>;

/** Orders at few prices, of both sides, that do not meet each other. */
class Queue {
  readonly #stage: Stage;
  readonly #product: Product;
  readonly #waiting: Waiting[] = [];

  constructor(stage: Stage, product: Product) {
    this.#stage = stage;
    this.#product = product;
  }

  async add(): Promise<void> {
    const { random, traders } = this.#stage;
    const trader = random.pick([...traders]);
    const side = random.pick(["BUY", "SELL"] as const);
    const terms = this.#terms(side, side === "BUY" ? -random.integer(1, 2) : random.integer(1, 2));
    const order = await this.#stage.place(trader, this.#product, { ...terms, timeInForce: "GTC" });
    this.#waiting.push({ trader, order });
  }

  /** One that takes some of them, which is met in part by whatever is first. */
  #take(): Act {
    const { random, traders } = this.#stage;
    const side = random.pick(["BUY", "SELL"] as const);
    const terms = this.#terms(side, side === "BUY" ? 2 : -2);
    const trader = random.pick([...traders]);
    return () => trader.place(this.#product, { ...terms, timeInForce: "IOC" });
  }

  async next(): Promise<Act> {
    const { random } = this.#stage;
    const { order, trader } = random.pick(this.#waiting);
    const way = random.pick(["take", "take", "amend", "amend", "cancel", "add"]);
    if (way === "add") return () => this.add();
    if (way === "cancel") return () => trader.cancel(order);
    const change = way === "take" ? null : await changeOf(this.#stage, this.#product, order);
    return change === null ? this.#take() : () => trader.amend(order, change);
  }

  #terms(side: "BUY" | "SELL", ticks: number) {
    const quantity = `0.00${this.#stage.random.integer(2, LOTS_MAX)}`;
    const terms = { symbol: SYMBOL, side, type: "LIMIT", quantity };
    if (this.#product === "spot") {
      return { ...terms, price: (SPOT_PRICE + ticks * 0.01).toFixed(2) };
    }
    const positionSide = side === "BUY" ? "LONG" : "SHORT";
    return { ...terms, positionSide, price: (CONTRACT_PRICE + ticks * 0.1).toFixed(1) };
  }
}

/** One more, or one that is there asks for the state once more, or leaves for a moment. */
function join({ exchange, random }: Stage, readers: CommandBookWatch[]): Act {
  const [first] = readers;
  const known = random.pick(readers);
  const way = random.pick(["new", "new", "again", "leaves"]);
  if (first === undefined || way === "new") {
    const { product } = known;
    const reader = new CommandBookWatch(exchange, product, SYMBOL);
    readers.push(reader);
    return () => reader.connect();
  }
  if (way === "again") return () => known.subscribeAgain();
  return () => known.leave(known.channels, () => Promise.resolve());
}

async function besideAll(stage: Stage, act: Act, joining: Act): Promise<void> {
  const { files } = stage.exchange.life;
  const isSlowed = files.slowestMs === 0;
  if (isSlowed) files.slowestMs = SYNC_MS;
  await stage.do(Promise.all([act(), joining()]));
  if (isSlowed) files.slowestMs = 0;
}

/** Each has come to the book that there is. */
async function checkAll(stage: Stage, readers: readonly CommandBookWatch[]): Promise<void> {
  await stage.look();
  const { story } = stage.exchange;
  for (const reader of readers) {
    const book = story.books.at(`${reader.product} ${SYMBOL}`, story.sequence);
    await stage.do(reader.check(book?.version ?? 0));
  }
}
