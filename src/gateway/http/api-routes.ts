/**
 * Finds the handler of an API call by method and path, exactly as they were sent. Requests that are
 * spelled otherwise, such as with percent-encoding or an absolute target, go through Fastify and
 * find it when no page is meant.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { refuse } from "../../api/errors.ts";
import { pathsOf } from "../../api/routes.ts";
import type { SandboxTraffic } from "../../faults/index.ts";
import type { Endpoint } from "../endpoint.ts";
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
          ? new ApiHandler(outsideSandbox(endpoint), ports)
          : new SandboxApiHandler(endpoint, ports, traffic);
      for (const path of pathsOf(endpoint.route)) this.#register(path, handler);
    }
    // What no page of Fastify's is, before it looks at a body: calls that are spelled otherwise.
    app.addHook("onRequest", (request, reply, done) => {
      const { method, url = "" } = request.raw;
      const path = request.is404 ? plainPath(url) : null;
      const handler = path === null ? undefined : this.#handlers.get(path)?.get(method ?? "");
      if (handler === undefined) return done();
      reply.hijack();
      handler.handle(request.raw, reply.raw);
    });
    // Then it has Fastify, which tells clients on every answer that the connection ends.
    app.addHook("preClose", async () => {
      this.#isClosing = true;
    });
  }

  #register(path: string, handler: ApiHandler): void {
    const byMethod: HandlersByMethod = this.#handlers.get(path) ?? new Map();
    this.#handlers.set(path, byMethod.set(handler.method, handler));
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

/** A call that only a sandbox has is refused, once its caller and its form are known. */
function outsideSandbox(endpoint: Endpoint): Endpoint {
  if (endpoint.route.sandboxOnly !== true) return endpoint;
  return { ...endpoint, handle: () => refuse("sandbox-call") };
}

const ORIGIN = /^https?:\/\/.*?\//;

/** The path that a target means, as Fastify reads it; null when its encoding is malformed. */
function plainPath(target: string): string | null {
  const [path = ""] = target.replace(ORIGIN, "/").split(/[?#]/, 1);
  try {
    return decodeURI(path);
  } catch {
    return null;
  }
}
