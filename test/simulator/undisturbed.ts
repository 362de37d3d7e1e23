/** Time alone may bring a command, as a countdown does, while one thing is read after another. */
import { Breach } from "./breach.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";

/** What a check finds counts if nothing has happened since that command. */
export async function unlessTimePasses(
  exchange: SimulatedExchange,
  work: () => Promise<void>,
  { sequence }: { readonly sequence: number } = exchange.story,
): Promise<void> {
  try {
    await exchange.life.until(work());
  } catch (error) {
    if (!(error instanceof Breach) || (await checkStep(exchange)).sequence === sequence)
      throw error;
  }
}
