/** The way up, to what the page is a part of. */
import { createLink } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import type { ComponentPropsWithRef } from "react";
import classes from "./back-link.module.css";

export const BackLink = createLink(({ children, ...anchor }: ComponentPropsWithRef<"a">) => (
  <a {...anchor} className={classes.back}>
    <ChevronLeft size={14} aria-hidden="true" /> {children}
  </a>
));
