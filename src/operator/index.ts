/** The operator API: runs the exchange. Accesses the engine and the keys only through ports. */
export { createOperatorServer } from "./server.ts";
