/** The demo: its contents, its seeding and its traders; and the house, for markets on demand. */
export { type SimulatedClockPort, tradeHistory } from "./demo-history.ts";
export { DEMO_AFFILIATE_UID } from "./demo-profile.ts";
export { House } from "./house/house.ts";
export { type DemoAccount, type DemoKeys, seedDemo } from "./seed-demo.ts";
export { Traders } from "./traders.ts";
