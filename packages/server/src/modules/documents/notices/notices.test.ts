import pg from "pg";
import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { alone } from "../../../platform/postgres/batch.ts";
import { inOrganization } from "../../../platform/postgres/database.ts";
import { runOn } from "../../../platform/postgres/temporary-database.ts";
import { OPERATOR_SAMPLES } from "../../../testing/operator-samples.ts";
import { somebodyWaits } from "../../../testing/somebody-waits.ts";
import { startMailServer } from "../../../testing/start-mail-server.ts";
import { type Call, makeTestOrganization, startTallystick } from "../../../testing/start-tallystick.ts";
import { parkItem } from "../../invoicing/index.ts";

const server = await startMailServer();
let offsetMinutes = 0;
const clock = { now: () => systemClock.now().add({ minutes: offsetMinutes }) };
const { app, call, drain, platform, deliver } = await startTallystick({
  clock,
  settings: {
    SMTP_URL: server.url,
    MAIL_FROM: "billing@platform.example",
    MAIL_SANDBOX_RECIPIENTS: "@owner.example",
    MAIL_RETRY_DELAYS_SECONDS: "60",
  },
});
const url = platform.config.DATABASE_URL;

let owners = 0;
async function makeOwned(name: string, email: string | null = `o${++owners}@owner.example`) {
  const { id, key } = await makeTestOrganization(platform, name);
  const own: Call = (method, path, body, options) => call(method, path, body, { key, ...options });
  if (email !== null) expect((await own("PUT", "/organizations", { organization: { email } })).status).toBe(200);
  const received = () => server.received.filter(({ to }) => to.includes(email ?? ""));
  return { id, email, call: own, received, texts: () => received().map(({ parsed }) => parsed.text ?? "") };
}

const park = (organizationId: string, reason: string) =>
  inOrganization(platform.db, organizationId, (tx) => {
    const object = { type: "wallet", id: newId(), externalId: reason };
    return parkItem(
      alone(tx),
      organizationId,
      { kind: "wallet", object, customerId: null, source: "s", reason },
      clock.now(),
    );
  });
const pass = async (minutes: number) => {
  offsetMinutes += minutes;
  await drain();
};

test("owners get one email that names what was parked and held, and how to list it", async () => {
  const { id, call: own, received, texts } = await makeOwned("Acme");
  const parked = await OPERATOR_SAMPLES["GET /parked_items/:svc_id"].given(own, "p");
  const held = await OPERATOR_SAMPLES["GET /held_invoices/:svc_id"].given(own, "h");
  await drain();
  expect(received()).toEqual([]);
  await pass(5);
  const [mail, ...more] = received();
  expect(more).toEqual([]);
  expect(mail?.parsed.subject).toBe("2 items wait for an operator of Acme");
  expect(mail?.parsed.attachments).toEqual([]);
  const [text = ""] = texts();
  expect(text).toContain(`invoice ${held.svc_id} of customer held h: Two computations differ: total`);
  expect(text).toContain("Parked items: 1\n- event p: ");
  expect(text).toContain(`npm run billing -- parked --organization ${id}`);
  const [item] = await runOn<{ mail_id: string }>(
    url,
    `select mail_id from notice_items where item_id = '${parked.svc_id}'`,
  );
  expect(item?.mail_id).toBeTruthy();
  expect((await own("GET", "/mails")).body.mails).toEqual([]);
  await pass(120);
  expect(received()).toHaveLength(1);
});

test("1,000 items of one run are one email with their number; later ones wait for the next hour, each in exactly one email", async () => {
  const { id, texts } = await makeOwned("Burst");
  for (let index = 0; index < 1000; index++) await park(id, `first ${index}`);
  await drain();
  await pass(5);
  expect(texts()).toHaveLength(1);
  expect(texts()[0]).toContain("1000 items wait for an operator of Burst");
  expect(texts()[0]).toContain("- and 980 more");
  await park(id, "second 0");
  await park(id, "second 1");
  await drain();
  await pass(50);
  expect(texts()).toHaveLength(1);
  await pass(10);
  expect(texts()).toHaveLength(2);
  expect(texts()[1]).toContain("2 items wait");
  expect(texts()[1]).toContain("second 1");
  expect(texts()[1]).not.toContain("first");
  const [{ items, mails } = { items: 0n, mails: 0n }] = await runOn<{ items: bigint; mails: bigint }>(
    url,
    `select count(*) as items, count(distinct mail_id) as mails from notice_items where organization_id = '${id}'`,
  );
  expect([Number(items), Number(mails)]).toEqual([1002, 2]);
}, 120_000);

