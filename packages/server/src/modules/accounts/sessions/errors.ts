import { defineErrors, type Problem, refusal } from "../../../http/problem.ts";

export const sessionErrors = defineErrors({
  session_not_found: {
    status: 404,
    meaning: "None of your sessions has this id, or it has ended. `GET /session/sessions` lists them.",
  },
  link_not_found: {
    status: 404,
    meaning:
      "This link does not work: it is misspelled, it was used, or its time is over. Ask for another one; on the server, `npm run users -- reset` or `npm run organizations -- setup-link` prints one.",
  },
  sign_in_first: {
    status: 403,
    meaning: "A person with this mail address exists. Sign in as that person, and then open the link again.",
  },
  invitation_for_another_address: {
    status: 403,
    meaning:
      "This invitation is for another mail address than the one that you signed in with. Sign out, and open the link again.",
  },
  own_proof_needed: {
    status: 403,
    meaning:
      "Your session shows only what an identity provider says of you. Prove who you are with your password or a passkey at " +
      "`POST /session/proofs`, and then send this again.",
  },
  second_factor_first: {
    status: 403,
    meaning:
      "You have a second factor, and this session has not proved it. Send a code or a passkey to `POST /session/proofs`, and then send this " +
      "again.",
  },
  password_wrong: {
    status: 403,
    meaning: "The password is wrong. Send the one that you sign in with.",
  },
});

/** The same for an unknown address, a wrong password, and a person who may not sign in. */
export const signInRefused = (): Problem =>
  refusal(401, "sign_in_refused", {
    message:
      "The mail address or the password is wrong. Check both; a forgotten password is replaced at `POST /session/password-resets`.",
  });
