/** A button that says why it cannot be used. */
import { Button, type ButtonProps } from "@mantine/core";
import { type MouseEventHandler, type ReactNode, useId } from "react";
import classes from "./action.module.css";

type Props = ButtonProps & {
  refusal?: string | undefined;
  onClick?: MouseEventHandler<HTMLButtonElement>;
  children: ReactNode;
};

/** Not `disabled`: a disabled button gets no focus, so that keyboards and screen readers never find the reason. */
export function Action({ refusal, onClick, children, ...button }: Props) {
  const id = useId();
  if (refusal === undefined)
    return (
      <Button {...button} {...(onClick ? { onClick } : {})}>
        {children}
      </Button>
    );
  return (
    <span className={classes.refused}>
      <Button
        {...button}
        data-disabled
        aria-disabled="true"
        aria-describedby={id}
        onClick={(event) => event.preventDefault()}
      >
        {children}
      </Button>
      <span id={id} role="tooltip" className={classes.reason}>
        {refusal}
      </span>
    </span>
  );
}
