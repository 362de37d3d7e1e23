/**
 * An exchange for tests of the client: a spot and a contract market each of BTCUSDT and ETHUSDT, an
 * affiliate, and two invitees with funds in both wallets and a client each.
 */
import { RialtoClient, type RialtoClientOptions } from "../../src/client/index.ts";
import { openAffiliate, openInvitee } from "./affiliate-setup.ts";
import { listStandardContracts } from "./contract-setup.ts";
import { type ExchangeOptions, ExchangeProcess } from "./exchange-process.ts";
import { listStandardMarkets } from "./exchange-setup.ts";
import type { Credentials } from "./signed-client.ts";

export interface ClientFixture {
  readonly exchange: ExchangeProcess;
  readonly affiliate: Party;
  readonly alice: Party;
  readonly bob: Party;
}

export interface Party {
  readonly uid: number;
  readonly credentials: Credentials;
}

const FUNDS = {
  permissions: ["read", "spot", "contract", "withdraw", "keys"],
  spot: { USDT: "1000000", BTC: "100", ETH: "1000" },
  contract: { USDT: "1000000" },
} as const;

export async function openClientFixture(options: ExchangeOptions = {}): Promise<ClientFixture> {
  const exchange = await ExchangeProcess.start(options);
  await listStandardContracts(exchange);
  await listStandardMarkets(exchange);
  const affiliate = await openAffiliate(exchange);
  const alice = await openInvitee(exchange, affiliate.uid, FUNDS);
  const bob = await openInvitee(exchange, affiliate.uid, FUNDS);
  for (const { client } of [affiliate, alice, bob]) client.close();
  return { exchange, affiliate, alice, bob };
}

export function clientOf(
  { baseUrl }: Pick<ExchangeProcess, "baseUrl">,
  { credentials }: Party,
  options: RialtoClientOptions = {},
): RialtoClient {
  return new RialtoClient({ baseUrl, credentials, ...options });
}
