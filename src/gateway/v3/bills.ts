/** POST /api/v3/account/bills: changes of the caller's spot wallet, newest first. */
import { billsRoute } from "../../api/v3/account.ts";
import { accept } from "../../domain/index.ts";
import type { Bill } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { CoinDirectory } from "./coin-directory.ts";
import { readTimeRange } from "./parameters.ts";
import { askPast } from "./past.ts";

const LIMIT_STANDARD = 10;

export const billsEndpoint = endpoint(billsRoute, async ({ caller, body }, exchange) => {
  const limit = body.limit ?? LIMIT_STANDARD;
  const time = readTimeRange(body.after, body.before, ["after", "before"]);
  if (!time.ok) return time;
  const assets = await exchange.engine.ask({ type: "assets" });
  if (!assets.ok) return assets;
  const directory = new CoinDirectory(assets.value);
  const asset = directory.read(body.coinId);
  if (!asset.ok) return asset;
  const question = {
    uid: caller.uid,
    asset: asset.value,
    billType: body.bizType ?? null,
    time: time.value,
    limit,
  };
  const rows = await askPast(exchange, "bills", question, assets.sequence);
  return rows.ok ? accept(rows.value.map((bill) => toBill(bill, directory))) : rows;
});

function toBill(bill: Bill, directory: CoinDirectory) {
  return {
    billId: String(bill.billId),
    coinId: directory.coinId(bill.asset),
    coinName: bill.asset,
    bizType: bill.billType,
    fillSize: bill.fillQuantity,
    fillValue: bill.fillValue,
    deltaAmount: bill.delta,
    afterAmount: bill.after,
    fees: bill.fee,
    cTime: String(bill.timeMs),
  };
}
