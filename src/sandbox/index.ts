/** The demo: what it consists of, how a venue is filled with it, and who trades there. */
export { makePast, type PastClock } from "./demo-past.ts";
export { DEMO_AFFILIATE_UID } from "./demo-profile.ts";
export { type DemoAccount, type DemoKeys, seedDemo } from "./seed-demo.ts";
export { Traders } from "./traders.ts";
