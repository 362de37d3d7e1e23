/** All that trades by itself: the demo's traders, and the house of a sandbox. */
import { House } from "../sandbox/index.ts";
import { DemoTraders, type DemoTradersOptions } from "./demo-traders.ts";
import type { OwnTraders } from "./states/states.ts";

export interface ExchangeTraders {
  /** Makes markets on demand; null without `--sandbox`. */
  readonly house: House | null;
  /** They stop before the exchange goes back, and when it stops. */
  readonly traders: OwnTraders;
}

export function openTraders(options: DemoTradersOptions): ExchangeTraders {
  const { config, engine, platform } = options;
  const demo = new DemoTraders(options);
  const house = config.sandbox ? new House({ engine, platform, makers: demo }) : null;
  const traders: OwnTraders = {
    async stop() {
      await Promise.all([house?.stop(), demo.stop()]);
    },
    start: () => demo.start(),
  };
  return { house, traders };
}
