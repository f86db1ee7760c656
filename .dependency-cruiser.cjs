// The dependency rule of the house (ARCHITECTURE.md). Each rule below has a planted violation in tests/house/planted.test.ts.

// TypeScript 7 has no JavaScript API, so swc reads the sources. Without it dependency-cruiser skips every .ts file
// and reports success over nothing; that must be an error.
require.resolve("@swc/core");

const CORE = "^packages/core/src/";
const CLI = "^packages/cli/src/";
const CLIENT = "^packages/client/src/";
const CONSOLE = "^packages/console/src/";
const SECOND_OPINION = "^packages/second-opinion/src/";
const SERVER = "^packages/server/src/";
const TESTS = "[.](test|contract|story)[.]ts$";
const TESTING = "^packages/(cli|client|server)/src/testing/";
const BIG_JS = "node_modules/(@types/)?big[.]js/";
const TEST_TOOLS = "node_modules/(vitest|@vitest/[^/]+|fast-check)/";

const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const coreRules = [
  rule(
    "core-imports-only-itself",
    "Core is pure and runs in a browser: beside itself it may import big.js and nothing else.",
    { path: CORE, pathNot: TESTS },
    { pathNot: [CORE, BIG_JS], dependencyTypesNot: ["core"] },
  ),
  rule(
    "core-tests-import-only-test-tools",
    "A test of core that needs more than vitest and fast-check tests something that is not core.",
    { path: `${CORE}.*${TESTS}` },
    { pathNot: [CORE, BIG_JS, TEST_TOOLS], dependencyTypesNot: ["core"] },
  ),
  rule(
    "core-uses-no-builtin",
    "A Node builtin does not exist in a browser, and brings IO or the time into code that must give the same bill twice.",
    { path: CORE },
    { dependencyTypes: ["core"] },
  ),
  rule(
    "core-only-through-stage-doors",
    "Outside core import @tallystick/core/<stage>: what a stage does not export in its index.ts may change any day.",
    { pathNot: CORE },
    { path: CORE, pathNot: `${CORE}[^/]+/index[.]ts$` },
  ),
];

const secondOpinionRules = [
  rule(
    "second-opinion-imports-only-itself",
    "A second opinion that shares code with core shares its mistakes: it may import nothing but itself.",
    { path: SECOND_OPINION, pathNot: TESTS },
    { pathNot: SECOND_OPINION },
  ),
  rule(
    "core-knows-no-second-opinion",
    "What is checked does not ask the one who checks it.",
    { path: CORE },
    { path: SECOND_OPINION },
  ),
];

const clientRules = [
  rule(
    "client-imports-only-itself",
    "Who installs the client gets one package: it has no dependencies, and shares no code with the service.",
    { path: CLIENT, pathNot: [TESTS, TESTING] },
    { pathNot: CLIENT, dependencyTypesNot: ["core"] },
  ),
  rule(
    "client-uses-no-builtin",
    "The client runs where there are no files and no Node: only its spool needs both.",
    { path: CLIENT, pathNot: [TESTS, TESTING, `${CLIENT}spool/`] },
    { dependencyTypes: ["core"] },
  ),
  rule(
    "client-without-spool",
    "What imports the spool needs Node: the spool is an entry of its own.",
    { path: CLIENT, pathNot: [TESTS, `${CLIENT}spool/`] },
    { path: `${CLIENT}spool/` },
  ),
  rule(
    "client-is-not-in-the-service",
    "The client speaks to the service over HTTP. The service does not need it.",
    { path: SERVER, pathNot: TESTS },
    { path: CLIENT },
  ),
];

const cliRules = [
  rule(
    "cli-starts-programs",
    "The command line starts the programs of the service and speaks to its API: it has no business words of its own.",
    { path: CLI, pathNot: [TESTS, TESTING] },
    { path: "^packages/", pathNot: ["^packages/cli/", CLIENT, `${SERVER}main/`] },
  ),
  rule(
    "cli-is-imported-by-nobody",
    "The command line is the outermost layer: a package that needs it could not be used without it.",
    { path: "^packages/", pathNot: [CLI, TESTS, TESTING] },
    { path: CLI },
  ),
];

const consoleRules = [
  rule(
    "console-imports-core-and-client",
    "The console is a user of the API: what a page can do, a script can do. Of ours, it has the client, and the arithmetic of core.",
    { path: CONSOLE, pathNot: TESTS },
    { path: "^packages/", pathNot: [CONSOLE, CLIENT, CORE] },
  ),
  rule(
    "console-slice-only-through-its-doors",
    "A slice reaches another through index.ts, or parts.ts for what is shown: its insides may change without asking around.",
    { path: `${CONSOLE}slices/([^/]+)/` },
    { path: `${CONSOLE}slices/`, pathNot: [`${CONSOLE}slices/$1/`, `${CONSOLE}slices/[^/]+/(index|parts)[.]ts$`] },
  ),
  rule(
    "console-ui-knows-no-slice",
    "What draws a figure or a date is for every page: it knows neither the API nor the pages.",
    { path: `${CONSOLE}(ui|format|theme)/` },
    { path: `${CONSOLE}(api|app|slices)/` },
  ),
  rule(
    "console-slices-know-no-app",
    "The app leads to the slices. A slice that imports it could not be loaded alone.",
    { path: `${CONSOLE}(api|slices)/` },
    { path: `${CONSOLE}app/` },
  ),
  rule(
    "console-is-imported-by-nobody",
    "The service serves the console as files, and knows nothing of its insides.",
    { path: "^(packages|prove|bench|scripts)/", pathNot: CONSOLE },
    { path: CONSOLE },
  ),
];

