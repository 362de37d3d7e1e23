/**
 * Questions about the past that take long: readers of the history have a connection of their own
 * for them. Behind each way to another state they are answered from the history of that state.
 */
import type { Random } from "../support/random.ts";
import { costsOf } from "./accounts.ts";
import { MachineEnded } from "./breach.ts";
import { COMMISSION_READINGS } from "./commission-readings.ts";
import { askOperator } from "./operator-check.ts";
import { startAgain } from "./sandbox-states.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const QUESTIONS = 3;
/** Of restores, those behind which a reader is lost, too. */
const LOST = 0.3;
const READER = "history-reader";

/** As the naive history answers it. Of an exchange to which nobody sends anything meanwhile. */
async function askLong(exchange: SimulatedExchange, random: Random): Promise<void> {
  const { whatIf } = COMMISSION_READINGS;
  for (let count = QUESTIONS; count > 0 && whatIf !== undefined; count--) {
    await askOperator(exchange, (known) => whatIf(known, random));
  }
}

/** The same behind a start that a lost reader needs. */
export async function askAroundLoss(exchange: SimulatedExchange, random: Random): Promise<void> {
  await askLong(exchange, random);
  if (!random.chance(LOST)) return;
  exchange.life.failingThread = READER;
  try {
    await exchange.life.until(costsOf(exchange));
    await exchange.pass(1_000);
  } catch (error) {
    if (!(error instanceof MachineEnded)) throw error;
  }
  await startAgain(exchange, random);
  await askLong(exchange, random);
}
