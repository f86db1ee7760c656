/** A question before something that cannot be taken back: the button names the effect. */
import { Button, CloseButton, Modal } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./dialog.module.css";

type Props = {
  title: string;
  /** The effect, in the words of the button. */
  effect: string;
  isPending: boolean;
  isDisabled?: boolean;
  isDanger?: boolean;
  size?: number;
  onClose: () => void;
  onConfirm: () => void;
  children: ReactNode;
};

export function Dialog({ title, effect, isPending, isDisabled, isDanger, size = 460, ...props }: Props) {
  const { onClose, onConfirm, children } = props;
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      size={size}
      radius={3}
      overlayProps={{ backgroundOpacity: 0.35 }}
      attributes={{ content: { "aria-label": title } }}
      classNames={{ content: classes.content ?? "" }}
    >
      {/* Not the library's own title: it is a header, of which a page has one. */}
      <div className={classes.head}>
        <h2>{title}</h2>
        <CloseButton aria-label="Close" onClick={onClose} />
      </div>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        {children}
        <div className={classes.buttons}>
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={isPending}
            disabled={isDisabled ?? false}
            {...(isDanger ? { color: "madder", className: classes.danger ?? "" } : {})}
          >
            {effect}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
