/** The few rows that a projector has to read back, through statements that Kysely compiled once. */
import type { StatementSync } from "node:sqlite";
import type { HistoryDatabase } from "../store/index.ts";
import type { CandleRow, CandleStore } from "./candles.ts";
import type { FundingCounts } from "./funds-movements.ts";
import type { ContractCandleSeries, SpotMarket } from "./instruments.ts";

export function newestSpotCandleReader({
  db,
  connection,
}: HistoryDatabase): CandleStore<SpotMarket>["newest"] {
  const query = db
    .selectFrom("spot_candles")
    .selectAll()
    .where("symbol", "=", "")
    .where("candle_interval", "=", "1m")
    .orderBy("open_ms", "desc")
    .limit(1);
  const statement = connection.prepare(query.compile().sql);
  return ({ symbol }, interval) => statement.get(symbol, interval, 1) as unknown as CandleRow;
}

export function newestContractCandleReader({
  db,
  connection,
}: HistoryDatabase): CandleStore<ContractCandleSeries>["newest"] {
  const query = db
    .selectFrom("contract_candles")
    .selectAll()
    .where("symbol", "=", "")
    .where("price_type", "=", "LAST")
    .where("candle_interval", "=", "1m")
    .orderBy("open_ms", "desc")
    .limit(1);
  const statement = connection.prepare(query.compile().sql);
  return ({ symbol, priceType }, interval) =>
    statement.get(symbol, priceType, interval, 1) as unknown as CandleRow;
}

export function fundingCountsReader({
  db,
  connection,
}: HistoryDatabase): (uid: number, asset: string) => FundingCounts {
  const rows = db.selectFrom("funding_movements").where("uid", "=", 0);
  const ofUser = rows.select("uid_ordinal as ordinal").orderBy("uid_ordinal", "desc").limit(1);
  const ofAsset = rows
    .where("asset", "=", "")
    .select("asset_ordinal as ordinal")
    .orderBy("asset_ordinal", "desc")
    .limit(1);
  const ofUserStatement = connection.prepare(ofUser.compile().sql);
  const ofAssetStatement = connection.prepare(ofAsset.compile().sql);
  return (uid, asset) => ({
    ofUser: ordinal(ofUserStatement, uid),
    ofAsset: ordinal(ofAssetStatement, uid, asset),
  });
}

function ordinal(statement: StatementSync, ...key: readonly (number | string)[]): number {
  const row = statement.get(...key, 1);
  return row === undefined ? 0 : Number(row.ordinal);
}
