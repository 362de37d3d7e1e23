/** The demo: its contents, its seeding and its traders. */
export { type SimulatedClockPort, tradeHistory } from "./demo-history.ts";
export { DEMO_AFFILIATE_UID } from "./demo-profile.ts";
export { type DemoAccount, type DemoKeys, seedDemo } from "./seed-demo.ts";
export { Traders } from "./traders.ts";
