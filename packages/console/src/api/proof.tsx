/** A sensitive change asks, in place, for a proof of who you are if the last one is too old, and is then sent again. */
import { TextInput } from "@mantine/core";
import { TallystickError } from "@tallystick/client";
import { type ReactNode, useState } from "react";
import { Problem } from "./problem.tsx";
import classes from "./proof.module.css";
import { callSession } from "./session.ts";

const isProofNeeded = (error: unknown): boolean => error instanceof TallystickError && error.code === "proof_needed";

const KINDS = {
  password: { label: "Your password", autoComplete: "current-password", type: "password", other: "Use a code instead" },
  code: {
    label: "Code of your authenticator app",
    autoComplete: "one-time-code",
    type: "text",
    other: "Use my password",
  },
} as const;

type Proof = {
  /** Sends the proof, if there is one, and then the change. */
  prove: <Answer>(change: () => Promise<Answer>) => Promise<Answer>;
  /** The question, once it is needed, and any other refusal. */
  ask: (error: unknown) => ReactNode;
};

export function useProof(): Proof {
  const [isNeeded, setNeeded] = useState(false);
  const [kind, setKind] = useState<keyof typeof KINDS>("password");
  const [text, setText] = useState("");
  const { label, other, ...input } = KINDS[kind];
  return {
    prove: async (change) => {
      if (text) await callSession("/session/proofs", { method: "POST", body: { [kind]: text } });
      setText("");
      try {
        return await change();
      } catch (error) {
        if (isProofNeeded(error)) setNeeded(true);
        throw error;
      }
    },
    ask: (error) => (
      <>
        {isNeeded && (
          <div className={classes.proof}>
            <p>Your last sign-in is more than 15 minutes ago. Confirm that it is you.</p>
            <TextInput
              {...input}
              label={label}
              required
              withAsterisk={false}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <button type="button" onClick={() => setKind(kind === "password" ? "code" : "password")}>
              {other}
            </button>
          </div>
        )}
        <Problem error={isProofNeeded(error) ? undefined : error} />
      </>
    ),
  };
}
