// Each rule of the house has a planted violation that its check catches. A rule without one fails here.

import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { biomeAllowed, biomePlants } from "./biome-plants.ts";
import { allowedTree, dependencyPlants } from "./dependency-plants.ts";
import { root, runNode, type Tree, tool, withTree } from "./fixture.ts";
import { PLANTED_ON, plants } from "./plants.ts";
import { rules } from "./rules.ts";

/** Merges all plants into one tree. */
const merged = (trees: Readonly<Record<string, Tree>>): Tree => Object.assign({}, ...Object.values(trees));

describe("tidy: each rule of the house has a planted violation that its check catches", () => {
  test.each(rules)("$name", ({ name, check }) => {
    const plant = plants[name];
    expect(plant?.caught.length, `plants.ts has no violation for ${name}`).toBeGreaterThan(0);
    expect(plant?.clean.length, `plants.ts has no clean file for ${name}`).toBeGreaterThan(0);
    for (const files of plant?.caught ?? []) expect(check(files, PLANTED_ON), JSON.stringify(files)).not.toEqual([]);
    for (const files of plant?.clean ?? []) expect(check(files, PLANTED_ON), JSON.stringify(files)).toEqual([]);
  });

  test("every plant has a rule", () => {
    expect(Object.keys(plants).toSorted()).toEqual(rules.map((rule) => rule.name).toSorted());
  });
});

describe("dependency-cruiser: each dependency rule has a planted import that it refuses", () => {
  type Found = { rule: { name: string }; from: string; cycle?: { name: string }[] };
  const config = join(root, ".dependency-cruiser.cjs");
  const { forbidden }: { forbidden: { name: string }[] } = createRequire(import.meta.url)(config);
  const planted = merged(dependencyPlants);

  let violations: Found[] = [];

  beforeAll(() => {
    violations = withTree({ ...allowedTree, ...planted }, [], (folder) => {
      mkdirSync(join(folder, "node_modules/@tallystick"));
      symlinkSync(join(folder, "packages/core"), join(folder, "node_modules/@tallystick/core"), "junction");
      const cruise = tool("dependency-cruiser/bin/dependency-cruiser.mjs");
      const { stdout, output } = runNode(folder, cruise, ".", "--config", config, "--output-type", "json");
      if (!stdout.startsWith("{")) throw new Error(output);
      return JSON.parse(stdout).summary.violations;
    });
  }, 60_000);

  test.each(forbidden)("$name", ({ name }) => {
    const expected = Object.keys(dependencyPlants[name] ?? {});
    expect(expected.length, `dependency-plants.ts has no import that breaks ${name}`).toBeGreaterThan(0);
    const caught = violations
      .filter((violation) => violation.rule.name === name)
      .flatMap(({ from, cycle }) => [from, ...(cycle ?? []).map((file) => file.name)]);
    expect(caught).toEqual(expect.arrayContaining(expected));
  });

  test("allowed imports are not refused", () => {
    expect(violations.filter((violation) => !(violation.from in planted))).toEqual([]);
  });

  test("every plant has a rule", () => {
    expect(Object.keys(dependencyPlants).toSorted()).toEqual(forbidden.map((rule) => rule.name).toSorted());
  });
});

describe("biome: each rule that biome.json names has a planted file that it refuses", () => {
  type Diagnostic = { severity: string; category: string; location: { path: string } };
  const { linter } = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  const { preset: _, ...groups }: Record<string, object> = linter.rules;
  const names = Object.entries(groups).flatMap(([group, named]) =>
    Object.entries(named).flatMap(([name, level]) => (level === "off" ? [] : [`${group}/${name}`])),
  );

  let diagnostics: Diagnostic[] = [];

  beforeAll(() => {
    diagnostics = withTree({ ...biomeAllowed, ...merged(biomePlants) }, ["biome.json"], (folder) => {
      const args = ["lint", "--reporter=json", "--max-diagnostics=none", "."];
      const { stdout, output } = runNode(folder, tool("@biomejs/biome/bin/biome"), ...args);
      if (!stdout.startsWith("{")) throw new Error(output);
      return JSON.parse(stdout).diagnostics;
    });
  }, 60_000);

  test.each(names)("%s", (name) => {
    const expected = Object.keys(biomePlants[name] ?? {});
    expect(expected.length, `biome-plants.ts has no file that breaks ${name}`).toBeGreaterThan(0);
    const caught = diagnostics
      .filter(({ severity, category }) => severity === "error" && category === `lint/${name}`)
      .map(({ location }) => location.path);
    expect(caught).toEqual(expect.arrayContaining(expected));
  });

  test("allowed overrides and generated files are not refused", () => {
    expect(diagnostics.filter(({ location }) => location.path in biomeAllowed)).toEqual([]);
  });

  test("an unformatted file is refused, unless npm or a person wrote it as it is", () => {
    const status = (text: string) =>
      withTree({ "a.ts": text, "package-lock.json": "{}  ", "README.md": "*  a" }, ["biome.json"], (folder) =>
        runNode(folder, tool("@biomejs/biome/bin/biome"), "check", "."),
      ).status;
    expect(status("export const a = 'single'\n")).toBe(1);
    expect(status('export const a = "double";\n')).toBe(0);
  });
});

