/** A user starts a dead-man switch, restarts its countdown, or turns it off. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type { CommandOf, DeadManSwitchView } from "../../protocol/index.ts";
import type { Context, State } from "../state.ts";

type SetSwitch = CommandOf<"set-dead-man-switch">;

const COUNTDOWN_MIN_MS = 1_000;
const COUNTDOWN_MAX_MS = 86_400_000;

export function setDeadManSwitch(context: Context, command: SetSwitch): Result<DeadManSwitchView> {
  const { state, nowMs } = context;
  const { uid, product, symbol, countdownMs } = command;
  if (!state.users.has(uid)) return reject("unknown-user");
  if (symbol !== null && !isListed(state, command)) return reject("unknown-symbol", "symbol");
  const isOff = countdownMs === 0;
  if (!isOff && (countdownMs < COUNTDOWN_MIN_MS || countdownMs > COUNTDOWN_MAX_MS)) {
    const bounds = `0, or from ${COUNTDOWN_MIN_MS} to ${COUNTDOWN_MAX_MS}`;
    return reject("out-of-range", "countdownMs", bounds);
  }
  const firesAtMs = isOff ? 0 : nowMs + countdownMs;
  const { deadManSwitches } = state;
  const known = deadManSwitches.find(uid, product, symbol);
  const isSame = isOff
    ? known === null
    : known?.firesAtMs === firesAtMs && known.countdownMs === countdownMs && !known.isHeld;
  if (!isSame) {
    if (isOff) deadManSwitches.remove(uid, product, symbol);
    else deadManSwitches.set({ uid, product, symbol, countdownMs, firesAtMs, isHeld: false });
    context.emit({ type: "dead-man-switch-set", uid, product, symbol, countdownMs, firesAtMs });
  }
  return accept({ symbol, countdownMs, firesAtMs, isHeld: false });
}

function isListed({ contract, spotMarketsBySymbol }: State, { product, symbol }: SetSwitch) {
  const listed = product === "spot" ? spotMarketsBySymbol : contract.marketsBySymbol;
  return symbol !== null && listed.has(symbol);
}
