/** A webhook's state, and the last answer to it, in words. */
import type { Webhook } from "@tallystick/client";
import type { State } from "../../ui/status.tsx";

export const STATES: Readonly<Record<Webhook["status"], State>> = {
  pending: "waiting",
  retrying: "retrying",
  succeeded: "delivered",
  failed: "undelivered",
};

/** Why there was no answer, as the log says it. */
const ERRORS: Readonly<Record<string, string>> = { timed_out: "No answer in time" };

export const answerInWords = ({ http_status, last_error }: Pick<Webhook, "http_status" | "last_error">): string => {
  if (http_status !== null) return String(http_status);
  return last_error === null ? "" : errorInWords(last_error);
};

export const errorInWords = (error: string): string => {
  const words = ERRORS[error] ?? error.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};
