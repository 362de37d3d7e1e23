/** The streams of a client, of one product, by names that both products have. */
import type {
  ContractAccountStreams,
  ContractStreams,
  ContractWallet,
  RialtoClient,
  SpotAccountStreams,
  SpotBalance,
  SpotStreams,
  StreamFill,
  StreamOrder,
  StreamPosition,
  StreamState,
  Subscription,
} from "../../../src/client/index.ts";
import type { Product } from "../orders.ts";

export type MarketStream = SpotStreams | ContractStreams;

type Listening<Event> = Pick<Subscription<Event>, "listen">;

export function openMarket(client: RialtoClient, product: Product): MarketStream {
  return product === "spot" ? client.streams.spot() : client.streams.contract();
}

export class AccountStream {
  readonly product: Product;
  readonly orders: Listening<StreamOrder>;
  readonly fills: Listening<StreamFill>;
  readonly account: Listening<SpotBalance | ContractWallet>;
  readonly positions: Listening<StreamPosition> | null;
  readonly #stream: SpotAccountStreams | ContractAccountStreams;

  constructor({ streams }: RialtoClient, product: Product) {
    const spot = product === "spot" ? streams.spotAccount() : null;
    const contract = product === "spot" ? null : streams.contractAccount();
    const stream = (spot ?? contract) as SpotAccountStreams | ContractAccountStreams;
    this.product = product;
    this.#stream = stream;
    this.orders = stream.orders();
    this.fills = stream.fills();
    this.account = stream.account();
    this.positions = contract?.positions() ?? null;
  }

  get state(): StreamState {
    return this.#stream.state;
  }

  get latencyMs(): number | null {
    return this.#stream.latencyMs;
  }

  /** The same channels, for another reader. */
  again() {
    const stream = this.#stream;
    return { orders: () => stream.orders(), fills: () => stream.fills() };
  }

  onState(listener: (state: StreamState) => void): () => void {
    return this.#stream.onState(listener);
  }

  close(): void {
    this.#stream.close();
  }
}