describe("knip: unused files and exports are refused", () => {
  const tree: Tree = {
    "package.json": JSON.stringify({ name: "a", private: true, workspaces: ["packages/*"], type: "module" }),
    "packages/core/package.json": JSON.stringify({
      name: "@tallystick/core",
      type: "module",
      exports: { "./money": "./src/money/index.ts" },
    }),
    "packages/core/src/money/index.ts": "export const used = 1;\nexport const unusedInDoor = 2;\n",
    "packages/server/package.json": JSON.stringify({
      name: "@tallystick/server",
      type: "module",
      dependencies: { fastify: "5.12.8", "@tallystick/core": "0.0.0" },
    }),
    "packages/server/src/main/api.ts":
      'import { used } from "../http/server.ts"; import { used as money } from "@tallystick/core/money"; used(money);\n',
    "packages/server/src/http/server.ts": "export const used = (a: number) => a;\nexport const unusedExport = 1;\n",
    "packages/server/src/http/unused-file.ts": "export const a = 1;\n",
    "packages/server/src/http/server.test.ts": 'import { used } from "./server.ts"; used(1);\n',
  };

  let knip = { status: 0, stdout: "" };

  beforeAll(() => {
    knip = withTree(tree, ["knip.json"], (folder) =>
      runNode(folder, tool("knip/bin/knip.js"), "--reporter", "json", "--no-progress"),
    );
  }, 60_000);

  test.each(["unused-file.ts", "unusedExport", "unusedInDoor", "fastify"])("%s", (name) => {
    expect(knip.status).toBe(1);
    expect(knip.stdout).toContain(name);
  });

  test("entry points and what they use are not refused", () => {
    expect(knip.stdout).not.toMatch(/api\.ts|server\.test\.ts|"name":"used"/);
  });
});

describe("tsc: core cannot use the environment", () => {
  /** Compiles one file with the settings of packages/core. */
  function compile(text: string) {
    const settings = { extends: join(root, "packages/core/tsconfig.json"), include: ["*.ts"], exclude: [] };
    const tree = {
      "package.json": '{ "type": "module" }',
      "tsconfig.json": JSON.stringify(settings),
      "plant.ts": text,
    };
    return withTree(tree, [], (folder) => runNode(folder, tool("typescript/bin/tsc"), "--project", "tsconfig.json"));
  }

  test.each([
    ["an enum", "export enum State { draft }", "erasableSyntaxOnly"],
    ["process", "export const home = process.env;", "Cannot find name 'process'"],
    ["fetch", 'export const page = fetch("https://example.com");', "Cannot find name 'fetch'"],
    ["a timer", "setTimeout(() => {}, 1);", "Cannot find name 'setTimeout'"],
    ["console", 'console.log("a");', "Cannot find name 'console'"],
  ])("%s", (_, text, message) => {
    const { status, output } = compile(text);
    expect(output).toContain(message);
    expect(status).not.toBe(0);
  });

  test("pure code compiles", () => {
    const { status, output } = compile('export const on = Temporal.PlainDate.from("2026-01-31");');
    expect(output).toBe("");
    expect(status).toBe(0);
  });
});

describe("the node guard", () => {
  const guard = join(root, "scripts/node-guard.mjs");
  const pretend = (version: string) =>
    `Object.defineProperty(process.versions, "node", { value: "${version}" }); await import(${JSON.stringify(guard)});`;

  test.each(["20.20.2", "25.0.0", "27.1.0"])("Node %s gets an instruction and is stopped", (version) => {
    const { status, output } = runNode(root, "--input-type=module", "-e", pretend(version));
    expect(output).toContain(version);
    expect(output).toContain("npm ci");
    expect(output).toContain("npm run");
    expect(status).toBe(1);
  });

  test("the Node of the project passes without output", () => {
    expect(runNode(root, guard)).toMatchObject({ status: 0, output: "" });
  });
});
