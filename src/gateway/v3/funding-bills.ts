/** POST /api/v3/account/fundingBills: the caller's deposits and withdrawals, newest first. */
import { fundingBillsRoute } from "../../api/v3/account.ts";
import { accept } from "../../domain/index.ts";
import type { FundingMovement } from "../../queries/history-port.ts";
import { endpoint } from "../endpoint.ts";
import { CoinDirectory } from "./coin-directory.ts";
import { readTimeRange } from "./parameters.ts";
import { askPast } from "./past.ts";

const PAGE_STANDARD = 1;
const PAGE_SIZE_STANDARD = 10;

export const fundingBillsEndpoint = endpoint(
  fundingBillsRoute,
  async ({ caller, body }, exchange) => {
    const page = body.pageIndex ?? PAGE_STANDARD;
    const pageSize = body.pageSize ?? PAGE_SIZE_STANDARD;
    const time = readTimeRange(body.startTime, body.endTime, ["startTime", "endTime"]);
    if (!time.ok) return time;
    const assets = await exchange.engine.ask({ type: "assets" });
    if (!assets.ok) return assets;
    const directory = new CoinDirectory(assets.value);
    const asset = directory.read(body.coinId);
    if (!asset.ok) return asset;
    const question = {
      uid: caller.uid,
      asset: asset.value,
      time: time.value,
      page: { page, pageSize },
    };
    const answer = await askPast(exchange, "funding-movements", question, assets.sequence);
    if (!answer.ok) return answer;
    const { total, rows } = answer.value;
    const pages = Math.ceil(total / pageSize);
    return accept({
      total,
      pageSize,
      pages,
      page,
      hasNextPage: page < pages,
      items: rows.map((movement) => toItem(movement, directory)),
    });
  },
);

function toItem(movement: FundingMovement, directory: CoinDirectory) {
  const deposit = movement.kind === "deposit";
  return {
    billId: String(movement.movementId),
    coinId: directory.coinId(movement.asset),
    coinName: movement.asset,
    bizType: deposit ? ("deposit" as const) : ("withdraw" as const),
    fillSize: null,
    fillValue: null,
    deltaAmount: deposit ? movement.amount : `-${movement.amount}`,
    afterAmount: null,
    fees: "0",
    cTime: String(movement.timeMs),
  };
}
