// What the hosting service reads: workflows, forms, owners and updates of dependencies.

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseDocument } from "yaml";
import { root } from "../doors/door.ts";

const read = (path: string): string => readFileSync(join(root, path), "utf8");
const find = (pattern: string): string[] => globSync(pattern, { cwd: root }).sort();

type Step = { uses?: string; run?: string; with?: Record<string, unknown>; "working-directory"?: string };
type Job = { needs?: string; permissions?: Record<string, string>; steps: Step[]; services?: object };
type Workflow = { on: Record<string, unknown>; permissions: Record<string, string>; jobs: Record<string, Job> };

const workflows = find(".github/workflows/*.yml");
const readWorkflow = (name: string): Workflow => parse(read(`.github/workflows/${name}.yml`));
const stepsOf = ({ jobs }: Workflow): Step[] => Object.values(jobs).flatMap(({ steps }) => steps);
const runsOf = (job: Job | undefined): string[] => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

test.each([...workflows, ...find(".github/ISSUE_TEMPLATE/*.yml")])("%s is YAML without warnings", (path) => {
  const document = parseDocument(read(path), { strict: true, uniqueKeys: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
});

describe.each(workflows)("%s", (path) => {
  const workflow: Workflow = parse(read(path));

  test("actions are pinned by commit, with their version beside it", () => {
    const uses = Array.from(read(path).matchAll(/uses: (.*)$/gm), ([, action]) => action);
    expect(uses.length).toBeGreaterThan(0);
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  test("it may only read, unless a job says otherwise, and keeps no credentials in the folder", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    for (const { uses, with: options } of stepsOf(workflow))
      if (uses?.startsWith("actions/checkout@")) expect(options).toMatchObject({ "persist-credentials": false });
  });

  test("no text that someone else can write gets into a command", () => {
    for (const { run = "" } of stepsOf(workflow)) expect(run).not.toContain("${{");
  });
});

test("CI runs .ci/run and nothing else", () => {
  const { on, jobs } = readWorkflow("ci");
  expect(Object.keys(on).sort()).toEqual(["pull_request", "push"]);
  expect(Object.values(jobs).flatMap(runsOf)).toEqual([".ci/run"]);
  expect(Object.values(jobs).filter(({ services }) => services !== undefined)).toEqual([]);
});

describe("a release", () => {
  const { on, jobs } = readWorkflow("release");
  const { publish } = jobs;

  test("begins with a tag and all checks", () => {
    expect(on).toEqual({ push: { tags: ["v*"] } });
    expect(runsOf(jobs.checks)).toEqual([".ci/run"]);
    expect(publish?.needs).toBe("checks");
  });

  test("publishes with provenance and without a stored token", () => {
    expect(publish?.permissions).toEqual({ contents: "write", "id-token": "write" });
    expect(runsOf(publish).join("\n")).toContain("npm publish --access public --provenance");
    expect(read(".github/workflows/release.yml")).not.toContain("secrets.");
  });

  test("runs commands that exist", () => {
    const { scripts } = JSON.parse(read("package.json"));
    const commands = runsOf(publish).flatMap((run) =>
      Array.from(run.matchAll(/npm run -s (\w+)/g), ([, name]) => name),
    );
    expect(commands).toEqual(["pack", "release"]);
    for (const name of commands) expect(scripts).toHaveProperty(String(name));
  });
});

type Field = { type: string; id?: string; attributes: { label?: string; value?: string } };

describe.each(find(".github/ISSUE_TEMPLATE/*.yml").filter((path) => !path.endsWith("config.yml")))("%s", (path) => {
  const { name, description, body }: { name: string; description: string; body: Field[] } = parse(read(path));

  test("is a form with named fields", () => {
    expect([name, description].every((text) => text.length > 2)).toBe(true);
    const ids = body.filter(({ type }) => type !== "markdown").map(({ id, attributes }) => [id, attributes.label]);
    expect(ids.flat().every(Boolean)).toBe(true);
    expect(new Set(ids.map(([id]) => id)).size).toBe(ids.length);
  });
});

test("the forms ask for what an answer needs", () => {
  const idsOf = (form: string) =>
    (parse(read(`.github/ISSUE_TEMPLATE/${form}.yml`)).body as Field[]).flatMap(({ id }) => id ?? []);
  expect(idsOf("bug")).toEqual(expect.arrayContaining(["version", "verify", "request-id"]));
  expect(idsOf("wrong-amount")).toEqual(expect.arrayContaining(["version", "explanation"]));
});

test("every path with owners exists, and what computes amounts has some", () => {
  const lines = read(".github/CODEOWNERS").split("\n");
  const owned = lines.filter((line) => line !== "" && !line.startsWith("#")).map((line) => line.split(/\s+/));
  for (const [path = "", owner] of owned) {
    expect(owner).toMatch(/^@tallystick\/\w+$/);
    if (path !== "*") expect(existsSync(join(root, path)), path).toBe(true);
  }
  const money = owned.filter(([, owner]) => owner === "@tallystick/money").map(([path]) => path);
  for (const path of ["packages/core", "packages/second-opinion", "packages/server/src/modules/ledger"])
    expect(money).toContain(`/${path}/`);
});

test("packages with binaries are updated by hand, all others weekly, in exact versions", () => {
  const { extends: presets, rangeStrategy, packageRules } = JSON.parse(read("renovate.json"));
  expect(presets).toContain("schedule:weekly");
  expect(rangeStrategy).toBe("pin");
  const byHand: string[] = packageRules
    .filter(({ enabled }: { enabled?: boolean }) => enabled === false)
    .flatMap(({ matchPackageNames }: { matchPackageNames: string[] }) => matchPackageNames);
  const isByHand = (name: string): boolean =>
    byHand.some((each) => (each.endsWith("**") ? name.startsWith(each.slice(0, -2)) : name === each));
  const manifests = ["package.json", "packages/server/package.json"].map((path) => JSON.parse(read(path)));
  const native = manifests.flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies));
  expect(native.length).toBeGreaterThan(10);
  expect(native.filter((name) => !isByHand(name))).toEqual([]);
});

test("pages that every project has are there, and the list of links covers them", () => {
  for (const page of ["CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "GOVERNANCE.md", "SECURITY.md", "SUPPORT.md", "LICENSE"])
    expect(existsSync(join(root, page)), page).toBe(true);
});
