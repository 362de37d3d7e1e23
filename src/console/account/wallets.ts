/** Both wallets of the account, and the prices that value them. */
import type { RialtoClient } from "../../client/index.ts";
import { compare, plus } from "../decimals/arithmetic.ts";

export interface WalletRow {
  readonly wallet: "Spot" | "Contracts";
  readonly asset: string;
  /** On contracts with unrealised P&L. */
  readonly equity: string;
  readonly available: string;
  readonly inOrders: string;
  /** Null on spot. */
  readonly unrealised: string | null;
}

export interface Wallets {
  readonly rows: readonly WalletRow[];
  /** Last spot prices by symbol. */
  readonly prices: ReadonlyMap<string, string>;
}

export async function fetchWallets(client: RialtoClient, signal: AbortSignal): Promise<Wallets> {
  const [{ balances }, contracts, tickers] = await Promise.all([
    client.spot.account({ signal }),
    client.contract.balance({ signal }),
    client.spot.prices({}, { signal }),
  ]);
  const spot = balances.map(
    ({ asset, free, locked }): WalletRow => ({
      wallet: "Spot",
      asset,
      equity: plus(free, locked),
      available: free,
      inOrders: locked,
      unrealised: null,
    }),
  );
  const contract = contracts.map(
    ({ asset, balance, availableBalance, frozen, unrealizePnl }): WalletRow => ({
      wallet: "Contracts",
      asset,
      equity: plus(balance, unrealizePnl),
      available: availableBalance,
      inOrders: frozen,
      unrealised: unrealizePnl,
    }),
  );
  const held = spot.filter(({ equity }) => compare(equity, "0") !== 0);
  const prices = new Map(tickers.map(({ symbol, price }) => [symbol, price]));
  return { rows: [...held, ...contract], prices };
}