const serverRules = [
  rule(
    "foundation-never-imports-modules",
    "http, jobs and platform know no business words, or every module would depend on every other through them.",
    { path: `${SERVER}(http|jobs|platform)/` },
    { path: `${SERVER}modules/` },
  ),
  rule(
    "http-never-imports-jobs",
    "Answering a request and running work later are separate: a module joins them, in one transaction.",
    { path: `${SERVER}http/` },
    { path: `${SERVER}jobs/` },
  ),
  rule(
    "platform-imports-neither-http-nor-jobs",
    "Platform is the bottom layer: it wraps the outside world and knows no layer above it.",
    { path: `${SERVER}platform/` },
    { path: `${SERVER}(http|jobs)/` },
  ),
  rule(
    "verify-stands-on-platform",
    "What checks the promises shares no code with what keeps them, or one mistake could hide the other.",
    { path: `${SERVER}verify/`, pathNot: TESTS },
    { path: "^packages/", pathNot: [`${SERVER}verify/`, `${SERVER}platform/`] },
  ),
  rule(
    "verify-only-for-commands-and-tests",
    "The service keeps its promises by itself: it never asks the checker whether it has.",
    { path: SERVER, pathNot: [`${SERVER}(main|verify)/`, TESTS] },
    { path: `${SERVER}verify/` },
  ),
  rule(
    "main-is-imported-by-nobody",
    "Only main constructs things and reads the environment: take what you need as an argument.",
    { path: "^packages/", pathNot: [CLI, `${SERVER}main/`, TESTING] },
    { path: `${SERVER}main/` },
  ),
  rule(
    "testing-only-for-tests",
    "What starts a service for a test has no place in a service.",
    { path: "^packages/", pathNot: [TESTS, TESTING] },
    { path: TESTING },
  ),
  rule(
    "module-only-through-its-index",
    "A module reaches another module through its index.ts, so that its insides may change without asking around. " +
      "A contract of tests is for every module that keeps it.",
    { path: `${SERVER}modules/([^/]+)/` },
    {
      path: `${SERVER}modules/`,
      pathNot: [`${SERVER}modules/$1/`, `${SERVER}modules/[^/]+/(index|[^/]+[.]contract)[.]ts$`],
    },
  ),
  rule(
    "mail-leaves-through-platform",
    "platform/mail never lets the library send a mail again by itself, fetch a file or a URL: use it.",
    { path: SERVER, pathNot: [`${SERVER}platform/mail/`, TESTS, TESTING] },
    { path: "node_modules/nodemailer/" },
  ),
  rule(
    "main-enters-modules-through-index",
    "What a module does not export in its index.ts is its own affair, also for main.",
    { path: `${SERVER}main/` },
    { path: `${SERVER}modules/`, pathNot: `${SERVER}modules/[^/]+/index[.]ts$` },
  ),
];

const repositoryRules = [
  rule(
    "no-cycles",
    "Files in a cycle can only be understood, tested and moved together. Type-only imports count.",
    {},
    { circular: true },
  ),
  rule(
    "no-orphans",
    "A file that imports nothing and is not imported is forgotten code.",
    {
      orphan: true,
      pathNot: [
        `${SERVER}main/`,
        TESTS,
        "[.]d[.]ts$",
        "^(tests|scripts|prove|bench|stories|tools)/",
        "^[^/]+[.](cjs|mjs|ts)$",
        "^packages/console/(public/|vite[.]config[.]ts$)",
      ],
    },
    {},
  ),
  rule(
    "packages-stand-alone",
    "Packages are what a user runs; tests, proofs, benches and scripts depend on them, never the other way round.",
    { path: "^packages/" },
    { path: "^(tests|prove|bench|scripts|stories)/" },
  ),
  rule(
    "the-engine-is-for-development",
    "The product speaks to a ClickHouse server over HTTP: an engine inside of it would be another one than the customer's.",
    { pathNot: "^tools/" },
    { path: ["^tools/", "node_modules/(@chdb/[^/]+|chdb)/"] },
  ),
  rule(
    "no-dev-dependency-in-sources",
    "A production install leaves devDependencies out, so this import would fail at the customer's.",
    { path: "^packages/[^/]+/src/", pathNot: [TESTS, TESTING] },
    { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["npm"] },
  ),
  rule(
    "no-undeclared-dependency",
    "A package that no package.json names is there by luck: the next install may remove it.",
    {},
    { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
  ),
  rule(
    "no-unresolvable-import",
    "This import leads nowhere: a wrong path, or a package that is not installed.",
    {},
    { couldNotResolve: true },
  ),
];

module.exports = {
  forbidden: [
    ...cliRules,
    ...clientRules,
    ...consoleRules,
    ...coreRules,
    ...secondOpinionRules,
    ...serverRules,
    ...repositoryRules,
  ],
  options: {
    parser: "swc", // it keeps type-only imports, which count as dependencies
    combinedDependencies: true,
    doNotFollow: { path: "node_modules" },
    exclude: { path: ["^[.](data|git)(/|$)", "^packages/console/dist/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
