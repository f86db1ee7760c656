// The client as it is published: packed, installed, compiled against and bundled.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { rolldown } from "rolldown";
import { afterAll, expect, test } from "vitest";
import { packClient } from "../../scripts/pack/client.ts";
import { root, runNode } from "../house/fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "tallystick-client-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tarball = packClient(folder);
const installed = join(folder, "node_modules/@tallystick/client");
mkdirSync(installed, { recursive: true });
execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);

const LIMIT_BYTES = 6_000;

async function bundle(source: string, external: readonly string[] = []): Promise<string> {
  const input = join(folder, "bundled.js");
  writeFileSync(input, source);
  const { output } = await (await rolldown({ input, external: [...external] })).generate({ minify: true });
  expect(output).toHaveLength(1);
  return output[0].code;
}

test("publint has nothing to say", async () => {
  const { messages } = await publint({ pkgDir: installed, strict: true });
  expect(messages).toEqual([]);
});

test("the types resolve as the code does, for every entry and everything that imports ES modules", async () => {
  const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  const { problems = [] } = "problems" in result ? result : {};
  expect(result.types).toBeTruthy();
  // The package is for ES modules. Node requires such since 22; what resolved without `exports` is older.
  const ofOthers = new Set(["node10", "node16-cjs"]);
  const ours = problems.filter((problem) => !("resolutionKind" in problem) || !ofOthers.has(problem.resolutionKind));
  expect(ours).toEqual([]);
});

test("it has no dependencies, no sources and no tests", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
  expect(manifest.private).toBeUndefined();
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const unexpected = files.filter(
    (file) => !/^package\/(README\.md|LICENSE|package\.json|dist\/[\w/-]+(\.d\.ts|\.js))$/.test(file),
  );
  expect(unexpected).toEqual([]);
  expect(files.filter((file) => /test/.test(file))).toEqual([]);
});

test(`everything but the spool is under ${LIMIT_BYTES} bytes in a bundle, gzipped, and needs nothing of Node`, async () => {
  const code = await bundle(`export * from "@tallystick/client";`);
  expect(gzipSync(code).length).toBeLessThan(LIMIT_BYTES);
  const webhooks = await bundle(`export * from "@tallystick/client/webhooks";`);
  expect(gzipSync(webhooks).length).toBeLessThan(1_500);
  for (const each of [code, webhooks]) expect(each).not.toMatch(/\bnode:|\bprocess\b|\bBuffer\b|\brequire\b/);
});

const SAMPLE = `
import { InvalidError, Tallystick, type Invoice } from "@tallystick/client";
import { verifyWebhookJwt } from "@tallystick/client/jwt";
import { OPERATIONS } from "@tallystick/client/operations";
import { openSpool } from "@tallystick/client/spool";
import { verifyWebhook } from "@tallystick/client/webhooks";

const tally = new Tallystick({ url: "http://127.0.0.1:1", key: "k" });
export const due = ({ total_due_amount_cents }: Invoice): number => total_due_amount_cents;
export const use = async (): Promise<string[]> => {
  const tax = await tally.taxes.create({ code: "vat", name: "VAT", rate: "20" });
  const codes: string[] = [tax.code];
  for await (const invoice of tally.invoices.list({ status: ["draft"] })) codes.push(invoice.number);
  const usage = tally.usage({ spool: openSpool("/tmp/x"), onRejected: () => {} });
  await usage.record({ external_subscription_id: "s", code: "c" });
  const message = await verifyWebhook("", {}, "");
  if (message.webhook_type === "invoice.created") codes.push(message.invoice.number);
  // @ts-expect-error: of this message it is not known
  if (message.webhook_type === "customer.created") codes.push(message.invoice.number);
  // @ts-expect-error: a misspelled member
  await tally.taxes.update("vat", { nam: "VAT" });
  // @ts-expect-error: a value that the API refuses
  tally.invoices.list({ status: "open" });
  // @ts-expect-error: nothing is dropped in silence
  tally.usage({});
  return codes;
};
console.log(typeof verifyWebhookJwt, typeof InvalidError, OPERATIONS["GET /taxes/{code}"].method);
`;

test.each([
  ["TypeScript 7", "node_modules/typescript"],
  ["TypeScript 5", "tools/api-types/node_modules/typescript"],
])("the types compile with %s, strictly, and refuse what the API refuses; the code runs", (_, compiler) => {
  writeFileSync(join(folder, "sample.ts"), SAMPLE);
  const options = ["--strict", "--noEmit", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess"];
  const platform = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable,esnext.disposable"];
  const { output } = runNode(folder, join(root, compiler, "bin/tsc"), ...options, ...platform, "sample.ts");
  expect(output).toBe("");
  expect(runNode(folder, "sample.ts").output).toBe("function function get\n");
});
