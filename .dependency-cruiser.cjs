/**
 * Which folder may import which. One table for `src`; everything that it does not name is
 * forbidden. The gateway and the operator API know the engine, the journal and the stores through
 * ports only: the composition root (`app`) hands them over.
 */

const { existsSync, readdirSync } = require("node:fs");

/**
 * @typedef {object} Imports
 * @property {string[]} folders folders of src
 * @property {string[]} [types] folders of which only types may be imported
 * @property {string[]} packages npm packages, by the beginning of their names
 * @property {boolean} node whether `node:` modules may be imported
 */

/** @type {Record<string, Imports>} */
const FOLDERS = {
  domain: { folders: [], packages: [], node: false },
  // Whoever has a statement checks it without a server: in a browser, too.
  "affiliate-statement": { folders: ["domain"], packages: [], node: false },
  api: { folders: ["domain"], packages: ["typebox"], node: false },
  // It runs in a browser: of the schemas it knows the types alone, so that a bundle stays small.
  client: {
    folders: ["affiliate-statement", "api", "domain"],
    packages: ["typebox"],
    node: false,
  },
  protocol: { folders: ["domain"], packages: [], node: false },
  engine: { folders: ["domain", "protocol"], packages: [], node: false },
  // Clocks, timers, randomness, threads and files: all others take them from here, as ports.
  platform: { folders: ["domain"], packages: [], node: true },
  threads: { folders: ["domain", "platform"], packages: [], node: true },
  journal: { folders: ["domain", "platform", "protocol", "threads"], packages: ["pg"], node: true },
  // Who leads, and for how long it may answer: clocks, timers and a row, as ports.
  cluster: { folders: ["domain", "platform", "protocol"], packages: [], node: false },
  store: { folders: ["domain", "protocol"], packages: ["kysely"], node: true },
  projections: {
    folders: ["affiliate-statement", "domain", "platform", "protocol", "store"],
    packages: ["kysely"],
    node: true,
  },
  queries: {
    folders: ["affiliate-statement", "domain", "platform", "protocol", "store"],
    packages: ["kysely"],
    node: true,
  },
  // What gateways in several threads count together: plain memory, and times that they are given.
  limits: { folders: ["threads"], packages: [], node: false },
  keys: { folders: ["domain", "platform"], packages: [], node: true },
  // Traffic of a sandbox, as gateways and operators see it: rules and counts, no sockets.
  faults: { folders: ["api", "domain", "platform"], packages: [], node: false },
  gateway: {
    folders: ["affiliate-statement", "api", "domain", "faults", "limits", "platform", "protocol"],
    types: ["queries"],
    packages: ["fastify", "@fastify/", "pino", "typebox", "ws"],
    node: true,
  },
  operator: {
    folders: ["affiliate-statement", "api", "domain", "faults", "platform", "protocol"],
    types: ["queries"],
    packages: ["fastify", "@fastify/", "pino", "typebox"],
    node: true,
  },
  sandbox: {
    folders: ["affiliate-statement", "domain", "platform", "protocol"],
    types: ["queries"],
    packages: [],
    node: true,
  },
  // Recordings of markets, and how they are replayed: files, and an exchange as a port.
  tapes: { folders: ["domain", "platform"], packages: [], node: true },
  // Whoever tests against the exchange has it alone, and its client; nothing of the program.
  testing: { folders: ["client"], packages: [], node: true },
  streams: {
    folders: ["api", "domain", "faults", "limits", "platform", "protocol"],
    types: ["queries"],
    packages: ["ws"],
    node: true,
  },
  // Tells others what happened: history and engine as ports, and requests that leave the machine.
  webhooks: {
    folders: ["domain", "platform", "protocol"],
    types: ["queries"],
    packages: [],
    node: true,
  },
  // Pages see the exchange as any client does.
  console: {
    folders: ["client", "domain"],
    packages: ["react", "react-dom", "wouter", "klinecharts", "uplot", "uqr"],
    node: false,
  },
};

/**
 * The layers within a folder of `src`: folders of it, each with those that it may import. The files
 * beside them may import all layers; a layer imports of these only the ones in `files`.
 * @type {Record<string, { layers: Record<string, string[]>, files: string[] }>}
 */
