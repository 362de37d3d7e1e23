/** A user whom nobody else knows, and clients of the product for him or for an operator. */
import { createHmac } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { OperatorClient, RialtoClient } from "../../../src/client/index.ts";
import type { Credentials } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import type { Product } from "../orders.ts";
import { readTime } from "../sandbox-clock.ts";
import type { Stage } from "../scenes/stage.ts";
import type { Outcome } from "../simulated-exchange.ts";
import { type Settled, settledOf } from "./call-check.ts";
import { ClientMachine } from "./client-machine.ts";
import { BASE_URL } from "./client-network.ts";
import { ScriptedNetwork } from "./scripted-network.ts";

/** In which it is seen that the exchange's time goes on. */
const LOOK_MS = 20;
const CLOSED_MS = 3_000;

/** Where hardly anybody trades: a sell order may still rest below. */
export const FAR_TERMS = {
  spot: { price: "900.00", quantity: "0.005" },
  contract: { price: "58500.0", quantity: "0.005", positionSide: "LONG" },
} as const;

export interface Account {
  readonly uid: number;
  credentials: Credentials;
}

/** A user on a machine of his own, whose network does what it is told. */
export interface ClientDesk {
  readonly stage: Stage;
  readonly product: Product;
  readonly account: Account;
  readonly machine: ClientMachine;
  readonly network: ScriptedNetwork;
}

/** Null where limits, or a clock that goes otherwise, are in the way. */
export async function newDesk(
  stage: Stage,
  product: Product,
  label: string,
): Promise<ClientDesk | null> {
  if (!(await isSteady(stage))) return null;
  const account = await newAccount(stage, label);
  const machine = new ClientMachine(stage.exchange, stage.random);
  const network = new ScriptedNetwork(stage.exchange, machine, "public");
  return { stage, product, account, machine, network };
}

/** Without limits, and with a time that goes with that of clients. */
export async function isSteady(stage: Stage): Promise<boolean> {
  const { exchange } = stage;
  if (exchange.limits !== null) return false;
  const from = await readTime(exchange);
  const { worldMs } = exchange;
  await stage.pass(LOOK_MS);
  return Math.abs((await readTime(exchange)) - from - (exchange.worldMs - worldMs)) <= 2;
}

export async function newAccount({ exchange }: Stage, label: string): Promise<Account> {
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  for (const account of ["spot", "contract"]) {
    const money = { id: `${label}-${account}`, account, asset: "USDT", amount: "100000" };
    await exchange.operator("POST", `users/${uid}/deposits`, money);
  }
  const account: Account = { uid, credentials: { apiKey: "", secret: "", passphrase: "" } };
  await renewKey(exchange, account);
  return account;
}

export async function renewKey(exchange: Stage["exchange"], account: Account): Promise<void> {
  const key = { label: "client", permissions: ["read", "spot", "contract"], passphrase: "phrase" };
  const path = `users/${account.uid}/api-keys`;
  account.credentials = await exchange.operator<Credentials>("POST", path, key);
}

export function newClient(
  { credentials: { apiKey, passphrase, secret } }: Account,
  network: ScriptedNetwork,
  machine: ClientMachine,
  transport: "http" | "websocket",
): RialtoClient {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("base64");
  return new RialtoClient({
    ...{ baseUrl: BASE_URL, credentials: { apiKey, passphrase, sign }, transport },
    ...{ fetch: network.fetch, webSocket: network.webSocket, runtime: machine },
  });
}

export function newOperator(
  token: string,
  network: ScriptedNetwork,
  machine: ClientMachine,
): OperatorClient {
  return new OperatorClient({ baseUrl: BASE_URL, token, fetch: network.fetch, runtime: machine });
}

/** What is asked without a client. */
export async function ask(
  { exchange }: Stage,
  { credentials }: Account,
  method: string,
  path: string,
  body?: object,
): Promise<Outcome> {
  const text = body === undefined ? null : JSON.stringify(body);
  const request = exchange.signedAs(credentials, method, path, text);
  return await exchange.life.until(exchange.send("public", request));
}

export interface Took {
  readonly settled: Settled;
  readonly tookMs: number;
}

export async function settle(
  stage: Stage,
  machine: ClientMachine,
  sent: () => Promise<unknown>,
): Promise<Took> {
  const sentMs = machine.monotonicMs();
  const settled = await stage.do(settledOf(sent()));
  return { settled, tookMs: machine.monotonicMs() - sentMs };
}

/** A read through a client is the read that it stands for. */
export async function checkRead(
  stage: Stage,
  what: string,
  { answer, error }: Settled,
  read: () => Promise<Outcome>,
): Promise<void> {
  if (error !== null) return;
  const outcome = await stage.do(read());
  const both = () => `${what}: ${JSON.stringify([answer, outcome])}`;
  const isSame = outcome?.status === 200 && isDeepStrictEqual(answer, outcome.body);
  hold(isSame, "a client says what it was answered", both);
}

/** Nothing of it is left. */
export async function close(
  stage: Stage,
  client: RialtoClient,
  { machine, network }: { readonly machine: ClientMachine; readonly network: ScriptedNetwork },
): Promise<void> {
  client.close();
  await stage.pass(CLOSED_MS);
  const detail = () => `${machine.timers} timers, ${network.open} connections`;
  const isOver = machine.timers === 0 && network.open === 0;
  hold(isOver, "a closed client leaves nothing behind", detail);
}