test("workers that write at once write one email", async () => {
  const { id, received } = await makeOwned("Twice");
  await park(id, "first");
  await deliver();
  offsetMinutes += 5;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("begin; lock table mails in share mode");
  const writing = platform.senders.notices();
  await somebodyWaits(url);
  await park(id, "second");
  await deliver();
  offsetMinutes += 5;
  expect(await platform.senders.notices()).toBe(false);
  await client.query("commit");
  await client.end();
  expect(await writing).toBe(true);
  await drain();
  expect(received()).toHaveLength(1);
  await pass(60);
  expect(received()).toHaveLength(2);
});

test("an item that was resolved before the email is in none", async () => {
  const { id, received, call: own } = await makeOwned("Resolved");
  const itemId = await park(id, "gone");
  await runOn(url, `update parked_items set kind = 'fee_refund' where id = '${itemId}'`);
  expect((await own("POST", `/parked_items/${itemId}/skip`, { reason: "done" })).status).toBe(200);
  await drain();
  await pass(5);
  expect(received()).toEqual([]);
});

test("an organization without an address gets no email, now or later, and delays nobody", async () => {
  const silent = await makeOwned("Silent", null);
  const heard = await makeOwned("Heard");
  await park(silent.id, "unheard");
  await park(heard.id, "heard");
  await drain();
  await pass(5);
  expect(heard.received()).toHaveLength(1);
  const waiting = await runOn(url, `select from notice_items where settled_at is null`);
  expect(waiting).toEqual([]);
});

test("a notice that cannot be written is postponed, and those of others are written", async () => {
  const broken = await makeOwned("Broken");
  const other = await makeOwned("Other");
  await park(broken.id, "first");
  await park(other.id, "second");
  await drain();
  await runOn(
    url,
    `create function forbid() returns trigger language plpgsql as $$ begin raise exception 'no mail'; end $$;
     create trigger forbidden before insert on mails for each row when (new.organization_id = '${broken.id}') execute function forbid()`,
  );
  await pass(5);
  expect([broken.received().length, other.received().length]).toEqual([0, 1]);
  await runOn(url, "drop trigger forbidden on mails");
  await pass(60);
  expect([broken.received().length, other.received().length]).toEqual([1, 1]);
});

test("names and reasons stay text in the HTML, and one line in the subject", async () => {
  const { id, received } = await makeOwned("<b>Bold</b>\r\nBcc: all@evil.example");
  await park(id, '<img src="https://evil.example">\nList them: https://evil.example');
  await drain();
  await pass(5);
  const [mail] = received();
  expect(mail?.parsed.subject).toBe("1 item waits for an operator of <b>Bold</b> Bcc: all@evil.example");
  expect(mail?.to).toHaveLength(1);
  expect(mail?.parsed.html).not.toMatch(/<b>|<img/);
  expect(mail?.parsed.text).not.toContain("\nList them: https://evil.example");
});

test("a sandbox mails only addresses that the operator allows", async () => {
  const { id, received } = await makeOwned("Copied", "owner@production.example");
  await park(id, "copied");
  await drain();
  await pass(5);
  expect(received()).toEqual([]);
  expect(await runOn(url, `select status from mails where organization_id = '${id}'`)).toEqual([
    { status: "suppressed" },
  ]);
});

test("without a mail server nothing is noted, and nothing waits", async () => {
  const off = await startTallystick();
  const [{ id } = { id: "" }] = off.organizations;
  await off.call("PUT", "/organizations", { organization: { email: "o@owner.example" } });
  await OPERATOR_SAMPLES["GET /parked_items/:svc_id"].given(off.call, "off");
  await off.drain();
  expect(
    await runOn(off.platform.config.DATABASE_URL, `select from parked_items where organization_id = '${id}'`),
  ).toHaveLength(1);
  expect(await runOn(off.platform.config.DATABASE_URL, "select from notice_items")).toEqual([]);
  expect((await app.inject("/ready")).json().stuck).toEqual([]);
});
