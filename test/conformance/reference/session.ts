/**
 * The session that the examples of the reference are recorded in: a small venue on a morning of
 * January 2026, from its first order to the funding and the commissions of the afternoon.
 */
import { BTC_CONTRACT } from "../../support/contract-setup.ts";
import { BTCUSDT, ETHUSDT } from "../../support/exchange-setup.ts";
import { playAdditions } from "./additions-session.ts";
import { playAffiliates } from "./affiliate-session.ts";
import { playContracts, readContracts } from "./contract-session.ts";
import { playKeys } from "./keys-session.ts";
import type { Recorder } from "./recorder.ts";
import { playSpot } from "./spot-session.ts";
import { playSpotV2 } from "./spot-v2-session.ts";
import { playWithdrawals } from "./withdrawals-session.ts";

const HOUR_MS = 3_600_000;

/** Everything is there that the reference shows. */
export async function playSession(recorder: Recorder): Promise<void> {
  await listMarkets(recorder);
  await openAccounts(recorder);
  await recorder.pass(1_000);
  await playSpot(recorder);
  await playSpotV2(recorder);
  await playContracts(recorder);
  await recorder.pass(7 * HOUR_MS);
  await readContracts(recorder);
  await playAffiliates(recorder);
  await playAdditions(recorder);
  await playWithdrawals(recorder);
  await playKeys(recorder);
}

async function listMarkets(recorder: Recorder): Promise<void> {
  await recorder.operate("PUT", "assets/ETH", { coinId: 3, name: "Ether", scale: 8 });
  await recorder.operate("PUT", "markets/spot/BTCUSDT", BTCUSDT);
  await recorder.operate("PUT", "markets/spot/ETHUSDT", ETHUSDT);
  const ether = { ...BTC_CONTRACT, baseAsset: "ETH", tickSize: "0.01", stepSize: "0.01" };
  await recorder.operate("PUT", "markets/contract/BTCUSDT", BTC_CONTRACT);
  await recorder.operate("PUT", "markets/contract/ETHUSDT", ether);
  await recorder.operate("PUT", "index-prices/BTCUSDT", { price: "60000" });
  await recorder.operate("PUT", "index-prices/ETHUSDT", { price: "3000" });
}

/** Cora invited Alice and Dora, and Dora, an affiliate below her, invited Bob. */
async function openAccounts(recorder: Recorder): Promise<void> {
  const coraCode = await recorder.register("cora");
  const doraCode = await recorder.register("dora", coraCode);
  const rates = { spotRate: "0.4", futuresRate: "0.5" };
  await recorder.operate("PUT", "affiliates/1003", rates);
  const below = { spotRate: "0.2", futuresRate: "0.2", parentUid: 1003 };
  await recorder.operate("PUT", "affiliates/1004", below);
  await recorder.register("alice", coraCode);
  await recorder.register("bob", doraCode);
  await recorder.issue("affiliate");
  await recorder.issue("spot");
  await deposit(recorder, 1001, "spot", { USDT: "150000", BTC: "1" });
  await deposit(recorder, 1002, "spot", { USDT: "200000", BTC: "5" });
  await deposit(recorder, 1002, "contract", { USDT: "100000" });
}

async function deposit(
  recorder: Recorder,
  uid: number,
  account: string,
  amounts: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [asset, amount] of Object.entries(amounts)) {
    const body = { id: `${uid}-${account}-${asset}`, account, asset, amount };
    await recorder.operate("POST", `users/${uid}/deposits`, body);
  }
}
