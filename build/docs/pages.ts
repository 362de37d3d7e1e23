/**
 * The pages of the reference, whole: what is in the sidebar, in which order, the text of each page
 * and the entries of the search. Made from the OpenAPI document, the channels and the guides.
 */
import type { OpenApiDocument } from "../../src/api/openapi.ts";
import { INTRODUCTION } from "../../src/api/reference/introduction.ts";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { callHtml, callTitle, samplesHtml } from "./call-html.ts";
import { CHANNEL_PAGES, type ChannelPage } from "./channels.ts";
import { type Guide, readGuides } from "./guides.ts";
import { escapeHtml, inlineHtml, renderMarkdown, slugOf } from "./markdown.ts";
import { channelSamples } from "./samples.ts";

/** Something that the search finds. */
export interface SearchEntry {
  readonly title: string;
  /** Where it is, e.g. its method and path, or its page. */
  readonly place: string;
  readonly url: string;
  /** Further words that lead here. */
  readonly words: string;
}

export interface DocsPage {
  /** The last part of its address; "" for the first page. */
  readonly slug: string;
  readonly group: string;
  readonly title: string;
  /** In the sidebar, where the group is known. */
  readonly shown: string;
  readonly html: string;
  /** Below the title in the sidebar while the page is open. */
  readonly parts: readonly { readonly id: string; readonly text: string }[];
  readonly entries: readonly SearchEntry[];
}

/** What newcomers use comes first; other groups follow. */
const GROUPS_FIRST: readonly string[] = ["Spot v3", "Contract v3", "Affiliate"];
const GROUPS_LAST: readonly string[] = ["Spot v2"];

const WELCOME = `Spot, USDT-margined perpetual contracts and affiliate rebates over HTTP and
WebSocket. Begin with [Signing](/docs/signing). Every call shows its parameters with their bounds,
what it costs of the [limits](/docs/limits), programs in curl, JavaScript and Python that run as
they stand, and requests with the answers that the exchange really gave. Market data and account
updates over WebSocket are in [Streams](/docs/streams), refusals in [Errors](/docs/errors).

Programs read the address and the key from the environment:

\`\`\`bash
export RIALTO_URL=http://127.0.0.1:8080
export RIALTO_API_KEY=… RIALTO_SECRET=… RIALTO_PASSPHRASE=…
\`\`\`

A demo exchange prints funded keys when it starts. On its own machine, each call here can also be
sent from this page: **Try it** signs in the browser with a demo key.

For programs: [/openapi.json](/openapi.json) is the same as an OpenAPI document.`;

/** In the order of the sidebar. */
export function docsPages(document: OpenApiDocument): readonly DocsPage[] {
  const calls = callPages(document);
  const groups = [...new Set(calls.map(({ group }) => group))];
  const between = groups.filter((name) => ![...GROUPS_FIRST, ...GROUPS_LAST].includes(name));
  const ordered = [...GROUPS_FIRST, ...between, ...GROUPS_LAST];
  return [
    textPage("", "Basics", "Overview", WELCOME, 0),
    ...INTRODUCTION.map(({ title, text }) => textPage(slugOf(title), "Basics", title, text, -1)),
    ...ordered.flatMap((name) => calls.filter(({ group }) => group === name)),
    ...CHANNEL_PAGES.map(channelPage),
    ...readGuides().map(guidePage),
  ];
}

function callPages(document: OpenApiDocument): readonly DocsPage[] {
  return document.tags.map(({ name, description }) => {
    const routes = ROUTES.filter(({ tag }) => tag === name);
    const slug = slugOf(name);
    const group = name.split(": ", 1)[0] ?? name;
    const rest = name.slice(group.length).replace(/^: /, "") || name;
    const html = routes.map((route) => callHtml(route, document)).join("\n");
    return {
      slug,
      group,
      title: name,
      shown: rest.charAt(0).toUpperCase() + rest.slice(1),
      html: `<p>${inlineHtml(description)}</p>\n${html}`,
      parts: routes.map((route) => ({ id: route.id, text: callTitle(route) })),
      entries: routes.map((route) => callEntry(slug, route)),
    };
  });
}

function callEntry(slug: string, route: Route): SearchEntry {
  const { properties = {} } = (route.query ?? route.body ?? {}) as {
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  return {
    title: callTitle(route),
    place: `${route.method} ${route.path}`,
    url: `/docs/${slug}#${route.id}`,
    words: [route.id, route.tag, ...Object.keys(properties)].join(" "),
  };
}

function channelPage({ slug, title, intro, channels }: ChannelPage): DocsPage {
  const sections = channels.map((channel) => {
    const { id, shown, text } = channel;
    return `<section class="call" id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a class="here" href="#${id}">${escapeHtml(shown)}</a></h2>
<p>${renderMarkdown(text).html.replace(/^<p>|<\/p>$/g, "")}</p>
${samplesHtml(id, channelSamples(channel), `Samples: ${shown}`)}</section>`;
  });
  return {
    slug,
    group: "WebSocket channels",
    title: `${title} channels`,
    shown: title,
    html: `${renderMarkdown(intro).html}\n${sections.join("\n")}`,
    parts: channels.map(({ id, shown }) => ({ id, text: shown })),
    entries: channels.map(({ id, shown, text }) => ({
      title: shown,
      place: `${title} channel`,
      url: `/docs/${slug}#${id}`,
      words: `websocket stream subscribe ${text}`,
    })),
  };
}

function guidePage({ slug, group, title, text }: Guide): DocsPage {
  return textPage(slug, group, title, text, 0);
}

function textPage(
  slug: string,
  group: string,
  title: string,
  text: string,
  shift: number,
): DocsPage {
  const { html, headings } = renderMarkdown(text, shift);
  const marked = slug === "errors" ? withCodeAnchors(html) : { html, entries: [] };
  const sections = headings.filter(({ level }) => level <= 3);
  const own = { title, place: group, url: `/docs/${slug}`, words: "" };
  const inside = sections.map((heading) => ({
    title: heading.text,
    place: title,
    url: `/docs/${slug}#${heading.id}`,
    words: "",
  }));
  return {
    slug,
    group,
    title,
    shown: title,
    html: marked.html,
    parts: headings
      .filter(({ level }) => level === 2)
      .map(({ id, text: name }) => ({ id, text: name })),
    entries: [own, ...inside, ...marked.entries],
  };
}

/** Each code gets an address, e.g. `/docs/errors#code-40008`, and is found by the search. */
function withCodeAnchors(html: string): {
  readonly html: string;
  readonly entries: readonly SearchEntry[];
} {
  const entries: SearchEntry[] = [];
  const used = new Map<string, number>();
  const row = /<tr><td>(-?\d+)<\/td><td>(\d+)<\/td><td>(.*?)<\/td><td>(.*?)<\/td>/g;
  const marked = html.replace(row, (whole, code: string, status: string, message: string) => {
    const count = (used.get(code) ?? 0) + 1;
    used.set(code, count);
    const id =
      count === 1
        ? `code${code.startsWith("-") ? "" : "-"}${code}`
        : `code${code.startsWith("-") ? "" : "-"}${code}-${count}`;
    const text = message
      .replace(/<[^>]+>/g, "")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
    entries.push({
      title: `${code} ${text}`,
      place: `Error, HTTP ${status}`,
      url: `/docs/errors#${id}`,
      words: "error code",
    });
    return whole
      .replace("<tr>", `<tr id="${id}">`)
      .replace(`<td>${code}</td>`, `<td><a href="#${id}">${code}</a></td>`);
  });
  return { html: marked, entries };
}
