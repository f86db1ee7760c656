/** A change of one invoice: the page shows the answer at once, and lists read again. */
import type { InvoiceWithFees } from "@tallystick/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { invoiceQuery } from "./queries.ts";

type Api = ReturnType<typeof apiOf>;

export function useInvoiceChange(
  organization: string,
  id: string,
  { change, onDone }: { change: (api: Api) => Promise<InvoiceWithFees>; onDone?: () => void },
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => change(apiOf(organization)),
    onSuccess: async (invoice) => {
      queryClient.setQueryData(invoiceQuery(organization, id).queryKey, invoice);
      onDone?.();
      await queryClient.invalidateQueries({ queryKey: ["invoices", organization] });
      await queryClient.invalidateQueries({ queryKey: ["credit-notes", organization] });
    },
  });
}