const LAYERS = {
  journal: {
    layers: {
      disk: [],
      segments: ["disk"],
      ring: ["disk"],
      branches: ["disk", "segments", "ring"],
      backup: ["disk", "segments", "branches"],
      snapshots: ["disk"],
      recovery: ["disk", "segments", "ring"],
      writing: ["disk", "segments", "recovery"],
      repair: ["disk", "segments", "ring", "recovery"],
      quorum: ["disk", "segments", "writing"],
    },
    files: ["damage.ts", "log-reading.ts", "journal-opening.ts"],
  },
  streams: {
    layers: {
      channels: [],
      public: ["channels"],
      private: ["channels"],
      v2: ["channels"],
      v3: ["channels"],
      transport: ["channels"],
    },
    files: [],
  },
  "engine/contract": {
    layers: {
      state: [],
      formulas: ["state"],
      indexes: ["state", "formulas"],
      prices: ["state", "formulas", "indexes"],
      margin: ["state", "formulas", "indexes", "prices"],
      conditional: ["state", "formulas", "indexes", "prices", "margin"],
      orders: ["state", "formulas", "indexes", "prices", "margin", "conditional"],
      risk: ["state", "formulas", "indexes", "prices", "margin", "conditional", "orders"],
      time: ["state", "formulas", "indexes", "prices", "margin", "orders", "conditional", "risk"],
    },
    files: ["contract-state.ts"],
  },
};

/** These know all others; nobody knows them, but for `cli`, which starts `app`. */
const ROOTS = ["app", "cli"];

/** Tests enter a folder that has an index.ts through it alone. */
const INDEXED = readdirSync("src")
  .filter((folder) => existsSync(`src/${folder}/index.ts`))
  .join("|");
/**
 * An exchange that shares no code with the engine: what it does, says and shows; and a history that
 * shares none with the projections and the queries.
 */
const NAIVE_EXCHANGE = [
  "^test/models/(contract/)?(naive-|contract-event-text|versioned-answers)",
  "^test/history/(history-model|listed)\\.ts$",
];

const BEHIND_AN_INDEX = `^src/(${INDEXED})/(?!index\\.ts$)`;

const TESTS = "\\.test\\.ts$";
const NPM = ["npm", "npm-dev", "npm-optional", "npm-peer", "npm-no-pkg", "npm-unknown"];

const folderRules = Object.entries(FOLDERS).flatMap(([folder, imports]) => {
  const { folders, types = [], packages, node } = imports;
  const from = { path: `^src/${folder}/`, pathNot: TESTS };
  const reachable = [folder, ...folders, ...types].join("|");
  const rules = [
    {
      name: `${folder}-folders`,
      comment: `${folder} may import ${[...folders, ...types].join(", ") || "no other folder"}.`,
      from,
      to: { path: "^(src|test|bench)/", pathNot: `^src/(${reachable})/` },
    },
    {
      name: `${folder}-packages`,
      comment: `${folder} may import these packages: ${packages.join(", ") || "none"}.`,
      from,
      to: {
        dependencyTypes: NPM,
        ...(packages.length > 0 ? { pathNot: `node_modules/(${packages.join("|")})` } : {}),
      },
    },
  ];
  if (!node) {
    rules.push({
      name: `${folder}-no-node`,
      comment: `${folder} runs anywhere: no node: modules.`,
      from,
      to: { dependencyTypes: ["core"] },
    });
  }
  if (types.length > 0) {
    rules.push({
      name: `${folder}-types-only`,
      comment: `${folder} may import only types from ${types.join(", ")}.`,
      from,
      to: { path: `^src/(${types.join("|")})/`, dependencyTypesNot: ["type-only"] },
    });
  }
  rules.push({
    name: `${folder}-tests`,
    comment: `Tests of ${folder} use it, what it may import, test/support and public files.`,
    from: { path: `^src/${folder}/.*${TESTS}` },
    to: {
      path: [BEHIND_AN_INDEX, "^test/(?!support/)", "^bench/"],
      pathNot: `^src/(${reachable})/`,
    },
  });
  return rules;
});

const layerRules = Object.entries(LAYERS).flatMap(([folder, { layers, files }]) => [
  {
    name: `${folder}-known-layers`,
    comment: `A new folder of ${folder} gets its row in .dependency-cruiser.cjs first.`,
    from: {
      path: `^src/${folder}/[^/]+/`,
      pathNot: `^src/${folder}/(${Object.keys(layers).join("|")})/`,
    },
    to: {},
  },
  ...Object.entries(layers).map(([layer, lower]) => ({
    name: `${folder}-${layer}`,
    comment: `${folder}/${layer} may import of ${folder} ${[...lower, ...files].join(", ")}.`,
    from: { path: `^src/${folder}/${layer}/`, pathNot: TESTS },
    to: {
      path: `^src/${folder}/`,
      pathNot: [
        `^src/${folder}/(${[layer, ...lower].join("|")})/`,
        ...files.map((file) => `^src/${folder}/${file.replace(".", "\\.")}$`),
      ],
    },
  })),
]);

