/** Someone else has published the plan while it was being edited: what they changed, and the way on. */
import { Dialog } from "../../ui/dialog.tsx";
import { ChangeTable } from "./change-table.tsx";
import type { Change } from "./difference.ts";

type Props = { theirs: readonly Change[]; mine: readonly Change[]; onClose: () => void; onMerge: () => void };

export function ChangedMeanwhile({ theirs, mine, onClose, onMerge }: Props) {
  const both = theirs.filter(({ key }) => mine.some((own) => own.key === key)).map(({ what }) => what);
  return (
    <Dialog
      title="The plan was changed while you edited it"
      effect="Put my changes on top"
      size={620}
      isPending={false}
      onClose={onClose}
      onConfirm={onMerge}
    >
      <p>Nothing of yours is published yet, and nothing of it is lost. This was changed by someone else:</p>
      <ChangeTable changes={theirs} />
      {both.length > 0 && (
        <p>You both changed: {both.join(", ")}. Yours is kept there; look at it before you publish.</p>
      )}
    </Dialog>
  );
}
