/**
 * The two servers of an exchange: the public one, in as many gateways as configured, and the
 * operator API. They reach the engine through its port alone.
 */
import type { IncomingMessage } from "node:http";
import { invariant } from "../domain/index.ts";
import { AddressRanges, clientAddress } from "../gateway/http/address.ts";
import type { RateLimits } from "../gateway/http/rate-limit.ts";
import { endUnwantedUploads } from "../gateway/http/unwanted-uploads.ts";
import { type KeyDesk, type KeyOutcome, UserKeys } from "../gateway/key-desk.ts";
import { currentOperatorToken, openOperatorToken } from "../keys/index.ts";
import { createOperatorServer, type Mutex, type Webhooks } from "../operator/index.ts";
import type { ListenAddress } from "../platform/index.ts";
import { EngineClient, type EnginePort } from "../protocol/index.ts";
import type { DemoAccount, House } from "../sandbox/index.ts";
import { readBackupRecords } from "./backup/backup-record.ts";
import { type Config, isLoopback } from "./config.ts";
import { serveOperatorConsole } from "./console-pages.ts";
import { type Core, processStatus } from "./core.ts";
import { GatewayThreads } from "./gateways/gateway-threads.ts";
import { type Gateways, gatewayCount, InlineGateway } from "./gateways/gateways.ts";
import { listenOn } from "./listen.ts";
import type { Log } from "./log.ts";
import type { NodeView } from "./node-view.ts";
import type { SharedCounts } from "./public-server.ts";
import { type NotReady, notReadyText } from "./readiness.ts";
import { openFaults } from "./sandbox-traffic.ts";
import type { States } from "./states/states.ts";
import { renderSum } from "./traffic-metrics.ts";
import { VERSION } from "./version.ts";

export interface Serving {
  readonly config: Config;
  readonly log: Log;
  readonly core: Core;
  readonly counts: SharedCounts;
  readonly demoAccounts: readonly DemoAccount[];
  readonly notReadyBecause: () => NotReady | null;
  /** Of a cluster; null for an exchange on one machine. */
  readonly node: NodeView | null;
  /** What operators and whoever signs reach, where that is not the engine of the core. */
  readonly signed?: EnginePort;
  /** Of a node of a cluster. */
  readonly limits?: RateLimits;
  /** One change of settings at a time, by operators and by users. */
  readonly mutex: Mutex;
  readonly onFatal: (error: Error) => void;
}

/** Makes and revokes users' keys. */
function openKeyDesk(serving: Serving): KeyDesk {
  const { core, log, mutex } = serving;
  return new UserKeys({
    engine: unchargedEngine(serving),
    secrets: core.keys,
    exclusively: async (task) => {
      const outcome = await mutex.run(task);
      invariant(!("waiting" in outcome), "a user's key waits for nobody");
      return outcome as KeyOutcome;
    },
    onLeftover: (apiKey, { message }) => {
      const text = "secrets of a dead API key stay until the next start";
      log.error({ apiKey, reason: message }, text);
    },
  });
}

/** One gateway beside the engine, or in as many threads as configured. */
export function openGateways(serving: Serving): Gateways {
  const { config, core, counts, demoAccounts, log, node, notReadyBecause, onFatal } = serving;
  const { history, keys, metrics, platform, replay, served, tap } = core;
  const { limits, signed = served } = serving;
  const inline = { node, signed, ...(limits === undefined ? {} : { limits }) };
  const count = node === null ? gatewayCount(config.gateways, platform.network) : 0;
  const shared = {
    config,
    platform,
    engine: served,
    keys,
    keyDesk: openKeyDesk(serving),
    history,
    notReadyBecause,
    renderMetrics: () => metrics.render(),
    counts,
    demoAccounts,
    log,
    onFatal,
  };
  const gateways =
    count === 0
      ? new InlineGateway({ ...shared, ...inline, exchangeMs: () => served.exchangeMs() })
      : new GatewayThreads({ ...shared, count, time: replay.engine, clock: served });
  tap.listen((chunk) => gateways.publish(chunk));
  metrics.addTraffic(async () => renderSum(await gateways.count()));
  return gateways;
}

/** What only some exchanges have; null otherwise. */
interface OptionalParts {
  /** Of a sandbox. */
  readonly states: States | null;
  readonly house: House | null;
  readonly webhooks: Webhooks;
}

interface OpenServers {
  readonly port: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
  /** Answers what was accepted. */
  close(): Promise<void>;
}

/** Listens on both ports. */
export async function listen(
  serving: Serving,
  gateways: Gateways,
  { house, states, webhooks }: OptionalParts,
): Promise<OpenServers> {
  const { config, core, counts, log, mutex, node, notReadyBecause, onFatal } = serving;
  const { history, keys, metrics, platform } = core;
  const { clock, network, randomness, scheduler } = platform;
  const operatorToken = openOperatorToken(config.dataFolder, config.operatorToken, randomness);
  const operator = createOperatorServer({
    engine: unchargedEngine(serving),
    history: history.reader,
    keys,
    mutex,
    randomness,
    token: currentOperatorToken(config.dataFolder, config.operatorToken, operatorToken),
    addressOf: addressReader(config.trustedProxies),
    monotonicMs: () => clock.monotonicMs(),
    sandbox: config.sandbox,
    version: VERSION,
    snapshots: core.follower,
    traffic: openFaults(counts.faults, platform, (call) => gateways.callTraffic(call)),
    states,
    house,
    events: core.tap,
    webhooks,
    status: () => {
      const backups = readBackupRecords(config.dataFolder);
      const self = node === null ? {} : { node: node.status().node };
      const status = { ...processStatus(core, config.venue), ...self };
      return { ...status, backup: backups[0] ?? null, backups };
    },
    metrics,
    health: { notReadyBecause: () => notReadyText(notReadyBecause()) },
    node,
    log,
    onFatal,
  });
  endUnwantedUploads(operator.server, scheduler);
  serveOperatorConsole(operator);
  const { host, operatorHost } = config;
  const port = await listenOn({ host, port: config.port }, "", ({ port }) => gateways.listen(port));
  const operatorAddress = { host: operatorHost, port: config.operatorPort };
  const listenFor = (address: ListenAddress) => network.listen(operator, address);
  const operatorPort = await listenOn(operatorAddress, "operator-", listenFor);
  metrics.startSampling(scheduler);
  gateways.showOperatorPort(operatorPort);
  warnOfExposedOperatorApi(config, operatorPort, log);
  const close = async (): Promise<void> => {
    metrics.stopSampling();
    await Promise.all([gateways.close(), operator.close()]);
  };
  return { port, operatorPort, operatorToken, close };
}

/** What is no order of a user, wherever it is taken. */
function unchargedEngine({ core, limits, signed }: Serving): EngineClient {
  if (signed === undefined) return core.engine;
  return new EngineClient({
    submit(request, answered) {
      limits?.entered?.();
      signed.submit(request, answered);
    },
  });
}

function addressReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = proxies.length === 0 ? null : new AddressRanges(proxies);
  return (request) => clientAddress(request, trusted);
}

/** The token gives full access, and HTTP sends it unencrypted. */
function warnOfExposedOperatorApi({ operatorHost }: Config, port: number, log: Log): void {
  if (isLoopback(operatorHost)) return;
  log.warn(
    { host: operatorHost, port },
    "the operator API is reachable beyond this machine, and its token travels without TLS: put " +
      "a proxy with TLS in front of it (--operator-host 127.0.0.1, --trusted-proxies), or let " +
      "only your own network through a firewall",
  );
}
