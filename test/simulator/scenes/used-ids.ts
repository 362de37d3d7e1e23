/**
 * Ids of movements that are used again: for the same movement, which is answered as it was, and for
 * one into another wallet, of another amount or asset, which is refused; for another kind or user,
 * of which nobody has used it; and once more behind every start.
 */
import { isDeepStrictEqual } from "node:util";
import { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import { askOperator } from "../operator-check.ts";
import { ACCOUNT_READINGS } from "../operator-readings.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import type { Scene } from "./stage.ts";

const KINDS = ["deposits", "deposits", "withdrawals", "transfers", "own", "insurance"] as const;
const MOVES = { least: 2, most: 4 };
const AGAIN = { least: 8, most: 14 };
const BEHIND_STARTS = 4;
const WALLETS = ["spot", "contract"] as const;
const ASSETS = ["USDT", "USDT", "BTC"] as const;
/** Each in all its spellings. */
const AMOUNTS = [["5", "5.0", "5.00"], ["5.0001"], ["4.9999"], ["0.5", "0.50"]] as const;
const STATUSES = [200, 400, 404, 409, 429, 503];
const CHECK = "an id names one movement";

interface Owner {
  readonly uid: number;
  readonly key: Credentials;
}

/** Of one wallet; for a transfer it is the source, for an insurance fund it says in or out. */
interface Move {
  readonly kind: (typeof KINDS)[number];
  readonly owner: Owner;
  readonly id: string;
  readonly wallet: (typeof WALLETS)[number];
  readonly asset: string;
  readonly amount: readonly string[];
}

interface Used {
  readonly owners: readonly Owner[];
  /** Each with what was answered first, once it was accepted. */
  readonly moves: { readonly move: Move; first: unknown }[];
}

export const usedIds = new AgainBehindStarts(async (exchange, used: Used) => {
  const random = new Random(exchange.story.sequence ^ 0x6b43a9b5);
  await repeat(exchange, used, random, BEHIND_STARTS);
});

export const repeatedMovements: Scene = async (stage) => {
  const { exchange, random } = stage;
  const used = usedIds.of(exchange) ?? usedIds.keep(exchange, await begin(exchange));
  for (let count = random.integer(MOVES.least, MOVES.most); count > 0; count--) {
    const move: Move = {
      ...{ kind: random.pick(KINDS), owner: random.pick(used.owners) },
      ...{ id: `used-${used.moves.length}`, wallet: random.pick(WALLETS) },
      ...{ asset: random.pick(ASSETS), amount: random.pick(AMOUNTS) },
    };
    const one = { move, first: null };
    used.moves.push(one);
    await send(exchange, one, random);
  }
  await repeat(exchange, used, random, random.integer(AGAIN.least, AGAIN.most));
  await stage.look();
  const { insurance, movements } = ACCOUNT_READINGS;
  for (const reading of [insurance, movements, movements]) {
    if (reading !== undefined) await askOperator(exchange, (known) => reading(known, random));
  }
  if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
};

async function begin(exchange: SimulatedExchange): Promise<Used> {
  const owners: Owner[] = [];
  while (owners.length < 2) {
    const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
    const terms = { label: "used", permissions: ["read", "contract"], passphrase: "passphrase" };
    const key = await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, terms);
    owners.push({ uid, key });
  }
  return { owners, moves: [] };
}

/** The same once more, or what differs from it by one thing, which has its id, too. */
async function repeat(
  exchange: SimulatedExchange,
  { moves, owners }: Used,
  random: Random,
  times: number,
): Promise<void> {
  for (let count = times; count > 0 && moves.length > 0; count--) {
    const one = random.pick(moves);
    const { move } = one;
    const changed = random.pick([
      "wallet",
      "wallet",
      "wallet",
      "amount",
      "asset",
      "kind",
      "owner",
      null,
    ]);
    if (changed === null) {
      await send(exchange, one, random);
      continue;
    }
    const other: Move = {
      ...move,
      ...(changed === "wallet" ? { wallet: move.wallet === "spot" ? "contract" : "spot" } : {}),
      ...(changed === "amount" ? { amount: random.pick(AMOUNTS) } : {}),
      ...(changed === "asset" ? { asset: move.asset === "BTC" ? "USDT" : "BTC" } : {}),
      ...(changed === "kind" ? { kind: random.pick(KINDS) } : {}),
      ...(changed === "owner" ? { owner: random.pick(owners) } : {}),
    };
    const known = moves.find((each) => isDeepStrictEqual(each.move, other));
    const sent = known ?? { move: other, first: null };
    if (known === undefined) moves.push(sent);
    await send(exchange, sent, random);
  }
}

/** What differs is refused by the naive exchange; what does not has the first answer. */
async function send(
  exchange: SimulatedExchange,
  one: Used["moves"][number],
  random: Random,
): Promise<void> {
  const request = requestOf(exchange, one.move, random.pick(one.move.amount));
  const to = one.move.kind === "own" ? "public" : "operator";
  const outcome = await exchange.life.until(exchange.send(to, request));
  if (outcome === null) return;
  const said = () => JSON.stringify([request, outcome, one.first]);
  hold(STATUSES.includes(outcome.status), "answers", said);
  if (outcome.status !== 200) return;
  hold(one.first === null || isDeepStrictEqual(outcome.body, one.first), CHECK, said);
  one.first = outcome.body;
}

function requestOf(exchange: SimulatedExchange, move: Move, amount: string) {
  const { asset, id, kind, owner, wallet: from } = move;
  const { key, uid } = owner;
  const to = from === "spot" ? "contract" : "spot";
  const terms = { id, asset, amount };
  if (kind === "insurance") {
    const name = from === "spot" ? "deposits" : "withdrawals";
    return exchange.operatorRequest("POST", `insurance/${asset}/${name}`, { id, amount });
  }
  if (kind === "own") {
    const [fromType, toType] = [from.toUpperCase(), to.toUpperCase()];
    const body = { fromType, toType, coinName: asset, amount, clientTransferId: id };
    return exchange.signedAs(key, "POST", "/api/v3/account/transfer", JSON.stringify(body));
  }
  const ends = kind === "transfers" ? { from, to } : { account: from };
  return exchange.operatorRequest("POST", `users/${uid}/${kind}`, { ...terms, ...ends });
}
