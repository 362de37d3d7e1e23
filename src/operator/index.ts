/** The operator API: runs the exchange. Knows the engine and the keys only as ports. */
export { createOperatorServer } from "./server.ts";
