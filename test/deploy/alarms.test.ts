/**
 * Proves that what is in deploy/ for monitoring fits the program: every metric of a rule and of the
 * dashboard is one that a running exchange has, the dashboard has the form that Grafana reads,
 * every alarm is explained on its page and none other, and promtool, where it is, accepts the rules
 * and their tests.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { ALARMS as DOCTORS_ALARMS } from "../../src/app/diagnosis/alarm-check.ts";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";
import { waitUntil } from "../support/wait-until.ts";

const FOLDER = join(ROOT, "deploy/prometheus");
const RULES = readFileSync(join(FOLDER, "rialto.rules.yml"), "utf8");
const ALARMS = [...RULES.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = ""]) => name);
const EXPRESSIONS = [...RULES.matchAll(/^ +expr: (.+)$/gm)].map(([, text = ""]) => text);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly type: string;
  readonly gridPos: Readonly<Record<"h" | "w" | "x" | "y", number>>;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}

const DASHBOARD = JSON.parse(readFileSync(join(ROOT, "deploy/grafana/rialto.json"), "utf8"));
const PANELS: readonly Panel[] = DASHBOARD.panels;

test("the dashboard has the form that Grafana reads", () => {
  assert.deepEqual(
    [DASHBOARD.uid, DASHBOARD.title, DASHBOARD.schemaVersion],
    ["rialto", "Rialto", 39],
  );
  const variables = DASHBOARD.templating.list.map(({ name }: { name: string }) => name);
  assert.equal(new Set(PANELS.map(({ id }) => id)).size, PANELS.length);
  assert.equal(new Set(PANELS.map(({ title }) => title)).size, PANELS.length);
  const cells = new Set<string>();
  for (const { datasource, gridPos, targets, title, type } of PANELS) {
    assert.equal(type, "timeseries");
    assert.equal(datasource.type, "prometheus");
    assert.ok(variables.includes(/^\$\{(\w+)\}$/.exec(datasource.uid)?.[1]));
    const { h, w, x, y } = gridPos;
    assert.ok(x >= 0 && x + w <= 24 && h > 0, `${title} is in the grid`);
    for (let column = x; column < x + w; column++) {
      for (let row = y; row < y + h; row++) {
        const cell = `${column} ${row}`;
        assert.ok(!cells.has(cell), `${title} lies on another panel`);
        cells.add(cell);
      }
    }
    assert.ok(targets.length > 0);
    assert.equal(new Set(targets.map(({ refId }) => refId)).size, targets.length);
  }
});

test("every metric of a rule or a panel is one that an exchange has", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const { operator } = exchange;
  const { text } = await operator.send("GET", "/metrics");
  const known = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  assert.equal(EXPRESSIONS.length, ALARMS.length);
  let found = 0;
  const shown = PANELS.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  for (const expression of [...EXPRESSIONS, ...shown]) {
    for (const [name] of expression.matchAll(/\brialto_\w+/g)) {
      assert.ok(known.has(name.replace(/_(bucket|sum|count)$/, "")), `no metric ${name}`);
      found++;
    }
  }
  assert.ok(found >= 30, `${found} metrics`);
  // What would be 0 without a backup and a report is absent.
  assert.doesNotMatch(text, /^rialto_(backup|custody_report)_age_seconds[ {]/m);
  await operator.call("POST", "/operator/v1/custody/balances", { balances: [] });
  const url = "http://127.0.0.1:9/";
  const hook = { url, kinds: ["halts"] };
  const { webhookId } = await operator.call<{ webhookId: string }>(
    "POST",
    "/operator/v1/webhooks",
    hook,
  );
  let later = "";
  await waitUntil("the metrics are asked for again", async () => {
    later = (await operator.send("GET", "/metrics")).text;
    return /^rialto_custody_report_age_seconds \d/m.test(later);
  });
  const targets = [join(temporaryFolder(), "one"), join(temporaryFolder(), "two")];
  for (const target of targets) {
    const words = [PROGRAM, "backup", target, "--data-dir", exchange.dataFolder];
    assert.equal(spawnSync(process.execPath, words).status, 0);
  }
  await operator.call("POST", "/operator/v1/users", {});
  await waitUntil("the metrics have both backups", async () => {
    later = (await operator.send("GET", "/metrics")).text;
    return targets.every((target) => {
      const name = `rialto_backup_lag_commands{target="${target}"} `;
      return later
        .split("\n")
        .some((line) => line.startsWith(name) && Number(line.split(" ")[1]) > 0);
    });
  });
  for (const target of targets) assert.ok(later.includes(`backup_age_seconds{target="${target}"}`));
  assert.match(later, /^rialto_withdrawals_open\{state="sent"\} 0$/m);
  assert.match(later, new RegExp(`^rialto_webhook_waiting\\{webhook="${webhookId}"\\} 0$`, "m"));
});

test("every alarm is explained, and nothing else is", () => {
  const page = readFileSync(join(ROOT, "docs/operating/alarms.md"), "utf8");
  const explained = [...page.matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
  assert.deepEqual(explained, ALARMS);
  assert.equal(new Set(ALARMS).size, ALARMS.length);
});

/** Nobody answers; a speed over minutes; a value that is not there; all nodes together. */
const NOT_IN_ONE_LOOK = ["RialtoDown", "RialtoCommitsSlow", "RialtoNoBackup", "RialtoNoLeader"];

test("rialto doctor knows every alarm that one look can decide", () => {
  const severities = [...RULES.matchAll(/severity: (\w+)/g)].map(([, severity]) => severity);
  const rules = ALARMS.map((name, index) => ({
    name,
    when: EXPRESSIONS[index],
    severity: severities[index],
  }));
  const decided = rules.filter(({ name }) => !NOT_IN_ONE_LOOK.includes(name));
  assert.deepEqual(DOCTORS_ALARMS, decided);
});

test("promtool accepts the rules and their tests", { skip: lacking("promtool") }, () => {
  for (const words of [
    ["check", "rules", "rialto.rules.yml"],
    ["test", "rules", "rialto.rules.test.yml"],
  ]) {
    const { status, stdout, stderr } = spawnSync("promtool", words, { cwd: FOLDER });
    assert.equal(status, 0, `${words.join(" ")}: ${stdout}${stderr}`);
  }
});
