/** Requests that were done, in the state's canonical form; absent where there are none. */
import { record, text, uint } from "../../protocol/index.ts";
import { section } from "../snapshot-section.ts";

const doneRequest = record(70, "done-request", {
  uid: uint,
  requestId: text,
  answer: text,
  doneMs: uint,
});

/** In the order in which they are forgotten. */
export const DONE_REQUESTS = section({
  name: "done-requests",
  codec: doneRequest,
  optional: true,
  *rowsOf({ doneRequests }) {
    for (const done of doneRequests.all()) yield { type: "done-request", ...done } as const;
  },
  restore({ doneRequests }, { type: _, ...done }) {
    doneRequests.restore(done);
  },
});
