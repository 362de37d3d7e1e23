/** Every answer of both APIs has the form that its reference gives it. */
import { undocumented } from "../support/documented-interface.ts";
import type { InlineAnswer, InlineRequest } from "../support/inline-http.ts";
import { undocumentedCall } from "../support/operator-forms.ts";
import { hold } from "./breach.ts";

/** A sandbox may be asked to fail with any status, in the form of a refusal. */
const LOWEST_FAILURE = 500;

export function checkForm(
  to: "public" | "operator",
  request: InlineRequest,
  answer: InlineAnswer | null,
): void {
  if (answer === null || answer.status >= LOWEST_FAILURE) return;
  const { method, path } = request;
  const { body, status } = answer;
  const ofCall = status === 200 ? undocumentedCall : () => null;
  const problem = to === "public" ? undocumented(request, answer) : ofCall(method, path, body);
  hold(problem === null, "an answer has its form", () => String(problem));
}
