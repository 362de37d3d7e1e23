/** The rules of one market, some of which a scene changes, reads back, and puts back at its end. */
import { isDeepStrictEqual } from "node:util";
import { hold } from "../breach.ts";
import { type Rules, readRules } from "../lone-rules.ts";
import type { Product } from "../orders.ts";
import type { Stage } from "./stage.ts";

export class ChangedRules {
  readonly #stage: Stage;
  readonly #path: string;
  readonly #before: Rules;
  readonly #changed = new Set<string>();

  static async begin(stage: Stage, product: Product, symbol: string): Promise<ChangedRules> {
    const path = `markets/${product}/${symbol}`;
    return new ChangedRules(stage, path, await readRules(stage.exchange, path));
  }

  constructor(stage: Stage, path: string, before: Rules) {
    this.#stage = stage;
    this.#path = path;
    this.#before = before;
  }

  /** Perhaps refused, as the naive exchange says. A market has just these rules behind it. */
  async set(change: Rules): Promise<void> {
    const present = await readRules(this.#stage.exchange, this.#path);
    for (const name of Object.keys(change)) this.#changed.add(name);
    await this.#stage.look();
    const due = { ...present, ...change };
    const wasTaken = (await this.#stage.operate("PUT", this.#path, due)) !== null;
    const said = await readRules(this.#stage.exchange, this.#path);
    const isRight = isDeepStrictEqual(said, wasTaken ? due : present);
    const detail = () => JSON.stringify({ change, wasTaken, present, said });
    hold(isRight, "a market has the rules that were set", detail);
    await this.#stage.look();
    // What follows is done by an engine that knows them from its snapshot.
    if (this.#stage.random.chance(0.3)) this.#stage.exchange.story.startAgain();
  }

  async putBack(): Promise<void> {
    const names = [...this.#changed];
    await this.set(Object.fromEntries(names.map((name) => [name, this.#before[name]])));
  }
}
