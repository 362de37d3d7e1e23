/**
 * Proves that the client's operator calls are those of this plane: their source is made again from
 * the table of calls and compared, whatever the formatter made of it. `RIALTO_WRITE_SOURCE=1` writes
 * it instead; `biome check --write src/client` does the rest.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import test from "node:test";
import {
  type OperatorDocument,
  operatorClientSource,
} from "../../test/support/operator-client-source.ts";
import { ROOT } from "../../test/support/source-code.ts";
import { CALLS } from "./calls/index.ts";
import { openApiDocument } from "./openapi.ts";

/** What no formatter changes. */
function essence(source: string): string {
  return source.replace(/[\s,;*|()"']+/g, "");
}

test("the client's operator calls are those of the plane", () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(CALLS, ""))) as OperatorDocument;
  const sources = operatorClientSource(document);
  for (const [path, source] of sources) {
    const file = join(ROOT, path);
    if (process.env.RIALTO_WRITE_SOURCE === "1") {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, source);
    } else {
      const advice = `${path} is out of date: run this test with RIALTO_WRITE_SOURCE=1`;
      assert.ok(essence(readFileSync(file, "utf8")) === essence(source), advice);
    }
  }
  const index = readFileSync(join(ROOT, "src/client/index.ts"), "utf8");
  for (const path of sources.keys()) {
    assert.match(index, new RegExp(`"./operator/${basename(path)}"`), `${path} is exported`);
  }
  const last = basename([...sources.keys()].at(-1) ?? "");
  const client = readFileSync(join(ROOT, "src/client/operator/operator-client.ts"), "utf8");
  assert.match(client, new RegExp(`"./${last}"`), "the client begins where the last topic ends");
});
