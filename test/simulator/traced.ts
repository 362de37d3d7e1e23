/** What a trace has of an answer: nothing that a real machine makes another one each time. */
export function traced<Answer>({ path }: { readonly path: string }, answer: Answer): Answer | null {
  return path.endsWith("/v1/status") ? null : answer;
}
