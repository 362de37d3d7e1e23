/** Changes of a cluster: who leads, and the processes of a demo. */
import { Type } from "typebox";
import { Count, Fields } from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Exchange";

const Name = Type.String({ pattern: "^[a-z0-9][a-z0-9-]{0,31}$" });

export const promoteNode = operatorRoute("promoteNode", {
  tag: TAG,
  summary: "Give the lead to a node; responds when it leads",
  body: Fields({ node: Name }),
  answer: Fields({ leader: Type.String(), epoch: Count }),
});

export const startDemoProcess = operatorRoute("startDemoProcess", {
  tag: TAG,
  summary: "Start a process of `rialto cluster demo` that has ended; responds when it serves",
  body: Fields({ name: Name }),
  answer: Fields({
    node: Type.Optional(Type.String()),
    name: Type.Optional(Type.String()),
    port: Count,
    operatorPort: Type.Optional(Count),
    pid: Count,
    role: Type.String(),
  }),
});
