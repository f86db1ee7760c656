import { defineErrors } from "../../../http/problem.ts";

export const passkeyErrors = defineErrors({
  passkey_refused: {
    status: 403,
    meaning:
      "The passkey does not prove who you are. Ask for another challenge, and answer it within 5 minutes, once, at the address of this " +
      "service. If it is refused again, use another passkey, or sign in with your password.",
  },
  passkey_not_found: {
    status: 404,
    meaning: "None of your passkeys has this id. `GET /session/passkeys` lists them.",
  },
  passkey_is_known: {
    status: 405,
    meaning: "This passkey is registered already. Sign in with it, or choose another device.",
  },
});
