/** A secret that is shown once, ready for an environment file. Only a press of the button closes it. */
import { Button, Modal } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import dialog from "./dialog.module.css";
import classes from "./secret-dialog.module.css";

type Props = {
  title: string;
  /** By the name of the environment variable. */
  lines: Readonly<Record<string, string>>;
  note: string;
  onClose: () => void;
};

export function SecretDialog({ title, lines, note, onClose }: Props) {
  const clipboard = useClipboard();
  const text = Object.entries(lines)
    .map(([name, value]) => `${name}=${value}`)
    .join("\n");
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      size={560}
      radius={3}
      overlayProps={{ backgroundOpacity: 0.35 }}
      attributes={{ content: { "aria-label": title } }}
      classNames={{ content: dialog.content ?? "" }}
    >
      <div className={dialog.head}>
        <h2>{title}</h2>
      </div>
      <div className={dialog.form}>
        <p>{note}</p>
        <pre className={classes.lines}>{text}</pre>
        {clipboard.error && <p role="alert">The browser does not let this page copy. Select the lines instead.</p>}
        <div className={dialog.buttons}>
          <Button variant="default" onClick={onClose}>
            I have stored it
          </Button>
          <Button data-autofocus onClick={() => clipboard.copy(text)}>
            {clipboard.copied ? "Copied" : "Copy"}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
