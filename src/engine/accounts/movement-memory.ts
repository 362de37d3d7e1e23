/**
 * Which movements of funds are remembered by request id, and where. The memory for users is bounded
 * and drops the oldest; from rules version 3 on the operator's are kept apart and for ever, so that
 * no number of transfers makes a deposit count twice.
 */
import { invariant } from "../../domain/index.ts";
import type { FundsCommandType } from "../../protocol/index.ts";
import { RULES_WITH_MARKET_INTEGRITY } from "../rules-version.ts";
import {
  type Asset,
  FUNDS_MOVEMENTS_MAX,
  type FundsMovement,
  fundsMovementKey,
  type State,
} from "../state.ts";
import {
  type KeptMovement,
  MOVEMENT_ENDS,
  OPERATOR_COMMANDS,
  type OperatorCommand,
} from "./kept-movements.ts";

function isOperators(command: FundsCommandType): command is OperatorCommand {
  return (OPERATOR_COMMANDS as readonly FundsCommandType[]).includes(command);
}

/** The first movement of a request id, or null. */
export function findMovement(
  state: State,
  command: FundsCommandType,
  uid: number,
  requestId: string,
): FundsMovement | null {
  if (state.rulesVersion < RULES_WITH_MARKET_INTEGRITY || !isOperators(command)) {
    return state.fundsMovements.get(fundsMovementKey(command, uid, requestId)) ?? null;
  }
  const kept = state.keptMovements.find(command, uid, requestId);
  if (kept === null) return null;
  const { type: _, assetIndex, ...movement } = kept;
  const { asset } = state.assets[assetIndex] as Asset;
  return { ...movement, asset, withdrawalId: null };
}

/** From here on the request id names this movement. */
export function rememberMovement(state: State, movement: FundsMovement): void {
  const { fundsMovements, rulesVersion } = state;
  if (rulesVersion >= RULES_WITH_MARKET_INTEGRITY && isOperators(movement.command)) {
    state.keptMovements.add(toKept(state, movement));
    return;
  }
  if (fundsMovements.size >= FUNDS_MOVEMENTS_MAX) {
    for (const oldest of fundsMovements.keys()) {
      fundsMovements.delete(oldest);
      break;
    }
  }
  const { command, uid, requestId } = movement;
  fundsMovements.set(fundsMovementKey(command, uid, requestId), movement);
}

/** Version 3 was adopted: the operator's remembered movements are now kept for ever. */
export function keepOperatorMovements(state: State): void {
  for (const [key, movement] of state.fundsMovements) {
    if (!isOperators(movement.command)) continue;
    state.keptMovements.add(toKept(state, movement));
    state.fundsMovements.delete(key);
  }
}

/** Whether an answer that may be given again is written in the scale of an asset. */
export function isAssetRemembered(state: State, { asset, index }: Asset): boolean {
  if (state.keptMovements.hasAsset(index)) return true;
  for (const movement of state.fundsMovements.values()) {
    if (movement.asset === asset) return true;
  }
  return false;
}

function toKept(state: State, movement: FundsMovement): KeptMovement {
  const { asset, command, from, to, withdrawalId: _, ...rest } = movement;
  const listed = state.assetsByName.get(asset);
  invariant(listed !== undefined && isOperators(command), "the operator moves a listed asset");
  const assetIndex = listed.index;
  return { type: "kept-movement", ...rest, command, assetIndex, from: endOf(from), to: endOf(to) };
}

function endOf(text: string): KeptMovement["from"] {
  const end = MOVEMENT_ENDS.find((candidate) => candidate === text);
  invariant(end !== undefined, "the operator moves between wallets, the fund and the outside");
  return end;
}
