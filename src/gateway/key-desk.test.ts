/** What users' keys are told of an engine that is too busy for a moment. */
import assert from "node:assert/strict";
import test from "node:test";
import { accept } from "../domain/index.ts";
import {
  type ApiKeyView,
  ByteWriter,
  EngineClient,
  type EnginePort,
  RequestReader,
  refuseAll,
  writeAnswer,
} from "../protocol/index.ts";
import { UserKeys } from "./key-desk.ts";

const SIGNER: ApiKeyView = {
  apiKey: "signer",
  uid: 100_001,
  label: "",
  permissions: ["spot", "keys"],
  ipAllowList: [],
  expiresAtMs: null,
};

/** An engine that is too busy for more than so many requests. */
function enginePort(requestsMax: number): EnginePort {
  let requests = 0;
  return {
    submit(bytes, answered) {
      const reader = new RequestReader(bytes);
      requests++;
      if (requests > requestsMax) return answered(refuseAll(reader.left, "overloaded"));
      const writer = new ByteWriter();
      while (reader.left > 0) {
        const command = reader.command();
        if (command === null) reader.query();
        const result = accept((command === null ? SIGNER : null) as never);
        writeAnswer(writer, command, { sequence: 1, timestampMs: 1, result });
      }
      answered(writer.toBytes());
    },
  };
}

test("a key that was made is told: a busy engine comes never between", async () => {
  for (const requestsMax of [1, 2]) {
    const did: string[] = [];
    const keys = new UserKeys({
      engine: new EngineClient(enginePort(requestsMax)),
      secrets: {
        create: async () => accept({ apiKey: "own", secret: "secret" }),
        activate: async ({ apiKey }) => void did.push(`activate ${apiKey}`),
        discard: async (apiKey) => void did.push(`discard ${apiKey}`),
      },
      exclusively: (task) => task(),
      onLeftover: () => undefined,
    });
    const outcome = await keys.carryOut({
      ...{ kind: "create", signedBy: "signer", requestId: "request", label: "own" },
      ...{ permissions: ["spot"], passphrase: "passphrase", ipAllowList: null },
      expiresAtMs: undefined,
    });
    if (requestsMax === 1) {
      assert.deepEqual(outcome, { ok: false, unavailable: "overloaded" });
      assert.deepEqual(did, ["discard own"]);
    } else {
      assert.deepEqual(outcome, { ok: true, value: { apiKey: "own", secret: "secret" } });
      assert.deepEqual(did, ["activate own"]);
    }
  }
});
