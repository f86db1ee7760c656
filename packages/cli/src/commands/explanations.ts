/** `tallystick invoices …` and `tallystick fees …`: what an invoice will be, and why it is what it is. */
import type { Command } from "commander";
import type { Context } from "../io.ts";
import { addApiCommand } from "./api-command.ts";

export function addExplanations(program: Command, context: Context): void {
  const invoices = program.command("invoices").description("Preview and explain invoices");
  addApiCommand(
    invoices
      .command("preview")
      .description("Show the next invoice of a subscription. Nothing is stored or spent")
      .argument("<subscription>", "external id of the subscription"),
    context,
    async ({ tally, print }, _, subscription) => {
      const invoice = await tally.invoices.preview({ external_subscription_id: subscription });
      const { currency, fees, total_amount_cents, taxes_amount_cents, sub_total_excluding_taxes_amount_cents } =
        invoice;
      const row = (name: string, cents: number | bigint) => `${name}: ${cents} cents ${currency}`;
      print(invoice, [
        ...fees.map((fee) => row(fee.item.name, fee.amount_cents)),
        row("Subtotal", sub_total_excluding_taxes_amount_cents),
        row("Taxes", taxes_amount_cents),
        row("Total", total_amount_cents),
      ]);
    },
  );
  addApiCommand(
    invoices
      .command("explain")
      .description("Explain how an invoice was computed")
      .argument("<id>", "svc_id of the invoice"),
    context,
    async ({ tally, print }, _, id) => {
      const explanation = await tally.invoices.getExplanation(id);
      const ofFees = explanation.fees.flatMap(({ name, svc_fee_id, text }) => [
        "",
        `${name} (${svc_fee_id})`,
        ...text.map((line) => `  ${line}`),
      ]);
      print(explanation, [...explanation.text, ...ofFees]);
    },
  );
  const fees = program.command("fees").description("Explain fees");
  addApiCommand(
    fees.command("explain").description("Explain how a fee was computed").argument("<id>", "svc_id of the fee"),
    context,
    async ({ tally, print }, _, id) => {
      const explanation = await tally.fees.getExplanation(id);
      print(explanation, explanation.text);
    },
  );
}
