// `tallystick seed` against the real service, with a worker beside it.
import { expect, test } from "vitest";
import { serve } from "../../client/src/testing/serve.ts";
import { openCli } from "./testing/run-cli.ts";

const service = await serve();
const env = { TALLYSTICK_URL: service.url, TALLYSTICK_API_KEY: service.organizations[0]?.key ?? "" };
const { cli } = openCli();

test("seed makes sample data and shows how far it is; a second time it only says what is there", {
  timeout: 300_000,
}, async () => {
  const worker = await service.startWorker();
  try {
    const { code, out, err } = await cli(["seed"], { env });
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^The organization has sample data: 12 customers, \d+ invoices\.$/),
    ]);
    const steps = Array.from(err.matchAll(/^making: (\d+) %/gm), ([, percent]) => Number(percent));
    expect(steps.length).toBeGreaterThan(2);
    expect(steps).toEqual(steps.toSorted((one, other) => one - other));
    const again = await cli(["seed", "--json"], { env });
    expect([again.code, again.err]).toEqual([0, ""]);
    expect(JSON.parse(again.out)).toMatchObject({ status: "ready", customers: 12, progress: 100 });

    expect(await cli(["seed", "--remove"], { env })).toMatchObject({
      code: 0,
      out: "The organization has no sample data.",
    });
  } finally {
    await worker.stop();
  }
});

test("seed says what is in the way, and ends with 1", async () => {
  await service.call("POST", "/customers", { customer: { external_id: "sample_sato" } });
  const worker = await service.startWorker();
  try {
    const { code, out } = await cli(["seed"], { env });
    expect([code, out]).toEqual([1, expect.stringContaining("The customer sample_sato exists already.")]);
  } finally {
    await worker.stop();
  }
});