const rules = [
  ...folderRules,
  ...layerRules,
  {
    name: "postgres-in-one-file",
    comment: "The driver of PostgreSQL is known to the connections of the quorum journal alone.",
    from: { path: "^src/", pathNot: ["^src/journal/quorum/connection\\.ts$", TESTS] },
    to: { path: "node_modules/pg/", dependencyTypesNot: ["type-only"] },
  },
  {
    name: "contract-state-holds",
    comment: "The state holds markets and indexes; it knows nothing of what is done with them.",
    from: { path: "^src/engine/contract/contract-state\\.ts$" },
    to: { path: "^src/engine/contract/", pathNot: "^src/engine/contract/(state|indexes)/" },
  },
  {
    name: "order-intake",
    comment: "What spot and contracts share in the intake of orders knows neither.",
    from: { path: "^src/engine/orders/", pathNot: TESTS },
    to: { path: "^src/engine/(spot|contract)/" },
  },
  {
    name: "known-folders",
    comment: "A new folder of src gets its row in .dependency-cruiser.cjs first.",
    from: { path: "^src/", pathNot: `^src/(${[...Object.keys(FOLDERS), ...ROOTS].join("|")})/` },
    to: {},
  },
  {
    name: "gateway-resources",
    comment: "Endpoints of spot, contracts and affiliates share what lies beside their folders.",
    from: { path: "^src/gateway/(spot|contract|affiliate)/", pathNot: TESTS },
    to: { path: "^src/gateway/(spot|contract|affiliate)/", pathNot: "^src/gateway/$1/" },
  },
  {
    name: "roots-import-no-tests",
    comment: "The program does not depend on its tests or benchmarks.",
    from: { path: `^src/(${ROOTS.join("|")})/`, pathNot: TESTS },
    to: { path: "^(test|bench)/" },
  },
  {
    name: "client-loads-no-schemas",
    comment: "Of schemas the client knows the types: a page that uses it stays small.",
    from: { path: "^src/client/", pathNot: TESTS },
    to: {
      path: [
        "^src/api/(?!(calls|operator/calls|signing|socket-calls|stream-paths|stream-protocols)\\.ts$)",
        "node_modules/typebox",
      ],
      dependencyTypesNot: ["type-only"],
    },
  },
  {
    name: "app-not-cli",
    comment: "The command line starts the exchange, not the other way round.",
    from: { path: "^src/app/" },
    to: { path: "^src/cli/" },
  },
  {
    name: "outside-tests",
    comment: "Tests outside src go through public index files where a folder has one.",
    // Fixtures of the engine's own tests build states that no command leads to.
    from: { path: "^test/", pathNot: "^test/support/engine/" },
    to: { path: BEHIND_AN_INDEX },
  },
  {
    name: "test-folders",
    comment: "Tests share code through test/support alone, and the naive exchange and history.",
    from: { path: "^test/([^/]+)/" },
    to: { path: "^test/[^/]+/", pathNot: ["^test/$1/", "^test/support/", ...NAIVE_EXCHANGE] },
  },
  {
    name: "no-tests-imported",
    comment: "A test file is an end: shared parts go to test/support.",
    from: {},
    to: { path: TESTS },
  },
  {
    name: "no-development-packages",
    comment: "What runs in production stands under dependencies in package.json.",
    // The console is built: its packages are in the files that are served.
    from: { path: "^src/", pathNot: [TESTS, "^src/console/"] },
    to: { dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"] },
  },
  {
    name: "no-cycles",
    comment: "Two files that need each other are one file, or need a third.",
    from: {},
    to: { circular: true },
  },
  {
    name: "no-orphans",
    comment: "Nothing imports this file and it imports nothing.",
    from: { orphan: true, path: "^(src|test|bench)/", pathNot: [TESTS, "^(test|bench)/run\\.ts$"] },
    to: {},
  },
  {
    name: "no-unresolvable",
    comment: "The imported file or package does not exist.",
    from: {},
    to: { couldNotResolve: true },
  },
];

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: rules.map((rule) => ({ ...rule, severity: "error" })),
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".cjs", ".js", ".json"],
    },
  },
};
