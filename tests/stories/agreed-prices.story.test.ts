// A price can be agreed with one customer. A new plan price applies to the next fee of all others.

import { story } from "./dsl/story.ts";

story("A price agreed with one customer does not affect other customers", async ({ given, clock, then }) => {
  await given.plan("basic", { monthly: "31.00", paid: "in advance" });
  await clock.is("2024-01-01");
  const special = await given.customer("special").subscribesTo("basic", { amount: "50.00" });
  const plain = await given.customer("plain").subscribesTo("basic");
  await special.subscribesTo("basic");
  await then.invoicesOf(special).read("INV-001-001  2024-01-01  50.00");
  await then.invoicesOf(plain).read("INV-002-001  2024-01-01  31.00");
  await clock.is("2024-02-01");
  await then.latestInvoiceOf(special).reads(`
    Invoice INV-001-002 of 2024-02-01, due 2024-02-01
    2024-02-01 to 2024-02-29
    Basic plan    50.00
    Total EUR     50.00`);
});

story("A new price of the plan applies to the next fee", async ({ given, clock, office, then }) => {
  await given.plan("basic", { monthly: "31.00" });
  await clock.is("2024-01-01");
  const acme = await given.customer("acme").subscribesTo("basic");
  await clock.is("2024-02-10");
  await office.changesPlan("basic", { amount: "58.00" });
  await clock.is("2024-03-01");
  await then.invoicesOf(acme).read(`
    INV-001-001  2024-02-01  31.00
    INV-001-002  2024-03-01  58.00`);
});
