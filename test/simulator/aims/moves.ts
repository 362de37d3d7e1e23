/** Money that its owner moves to and fro, several times at one moment. */
import type { Random } from "../../support/random.ts";
import { passTime } from "../pass-time.ts";
import type { World } from "./world.ts";

const MOVES_MAX = 4;

export async function moveInARow({ exchange, traders }: World, random: Random): Promise<void> {
  const trader = random.pick(traders);
  for (let count = random.integer(2, MOVES_MAX); count > 0; count--) {
    const [fromType, toType] = random.chance(0.5) ? ["SPOT", "CONTRACT"] : ["CONTRACT", "SPOT"];
    const amount = `${random.integer(1, 9)}.${random.integer(1, 9)}`;
    await trader.transfer({ fromType, toType, coinName: "USDT", amount });
    if (random.chance(0.3)) await passTime(exchange, random.integer(1, 1_000));
  }
}
