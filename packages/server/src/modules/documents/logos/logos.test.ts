import { encode as encodeJpeg } from "jpeg-js";
import { PNG } from "pngjs";
import { beforeEach, expect, it, test } from "vitest";
import { startReceiver } from "../../../testing/start-receiver.ts";
import { startTallystick } from "../../../testing/start-tallystick.ts";

const receiver = await startReceiver();
const { app, call, drain, organizations } = await startTallystick({
  settings: { OUTBOUND_TRUSTED_HOSTS: "127.0.0.1" },
});
const second = { key: organizations[1]?.key ?? "" };

const pixels = (width: number, height: number) => Buffer.alloc(width * height * 4, 200);
function pngOf(width: number, height: number): Buffer {
  const png = new PNG({ width, height });
  png.data = pixels(width, height);
  return PNG.sync.write(png);
}
const serve = (path: string, body: Buffer, status = 200) => {
  receiver.answers[path] = (answer) => answer.writeHead(status).end(body);
  return receiver.url(path);
};

const give = (logo_url: string | null) =>
  call("PUT", "/organizations", { organization: { billing_configuration: { logo_url } } });
const shown = async (options = {}) => {
  const { organization } = (await call("GET", "/organizations", undefined, options)).body;
  const { logo_url, logo_error } = organization.billing_configuration;
  return { logo_url, logo_error };
};
const fetched = (path: string): number => receiver.received.filter((request) => request.path === path).length;

await call("POST", "/customers", { customer: { external_id: "acme", name: "Acme", currency: "EUR" } });
await call("POST", "/add_ons", {
  add_on: { name: "Set-up", code: "set_up", amount_cents: 1000, amount_currency: "EUR" },
});
async function issueInvoice(): Promise<string> {
  const invoice = { external_customer_id: "acme", currency: "EUR", fees: [{ add_on_code: "set_up", units: 1 }] };
  return (await call("POST", "/invoices", { invoice })).body.invoice.svc_id;
}
/** The widths of the images in the file, in pixels. */
async function picturesOn(invoiceId: string): Promise<number[]> {
  await call("POST", `/invoices/${invoiceId}/download`);
  await drain();
  const { file_url } = (await call("POST", `/invoices/${invoiceId}/download`)).body.invoice;
  const { pathname, search } = new URL(file_url);
  const pdf = (await app.inject({ url: `${pathname}${search}` })).rawPayload.toString("latin1");
  expect(pdf.slice(0, 5)).toBe("%PDF-");
  const objects = pdf.match(/<<[^>]*\/Subtype\s*\/Image[^>]*>>/g) ?? [];
  return objects.map((object) => Number(/\/Width (\d+)/.exec(object)?.[1]));
}

beforeEach(async () => {
  await give(null);
});

test("a logo is fetched when its URL is set, and appears on all later documents even if the URL fails", async () => {
  const before = await issueInvoice();
  const url = serve("/logo.png", pngOf(320, 90));
  expect((await give(url)).body.organization.billing_configuration).toMatchObject({ logo_url: url, logo_error: null });
  await drain();
  const withLogo = await issueInvoice();
  await give(serve("/logo.jpeg", encodeJpeg({ width: 64, height: 64, data: pixels(64, 64) }).data));
  await drain();
  const withAnother = await issueInvoice();
  await give(null);
  const after = await issueInvoice();
  expect(await picturesOn(before)).toEqual([]);
  expect(await picturesOn(withLogo)).toEqual([320]);
  expect(await picturesOn(withAnother)).toEqual([64]);
  expect(await picturesOn(after)).toEqual([]);
  expect(await shown(second)).toEqual({ logo_url: null, logo_error: null });
});

it.each<[string, () => string, string]>([
  ["an SVG", () => serve("/a", Buffer.from("<svg/>")), "image_type_is_not_supported"],
  ["a page", () => serve("/b", Buffer.from("<!doctype html>")), "image_type_is_not_supported"],
  ["half a picture", () => serve("/c", pngOf(99, 99).subarray(0, 50)), "image_is_broken"],
  ["a file of more than 1 MiB", () => serve("/d", Buffer.alloc(2 ** 20 + 1)), "answer_is_too_large"],
  ["a 404 response", () => serve("/e", pngOf(9, 9), 404), "answered_404"],
  ["a redirect", () => serve("/f", Buffer.alloc(0), 302), "answered_302"],
  ["a temporary error response", () => serve("/g", Buffer.alloc(0), 503), "answered_503"],
  ["a name that is not public", () => "https://localhost/logo.png", "name_is_not_public"],
  ["an address without TLS", () => "http://logos.example/logo.png", "https_is_required"],
])("%s is not accepted as a logo, and the organization sees the error", async (_, url, error) => {
  const logo_url = url();
  await give(logo_url);
  await drain();
  expect(await shown()).toEqual({ logo_url, logo_error: error });
});

test("without a usable logo, invoices are issued without one", async () => {
  await give(serve("/broken", Buffer.from("<svg/>")));
  await drain();
  expect(await picturesOn(await issueInvoice())).toEqual([]);
});

test("setting the same URL again fetches it again, and the image stays if that fails", async () => {
  const url = serve("/again.png", pngOf(40, 40));
  await give(url);
  await drain();
  serve("/again.png", Buffer.from("gone"));
  await give(url);
  await drain();
  expect(fetched("/again.png")).toBe(2);
  expect(await shown()).toEqual({ logo_url: url, logo_error: "image_type_is_not_supported" });
  expect(await picturesOn(await issueInvoice())).toEqual([40]);
});

test("a response for an outdated URL is discarded", async () => {
  const late = pngOf(50, 50);
  receiver.answers["/late.png"] = (answer) => void give(null).then(() => answer.end(late));
  await give(receiver.url("/late.png"));
  await drain();
  expect(await shown()).toEqual({ logo_url: null, logo_error: null });
  expect(await picturesOn(await issueInvoice())).toEqual([]);
});

test("an invalid URL is refused, and other changes fetch nothing", async () => {
  expect(await give("javascript:alert(1)")).toMatchObject({
    status: 422,
    body: { error_details: { logo_url: ["url_is_invalid"] } },
  });
  await give(serve("/once.png", pngOf(30, 30)));
  await drain();
  await call("PUT", "/organizations", { organization: { city: "Paris" } });
  await drain();
  expect(fetched("/once.png")).toBe(1);
  expect(await picturesOn(await issueInvoice())).toEqual([30]);
});
