/**
 * One seed of a cluster: two or three whole nodes over three of PostgreSQL, with clients that use
 * any of them. Each step lets some of them do something at the same time, while faults strike and
 * last; from time to time everything is mended, and all that was acknowledged must be there, on
 * every node.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "../../support/memory-folder.ts";
import { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import { TRADER_ACTS } from "../acts.ts";
import { audit } from "../audit.ts";
import { Breach } from "../breach.ts";
import { listMarkets, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { passTime } from "../pass-time.ts";
import { stepRandom, weighted } from "../schedule.ts";
import type { SimulationOptions, SimulationResult } from "../simulation.ts";
import { Trader } from "../trader.ts";
import { BookWatch, PrivateWatch } from "../watches.ts";
import { SimulatedCluster } from "./cluster.ts";
import { CLUSTER_FAULTS, type ClusterFault, ClusterTrouble } from "./cluster-faults.ts";

/** What goes through a node as through any other exchange is left to the simulation of one. */
const ACTS = [
  ...["spot-place", "spot-cancel", "spot-amend", "spot-cancel-all", "spot-read", "spot-ladder"],
  ...["contract-place", "contract-cancel", "contract-amend", "contract-cancel-all"],
  ...["contract-read", "contract-close", "contract-settings", "money"],
];
/** In a row, of one client in one step. */
const ACTS_MAX = 5;
const PRODUCTS: readonly (readonly Product[])[] = [["spot"], ["contract"], ["spot", "contract"]];

export interface ClusterOptions extends Omit<SimulationOptions, "without"> {
  readonly without?: ReadonlySet<string>;
}

interface Schedule {
  readonly nodes: number;
  readonly traders: number;
  readonly products: readonly Product[];
  readonly acts: readonly string[];
  readonly faults: readonly ClusterFault[];
  readonly faultRate: number;
  readonly together: number;
  readonly auditEvery: number;
  readonly streamIntervalMs: number;
  readonly confirm: "async" | "strict";
}

function scheduleOf(seed: number): Schedule {
  const random = new Random(seed ^ 0x3c6ef372);
  const products = random.pick(PRODUCTS);
  const share = random.pick([0.1, 0.2, 0.5]);
  return {
    nodes: random.integer(2, 3),
    traders: random.integer(2, 5),
    products,
    acts: ACTS.filter((name) => products.some((each) => name.startsWith(each)) || name === "money"),
    faults: CLUSTER_FAULTS.filter(() => random.chance(share)),
    faultRate: random.pick([0.5, 1]),
    together: random.integer(1, 5),
    auditEvery: random.integer(4, 12),
    streamIntervalMs: random.pick([1, 100]),
    confirm: random.pick(["async", "strict"] as const),
  };
}

