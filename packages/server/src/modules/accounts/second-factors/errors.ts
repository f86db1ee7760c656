import { defineErrors } from "../../../http/problem.ts";

export const factorErrors = defineErrors({
  code_wrong: {
    status: 403,
    meaning:
      "The code is wrong, or it was used before. Send the code that your app shows now; if it is refused again, set the clock of the " +
      "device right, or send a recovery code.",
  },
  pending_sign_in_not_found: {
    status: 404,
    meaning: "This sign-in was finished, or its 5 minutes are over. Send the password to `POST /session` again.",
  },
  totp_is_active: {
    status: 405,
    meaning: "You have an authenticator app already. Remove it at `DELETE /session/totp`, and then add another one.",
  },
  totp_not_found: {
    status: 404,
    meaning: "You have no authenticator app, or none that waits for its first code. Begin at `POST /session/totp`.",
  },
  no_second_factor: {
    status: 405,
    meaning: "Recovery codes replace a second factor, and you have none. Add an authenticator app or a passkey first.",
  },
});
