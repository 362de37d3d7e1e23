/** GET /api/v3/account/transferRecords: the caller's transfers between wallets, newest first. */
import { transferRecordsRoute } from "../../api/v3/account.ts";
import { accept, type Wallet } from "../../domain/index.ts";
import type { Transfer } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { CoinDirectory } from "./coin-directory.ts";
import { readTimeRange } from "./parameters.ts";
import { askPast } from "./past.ts";

const LIMIT_STANDARD = 100;
const WALLETS = { SPOT: "spot", CONTRACT: "contract" } as const;
const WALLET_TYPES: Readonly<Record<Wallet, keyof typeof WALLETS>> = {
  spot: "SPOT",
  contract: "CONTRACT",
};

export const transferRecordsEndpoint = endpoint(
  transferRecordsRoute,
  async ({ caller, query }, exchange) => {
    const limit = query.limit ?? LIMIT_STANDARD;
    const time = readTimeRange(query.after, query.before, ["after", "before"]);
    if (!time.ok) return time;
    const assets = await exchange.engine.ask({ type: "assets" });
    if (!assets.ok) return assets;
    const asset = new CoinDirectory(assets.value).read(query.coinId);
    if (!asset.ok) return asset;
    const question = {
      uid: caller.uid,
      asset: asset.value,
      from: query.fromType === undefined ? null : WALLETS[query.fromType],
      time: time.value,
      limit,
    };
    const rows = await askPast(exchange, "transfers", question, assets.sequence);
    return rows.ok ? accept(rows.value.map(toRecord)) : rows;
  },
);

function toRecord(transfer: Transfer) {
  return {
    coinName: transfer.asset,
    status: "Successful" as const,
    toType: WALLET_TYPES[transfer.to],
    toSymbol: "",
    fromType: WALLET_TYPES[transfer.from],
    fromSymbol: "",
    amount: transfer.amount,
    tradeTime: String(transfer.timeMs),
  };
}
