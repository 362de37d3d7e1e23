/**
 * Finds the handler of an API call by method and path, exactly as they were sent. Calls that are
 * spelled otherwise, such as with percent-encoding or an absolute target, find it through Fastify.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { pathsOf } from "../../api/routes.ts";
import type { SandboxTraffic } from "../../faults/index.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { ApiHandler, type ApiHandlerPorts } from "./api-handler.ts";
import { SandboxApiHandler } from "./sandbox-api-handler.ts";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;
type HandlersByMethod = Map<string, ApiHandler>;

export class ApiRoutes {
  readonly #handlers = new Map<string, HandlersByMethod>();
  #isClosing = false;

  /** `traffic` is null outside a sandbox. */
  constructor(app: FastifyInstance, ports: ApiHandlerPorts, traffic: SandboxTraffic | null) {
    for (const endpoint of ENDPOINTS) {
      const handler =
        traffic === null
          ? new ApiHandler(endpoint, ports)
          : new SandboxApiHandler(endpoint, ports, traffic);
      for (const path of pathsOf(endpoint.route)) this.#register(app, path, handler);
    }
    // Then it has Fastify, which tells clients on every answer that the connection ends.
    app.addHook("preClose", async () => {
      this.#isClosing = true;
    });
  }

  #register(app: FastifyInstance, path: string, handler: ApiHandler): void {
    const { method } = handler;
    const byMethod: HandlersByMethod = this.#handlers.get(path) ?? new Map();
    this.#handlers.set(path, byMethod.set(method, handler));
    app.route({
      method,
      url: path,
      onRequest: (request, reply, _done) => {
        reply.hijack();
        handler.handle(request.raw, reply.raw);
      },
      handler: () => {},
    });
  }

  /** Takes API calls off in front of the server's listeners; these get all other requests. */
  takeFrom(server: Server): void {
    const listeners = server.listeners("request") as RequestListener[];
    server.removeAllListeners("request");
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      const handler = this.#isClosing ? undefined : this.#find(request);
      if (handler !== undefined) handler.handle(request, response);
      else for (const listener of listeners) listener.call(server, request, response);
    });
  }

  #find({ method = "", url = "" }: IncomingMessage): ApiHandler | undefined {
    const pathEnd = url.indexOf("?");
    const path = pathEnd === -1 ? url : url.slice(0, pathEnd);
    return this.#handlers.get(path)?.get(method);
  }
}
