/** Assets by the numbers that bills and transfer records use. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept, invariant } from "../../domain/index.ts";
import type { AssetView } from "../../protocol/index.ts";

export class CoinDirectory {
  readonly #assets: readonly AssetView[];

  constructor(assets: readonly AssetView[]) {
    this.#assets = assets;
  }

  /** The asset that a caller asks for; null is every asset. */
  read(coinId: string | number | undefined): Accepted<string | null> | Refusal {
    if (coinId === undefined) return accept(null);
    const wanted = Number(coinId);
    const found = this.#assets.find((asset) => asset.coinId === wanted);
    return found === undefined ? refuse("unknown-asset", "coinId") : accept(found.asset);
  }

  coinId(asset: string): number {
    const found = this.#assets.find((listed) => listed.asset === asset);
    invariant(found !== undefined, `${asset} has moved, so it is listed`);
    return found.coinId;
  }
}
