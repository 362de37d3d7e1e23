/**
 * What clients have asked for, by what tells a command of the engine whose it is: the id that an
 * order has from its client, or that of a signed request. A command says what was asked; otherwise
 * the journal, the engine and the naive exchange would agree about something else.
 */
import { requestIdOf } from "../../src/gateway/authentication/request-id.ts";
import type { Command } from "../../src/protocol/index.ts";
import type { SignedHeaders } from "../support/signed-client.ts";
import { hold } from "./breach.ts";

type Body = Readonly<Record<string, unknown>>;

/** Of a command that clients name otherwise, in the order in which they are looked for. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  orderType: ["type"],
  clientOrderId: ["newClientOrderId", "origClientOrderId"],
  price: ["price", "executePrice"],
  quantity: ["quantity", "quoteAmount"],
  tpWorkingType: ["TpWorkingType", "tpWorkingType"],
  slWorkingType: ["SlWorkingType", "slWorkingType"],
  positionId: ["positionId", "isolatedPositionId"],
  enabled: ["autoAppendMargin"],
  algoId: ["orderId"],
  workingType: ["workingType", "triggerPriceType"],
};

/** What a client says in another way, or not at all. */
const UNSAID = new Set(["type", "uid", "product", "quantityUnit", "direction", "isTpSl"]);
/** What follows from a position and the kind of plan. */
const PLANNED = new Set(["side", "orderType", "closePosition"]);
/** Of a client that does not say; null, empty and zero are nothing. */
const DEFAULTS: Readonly<Record<string, string>> = {
  timeInForce: "GTC",
  workingType: "CONTRACT_PRICE",
  tpWorkingType: "CONTRACT_PRICE",
  slWorkingType: "CONTRACT_PRICE",
  closePosition: "false",
};

/** Others have fields that no client names. */
const CHECKED: ReadonlySet<Command["type"]> = new Set([
  "place-spot-order",
  "place-contract-order",
  "place-algo-order",
  "amend-spot-order",
  "amend-contract-order",
  "modify-algo-order",
  "set-dead-man-switch",
  "set-leverage",
  "set-margin-type",
  "close-positions",
  "move-position-margin",
  "set-auto-append-margin",
] satisfies Command["type"][]);

export class AskedCommands {
  /** Several of one id: a day behind the end of an order another one may have it. */
  readonly #bodies = new Map<string, Body[]>();

  add(id: string, body: Body): void {
    const known = this.#bodies.get(id);
    if (known === undefined) this.#bodies.set(id, [body]);
    else known.push(body);
  }

  addSigned(headers: SignedHeaders, body: string): void {
    const caller = { apiKey: headers["ACCESS-KEY"] };
    const id = requestIdOf({ caller, signature: headers["ACCESS-SIGN"] } as never);
    const read = bodyOf(body);
    if (read !== null) this.add(id, read);
  }

  check(command: Command): void {
    const [id, meant] =
      command.type === "do-once"
        ? [command.requestId, command.command]
        : [ownIdOf(command), command];
    const bodies = this.#bodies.get(id ?? "");
    if (bodies === undefined || !CHECKED.has(meant.type)) return;
    const both = () => `${JSON.stringify(meant)}: ${JSON.stringify(bodies)}`;
    const isAsked = bodies.some((body) => says(body, meant));
    hold(isAsked, "a command says what was asked", both);
  }
}

/** Null for what is no object, which nobody carries out. */
function bodyOf(text: string): Body | null {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? (body as Body) : null;
  } catch {
    return null;
  }
}

/** Of a new order. */
function ownIdOf(command: Command): string | null {
  if (command.type === "place-algo-order") return command.clientAlgoId;
  const isOrder = command.type === "place-spot-order" || command.type === "place-contract-order";
  return isOrder ? command.clientOrderId : null;
}

function says(body: Body, command: Command): boolean {
  return Object.entries(command).every(([field, value]) => {
    if (UNSAID.has(field) || (PLANNED.has(field) && body.planType !== undefined)) return true;
    const said = [...(NAMES[field] ?? []), field].find((name) => body[name] !== undefined);
    if (said !== undefined) return isSame(value, body[said]);
    // Who has no id of its own is given one.
    if (field === "clientOrderId" || field === "clientAlgoId") return true;
    const isByDefault = String(value) === DEFAULTS[field] || body.type === "MARKET";
    return isNothing(value) || (field in DEFAULTS && isByDefault);
  });
}

function isNothing(value: unknown): boolean {
  return value === null || value === "" || isSame(value, "0");
}

/** Decimals are the same however they are written. */
function isSame(value: unknown, said: unknown): boolean {
  const [one, other] = [value, said].map((each) => plain(String(each ?? "")));
  return (one || "0") === (other || "0");
}

function plain(text = ""): string {
  return /^\d+\.\d*$/.test(text) ? text.replace(/\.?0+$/, "") : text;
}
