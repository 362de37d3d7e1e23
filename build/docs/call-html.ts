/** The part of a page about one call: parameters, samples, answers, and a form to send it. */
import type { OpenApiDocument } from "../../src/api/openapi.ts";
import { examplesOf, queryText, type RouteExample } from "../../src/api/reference/examples.ts";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { codeHtml, escapeHtml, inlineHtml, renderMarkdown } from "./markdown.ts";
import { callSamples, type Sample } from "./samples.ts";
import { fieldsHtml, type Schema } from "./schema-html.ts";

interface Operation {
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: Schema }>>;

const JSON_MEDIA = "application/json";

/** The version is added to names that both versions have. */
export function callTitle({ id, tag, summary, family }: Route): string {
  const isAmbiguous = ROUTES.some(
    (other) => other.id !== id && other.tag === tag && other.summary === summary,
  );
  return isAmbiguous ? `${summary} (${family})` : summary;
}

export function callHtml(route: Route, document: OpenApiDocument): string {
  const methods = document.paths[route.path] ?? {};
  const operation = methods[route.method.toLowerCase()] as unknown as Operation;
  const examples = examplesOf(route);
  const [first] = examples;
  const title = callTitle(route);
  return `<section class="call" id="${route.id}" aria-labelledby="${route.id}-title">
<h2 id="${route.id}-title"><a class="here" href="#${route.id}">${escapeHtml(title)}</a></h2>
<p class="line"><b class="method" data-method="${route.method}">${route.method}</b>
<code>${escapeHtml(route.path)}</code></p>
${renderMarkdown(operation.description, 2).html}
${inputsHtml(operation)}
${samplesHtml(route.id, callSamples(route, first), `Samples: ${title}`)}
${tryHtml(route, operation, first, title)}
${examplesHtml(examples)}
${answerHtml(operation)}
</section>`;
}

function inputsHtml({ parameters, requestBody }: Operation): string {
  const body = requestBody?.content[JSON_MEDIA]?.schema;
  if (parameters.length > 0) {
    const properties = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
    const required = parameters.filter((one) => one.required).map(({ name }) => name);
    return `<h3>Query</h3>${fieldsHtml({ type: "object", properties, required }, true)}`;
  }
  return body === undefined ? "" : `<h3>Body</h3>${fieldsHtml(body, true)}`;
}

function answerHtml({ responses }: Operation): string {
  const schema = responses["200"]?.content?.[JSON_MEDIA]?.schema;
  if (schema === undefined) return "";
  const table = fieldsHtml(schema, false);
  return `<details><summary>Fields of the answer</summary>${table}</details>`;
}

/** Without scripts all languages are shown, one below the other. */
export function samplesHtml(id: string, samples: readonly Sample[], label: string): string {
  const tabs = samples.map(
    ({ language, title }, index) =>
      `<button type="button" role="tab" id="${id}-${language}-tab" data-language="${language}" ` +
      `aria-controls="${id}-${language}" aria-selected="${index === 0}" ` +
      `tabindex="${index === 0 ? 0 : -1}">${title}</button>`,
  );
  const panels = samples.map(
    ({ language, source }) =>
      `<div role="tabpanel" id="${id}-${language}" data-language="${language}" ` +
      `aria-labelledby="${id}-${language}-tab">${codeHtml(source, language)}</div>`,
  );
  const copy = '<button type="button" class="copy" hidden>Copy</button>';
  const list = `<div role="tablist" aria-label="${escapeHtml(label)}">${tabs.join("")}</div>`;
  return `<div class="samples"><div class="bar">${list}${copy}</div>
${panels.join("\n")}</div>`;
}

function examplesHtml(examples: readonly RouteExample[]): string {
  const parts = examples.map((example, index) => {
    const { title, status, answer, body } = example;
    const query = queryText(example);
    const text = typeof answer === "string" ? answer : JSON.stringify(answer, null, 2);
    const sent = [query, body === undefined ? "" : JSON.stringify(body, null, 2)].filter(Boolean);
    const request = sent.length === 0 ? "" : codeHtml(sent.join("\n"), "request");
    const name = `<span data-ok="${status === 200}">${status}</span> ${escapeHtml(title)}`;
    return `<details${index === 0 ? " open" : ""}><summary>${name}</summary>${request}
${codeHtml(text, "answer")}</details>`;
  });
  return `<h3>Recorded responses</h3>${parts.join("\n")}`;
}

/** Shown by the page's script where the exchange gives it demo keys. */
function tryHtml(
  route: Route,
  { parameters, requestBody }: Operation,
  example: RouteExample | undefined,
  title: string,
): string {
  const id = `${route.id}-try`;
  const inputs = parameters.map(({ name, required }) => {
    const value = required || isUseful(name) ? (example?.query?.[name] ?? "") : "";
    return (
      `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}" value="${escapeHtml(value)}"` +
      `${required ? " required" : ""} autocomplete="off" spellcheck="false"></label>`
    );
  });
  const text = escapeHtml(JSON.stringify(example?.body ?? {}, null, 2));
  const body =
    requestBody === undefined
      ? ""
      : `<label class="body">Body<textarea rows="${Math.min(14, text.split("\n").length)}" ` +
        `spellcheck="false">${text}</textarea></label>`;
  return `<form class="try" id="${id}" data-method="${route.method}" data-path="${route.path}"
 data-signed="${route.access !== null}" aria-label="Try: ${escapeHtml(title)}" hidden>
<h3>Try it</h3>
<div class="inputs">${inputs.join("")}${body}</div>
<div class="send"><button type="submit">Send</button><span class="who">${
    route.access === null ? inlineHtml("No key needed.") : ""
  }</span></div>
<div class="outcome" role="status"></div></form>`;
}

/** Times and ids of the recorded session mean nothing on another exchange. */
function isUseful(name: string): boolean {
  return !/time|id$|ids$|from|until/i.test(name);
}
