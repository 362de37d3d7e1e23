/**
 * The history falls behind: an older copy of it is put back after some commands more, with a
 * snapshot at, before or behind the first one that it lacks. Whatever the replay begins with, the
 * history must have everything. Of an exchange to which nobody sends anything meanwhile.
 */
import type { Random } from "../support/random.ts";
import { someTwo, tradeSurely } from "./aims/sure-trade.ts";
import type { World } from "./aims/world.ts";
import { operate } from "./operate.ts";

/** Commands that the copy lacks: up to the snapshot, and behind it. */
const LACKED = [0, 1, 1, 2, 3] as const;

/** What is put back, and when it was made, are told by the snapshot's place. */
export async function fallBehind(world: World, random: Random): Promise<void> {
  const { exchange } = world;
  // A read waits until the history has everything.
  const [trader] = world.traders;
  if (trader === undefined) return;
  const path = "/api/v3/account/transferRecords";
  await exchange.life.until(exchange.read(trader.credentials, path));
  exchange.keepHistory();
  await exchange.life.until(command(world, random.pick(LACKED), random));
  await exchange.life.until(operate(exchange, "POST", "snapshots", {}));
  await exchange.life.until(command(world, random.pick(LACKED), random));
  await exchange.end({ disk: "kill", history: "older" });
  await exchange.start();
}

/** As many as are told, unless one is refused. */
export async function command(world: World, count: number, random: Random): Promise<void> {
  const { products, traders } = world;
  for (let left = count; left > 0; left--) {
    const [trader] = random.shuffle([...traders]);
    const both = someTwo(traders, random);
    if (left > 1 && both !== null) {
      // Two commands.
      await tradeSurely(random.pick(products), both, random);
      left--;
    } else {
      const amount = `0.${random.integer(1, 99)}`;
      const [fromType, toType] = random.chance(0.5) ? ["SPOT", "CONTRACT"] : ["CONTRACT", "SPOT"];
      await trader?.transfer({ fromType, toType, coinName: "USDT", amount });
    }
  }
}