export async function simulateCluster(options: ClusterOptions): Promise<SimulationResult> {
  const folder = mkdtempSync(join(memoryFolder(), "rialto-cluster-"));
  const simulation = new ClusterSimulation(folder, options);
  try {
    return await simulation.run();
  } finally {
    await simulation.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class ClusterSimulation {
  readonly #options: ClusterOptions;
  readonly #schedule: Schedule;
  readonly #cluster: SimulatedCluster;
  readonly #trouble: ClusterTrouble;
  readonly #traders: Trader[] = [];
  readonly #watches: PrivateWatch[] = [];
  readonly #books: readonly BookWatch[];
  readonly #faults: Record<string, number> = {};
  readonly #actors = new Set<string>();
  readonly #log: string[] = [];
  #step = 0;
  #stepsDone = 0;

  constructor(folder: string, options: ClusterOptions) {
    const { seed } = options;
    this.#options = options;
    this.#schedule = scheduleOf(seed);
    const { confirm, nodes, products, streamIntervalMs } = this.#schedule;
    this.#cluster = new SimulatedCluster(folder, { seed, nodes, confirm, streamIntervalMs });
    this.#trouble = new ClusterTrouble(this.#cluster);
    this.#books = products.map((product) => {
      return new BookWatch(this.#cluster, product, SYMBOL, "v3");
    });
  }

  async close(): Promise<void> {
    await this.#cluster.close();
  }

  async run(): Promise<SimulationResult> {
    const { keeps = () => true, onStep = () => undefined, seed, steps } = this.#options;
    let breach: SimulationResult["breach"] = null;
    try {
      await this.#open();
      for (this.#step = 1; this.#step <= steps; this.#step++) {
        if (!keeps(this.#step)) continue;
        this.#cluster.life.beginStep();
        onStep(this.#step);
        await this.#doStep(stepRandom(seed, this.#step));
        this.#stepsDone++;
      }
      await this.#audit();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const check = error instanceof Breach ? error.check : "the cluster throws nothing";
      const text = error instanceof Breach ? error.message : (error.stack ?? error.message);
      breach = { step: this.#step, check, text };
    }
    return {
      seed,
      breach,
      steps: this.#stepsDone,
      requests: this.#cluster.requests,
      restarts: this.#cluster.nodes.reduce((sum, { starts }) => sum + starts, 0),
      faults: this.#faults,
      traceHash: this.#cluster.traceHash,
      actors: [...this.#actors],
      log: this.#log,
    };
  }

  async #open(): Promise<void> {
    await this.#cluster.start();
    await listMarkets(this.#cluster);
    for (let count = 1; count <= this.#schedule.traders; count++) await this.#register(count);
    await this.#audit();
  }

  async #register(count: number): Promise<void> {
    const name = `t${count}`;
    const cluster = this.#cluster;
    const { uid } = await cluster.operator<{ readonly uid: number }>("POST", "users", {});
    const permissions = ["read", "spot", "contract"];
    const key = { label: name, permissions, passphrase: "passphrase" };
    const credentials = await cluster.operator<Credentials>("POST", `users/${uid}/api-keys`, key);
    const trader = new Trader(cluster, name, uid, credentials);
    this.#traders.push(trader);
    for (const body of [
      { account: "spot", asset: "BTC", amount: "1" },
      { account: "spot", asset: "USDT", amount: "1000" },
      { account: "contract", asset: "USDT", amount: "500" },
    ]) {
      await cluster.life.until(trader.move("deposits", body));
    }
    for (const product of this.#schedule.products) {
      this.#watches.push(new PrivateWatch(trader, product, "v3"));
    }
  }

  #takesPart(actor: string): boolean {
    if (this.#options.silent?.has(actor) === true) return false;
    this.#actors.add(actor);
    return true;
  }

  async #doStep(random: Random): Promise<void> {
    const { auditEvery, faultRate, faults } = this.#schedule;
    const names: string[] = [];
    if (faults.length > 0 && random.chance(faultRate)) {
      const kind = random.pick(faults);
      const own = new Random(random.integer(0, 0x7fffffff));
      if (this.#options.without?.has(kind) !== true) {
        this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
        this.#trouble.strike(kind, own);
        names.push(`fault ${kind}`);
      }
    }
    const acts = this.#acts(random, names);
    try {
      await this.#cluster.life.until(Promise.all(acts));
    } finally {
      this.#log.push(`step ${this.#step}: ${names.join(", ")}`);
    }
    const shortMs = random.integer(1, 20);
    await this.#cluster.life.pass(random.chance(0.8) ? shortMs : random.integer(20, 5000));
    await this.#cluster.follow();
    if (this.#step % auditEvery === 0) await this.#audit();
  }

  /** Each of them does one thing after the other, and often looks at what came of it. */
  #acts(random: Random, names: string[]): Promise<unknown>[] {
    const { acts, products, together } = this.#schedule;
    const actors = random.shuffle([...this.#traders]).slice(0, random.integer(1, together));
    const reads = products.map((product) => `${product}-read`);
    return actors.map(async (trader) => {
      const own = new Random(random.integer(0, 0x7fffffff));
      for (let left = own.integer(1, ACTS_MAX); left > 0; left--) {
        const act = weighted(own, TRADER_ACTS, own.chance(0.4) ? reads : acts);
        if (act === null || !this.#takesPart(trader.name)) return;
        trader.way = own.pick(["http", "http", "v2"]);
        names.push(`${trader.name} ${act.name}`);
        await act.value(trader, own, {});
        await passTime(this.#cluster, own.integer(0, own.chance(0.7) ? 5 : 800));
      }
    });
  }

  /** Of everything, when nothing is broken any more. */
  async #audit(): Promise<void> {
    await this.#trouble.mend();
    for (const trader of this.#traders) {
      await this.#cluster.life.until(trader.settleMovements());
    }
    await this.#cluster.whole();
    await this.#cluster.follow();
    await audit({
      exchange: this.#cluster,
      traders: this.#traders,
      formerUids: [],
      privateWatches: this.#watches,
      books: this.#books,
      fundingWatches: [],
      commandBooks: [],
      tapes: [],
      products: this.#schedule.products,
      hasClocks: true,
    });
    for (const watch of [...this.#watches, ...this.#books]) {
      if (!watch.isConnected) await this.#cluster.life.until(watch.connect());
    }
  }
}
