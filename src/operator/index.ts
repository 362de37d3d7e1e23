/** The operator plane: how the exchange is run. Knows the engine and the keys only as ports. */
export { createOperatorServer } from "./server.ts";
