/** Messages about a few orders on one connection, and what each is answered behind those before. */
import type { Random } from "../../support/random.ts";
import type { Change, Product, SentOrder } from "../orders.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { Met } from "./sandbox-rules.ts";

/** What may be under way beside it: steps beside steps, reads beside reads; `local` at once. */
type Sharing = "steps" | "reads" | "local";

interface Call {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly sharing: Sharing;
}

export type Kind = "place" | "amend" | "cancel" | "look" | "list" | "cancel all" | "session";

const ORDER = "/v3/order";
const OPEN = "/v3/openOrders";
const CALLS: Readonly<Record<Kind, Call>> = {
  place: { name: "order.place", method: "POST", path: ORDER, sharing: "steps" },
  amend: { name: "order.amend", method: "PUT", path: ORDER, sharing: "steps" },
  cancel: { name: "order.cancel", method: "DELETE", path: ORDER, sharing: "steps" },
  look: { name: "order.status", method: "GET", path: ORDER, sharing: "reads" },
  list: { name: "openOrders.status", method: "GET", path: OPEN, sharing: "steps" },
  "cancel all": { name: "openOrders.cancelAll", method: "DELETE", path: OPEN, sharing: "steps" },
  session: { name: "session.status", method: "", path: "", sharing: "local" },
};

interface SocketMessage {
  readonly kind: Kind;
  readonly call: Call;
  readonly order: SentOrder;
  readonly change: Change;
  readonly params: object;
}

/** A message, and all that its user knows of it. */
export interface SentMessage extends SocketMessage {
  readonly met: Met;
  readonly sentMs: number;
  readonly asked: number;
  /** Prices and quantities that its order may have had before. */
  readonly before: readonly string[];
  outcome: Outcome;
  /** When it was answered, or the connection ended. */
  atMs: number;
}

const KINDS = ["place", "place", "place", "amend", "amend", "cancel", "look", "list"] as const;
const OTHERS = ["cancel all", "session"] as const;
const LOTS_MAX = 6;

export function callOf(product: Product, kind: Kind): Call {
  const call = CALLS[kind];
  if (product === "spot") return { ...call, path: call.path === "" ? "" : `/api${call.path}` };
  if (kind === "session") return call;
  const path = kind === "cancel all" ? "/v3/allOpenOrders" : call.path;
  return { ...call, name: `contract.${call.name}`, path: `/capi${path}` };
}

export function someMessage(
  product: Product,
  orders: readonly SentOrder[],
  random: Random,
): SocketMessage {
  const kind = random.chance(0.15) ? random.pick(OTHERS) : random.pick(KINDS);
  const order = random.pick([...orders]);
  const { symbol } = order.body;
  const change = kind === "amend" ? { quantity: `0.00${random.integer(2, LOTS_MAX)}` } : {};
  const named = { origClientOrderId: order.clientOrderId };
  const params =
    kind === "place"
      ? order.body
      : kind === "session"
        ? {}
        : kind === "list" || kind === "cancel all"
          ? { symbol }
          : { ...named, ...change };
  return { kind, call: callOf(product, kind), order, change, params };
}

/** By its client's id. */
export type Orders = ReadonlyMap<string, { readonly quantity: string; readonly isOpen: boolean }>;

export interface Carried {
  readonly orders: Orders;
  readonly fits: (outcome: NonNullable<Outcome>) => boolean;
}

export function openOnes(orders: Orders): string {
  const open = [...orders].filter(([, { isOpen }]) => isOpen);
  return JSON.stringify(open.map(([id, { quantity }]) => [id, Number(quantity)]).sort());
}

type Row = Readonly<Record<string, unknown>>;

export function openRows(rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => [row.clientOrderId, Number(row.origQty)]).sort());
}

const isTaken = ({ status }: NonNullable<Outcome>) => status === 200;
const isRefused = ({ status }: NonNullable<Outcome>) => status === 400 || status === 404;

/** Carried out where these orders are: what there is then, and whether an answer says so. */
export function carryOut(
  { change, kind, order: { body, clientOrderId } }: SocketMessage,
  orders: Orders,
): Carried {
  const known = orders.get(clientOrderId);
  const become = (quantity: string, isOpen: boolean): Carried => {
    const next = new Map(orders).set(clientOrderId, { quantity, isOpen });
    return { orders: next, fits: isTaken };
  };
  switch (kind) {
    case "place":
      // A retry has the first answer, and no other effect.
      return known === undefined ? become(String(body.quantity), true) : { orders, fits: isTaken };
    case "amend":
      if (known?.isOpen !== true) return { orders, fits: isRefused };
      return become(change.quantity ?? known.quantity, true);
    case "cancel":
      if (known?.isOpen !== true) return { orders, fits: isRefused };
      return become(known.quantity, false);
    case "cancel all": {
      const ended = [...orders].map(([id, one]) => [id, { ...one, isOpen: false }] as const);
      return { orders: new Map(ended), fits: isTaken };
    }
    case "look":
      if (known === undefined) return { orders, fits: isRefused };
      return { orders, fits: (outcome) => isTaken(outcome) && isShown(outcome.body as Row, known) };
    case "list": {
      const due = openOnes(orders);
      const isListed = (rows: unknown) => openRows(rows as readonly Row[]) === due;
      return { orders, fits: (outcome) => isTaken(outcome) && isListed(outcome.body) };
    }
    case "session":
      return { orders, fits: isTaken };
  }
}

function isShown({ origQty, status }: Row, known: { quantity: string; isOpen: boolean }): boolean {
  const isSame = Number(origQty) === Number(known.quantity);
  return isSame && status === (known.isOpen ? "NEW" : "CANCELED");
}
