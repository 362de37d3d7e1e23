/** The entry of a gateway's thread. */
import { runInWorker } from "../../platform/worker.ts";
import { serveGateway } from "./gateway-thread.ts";

await runInWorker(serveGateway);
