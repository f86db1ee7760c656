/** What is rarely done with an invoice. */
import { Button, Menu } from "@mantine/core";
import { Ellipsis } from "lucide-react";
import type { InvoiceDialogName } from "./invoice-dialogs.tsx";
import classes from "./invoice-page.module.css";

export type RareAction = { label: string; dialog: InvoiceDialogName; refusal: string | undefined };

type Props = { actions: readonly RareAction[]; onChoose: (dialog: InvoiceDialogName) => void };

export function MoreActions({ actions, onChoose }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" px={8} aria-label="More actions">
          <Ellipsis size={16} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ label, dialog, refusal }) => (
          <Menu.Item key={dialog} disabled={refusal !== undefined} title={refusal} onClick={() => onChoose(dialog)}>
            {label}
            {refusal && <span className={classes.reason}>{refusal}</span>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
