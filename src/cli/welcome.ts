/** The text shown when the exchange is up: its addresses and demo accounts. */
import type { Config } from "../app/config.ts";
import type { RunningExchange } from "../app/running-exchange.ts";
import { DEMO_AFFILIATE_UID } from "../sandbox/index.ts";
import { urlOf } from "./running-exchange.ts";

export function printWelcome(config: Config, exchange: RunningExchange): void {
  const base = urlOf(config.host, exchange.port);
  const lines = [
    "",
    `  Rialto is running (${config.profile} profile${config.sandbox ? ", sandbox" : ""})`,
    "",
    `  API         ${base}`,
    `  Reference   ${base}/docs`,
    `  Operator    ${urlOf(config.operatorHost, exchange.operatorPort)}/operator/v1`,
    `  Data        ${config.dataFolder}`,
  ];
  for (const account of exchange.demoAccounts) {
    lines.push(
      "",
      `  Demo account ${account.uid}${account.uid === DEMO_AFFILIATE_UID ? ", an affiliate" : ""}`,
      `    apiKey      ${account.apiKey}`,
      `    secret      ${account.secret}`,
      `    passphrase  ${account.passphrase}`,
    );
  }
  lines.push("", "  Ctrl-C stops it; nothing that was acknowledged is lost.", "");
  process.stderr.write(`${lines.join("\n")}\n`);
}
