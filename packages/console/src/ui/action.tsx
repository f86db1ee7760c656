/** A button that says why it cannot be used. */
import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import type { MouseEventHandler, ReactNode } from "react";

type Props = ButtonProps & {
  refusal?: string | undefined;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  children: ReactNode;
};

/** Not `disabled`: a disabled button gets no focus, so that keyboards and screen readers never find the reason. */
export function Action({ refusal, onClick, children, ...button }: Props) {
  if (refusal === undefined)
    return (
      <Button {...button} {...(onClick ? { onClick } : {})}>
        {children}
      </Button>
    );
  return (
    <Tooltip label={refusal} withinPortal={false} events={{ hover: true, focus: true, touch: true }}>
      <Button {...button} data-disabled aria-disabled="true" onClick={(event) => event.preventDefault()}>
        {children}
      </Button>
    </Tooltip>
  );
}
