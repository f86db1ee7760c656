import { defineErrors } from "../../../http/problem.ts";

export const identityProviderErrors = defineErrors({
  identity_provider_not_found: { status: 404, meaning: "No identity provider of this organization has that id." },
  identity_provider_not_reached: {
    status: 503,
    meaning:
      "The identity provider did not answer as it should. Try again in a minute. If it stays so, an owner checks the issuer in the settings " +
      "of the identity provider; until then, sign in with a password or a passkey where the organization allows it.",
  },
  provider_sign_in_unknown: {
    status: 403,
    meaning:
      "This sign-in was finished, began in another browser, or took more than 10 minutes. Begin again with your mail address.",
  },
  provider_refused: {
    status: 403,
    meaning:
      "The identity provider did not sign you in. Begin again, or ask whoever runs it whether you may use this service.",
  },
  provider_answer_invalid: {
    status: 403,
    meaning:
      "What the identity provider said cannot be trusted: it was for another client, too old, used before, or not signed with its key. Begin " +
      "again; if it stays so, an owner checks the settings of the identity provider.",
  },
  mail_not_verified: {
    status: 403,
    meaning:
      "The identity provider does not say that your mail address is verified (`email_verified`). Ask whoever runs it to verify the address, " +
      "or to send that claim.",
  },
  mail_domain_not_approved: {
    status: 403,
    meaning:
      "The identity provider does not speak for the domain of your mail address. An owner adds the domain to it, and the operator of this " +
      "installation approves it with `npm run users -- approve-domain`.",
  },
  account_exists: {
    status: 403,
    meaning:
      "A person with your mail address exists and is no member of this organization. Open the link of your invitation; or sign in with your " +
      "password, and then begin again in the same browser.",
  },
  not_a_member: {
    status: 403,
    meaning: "You are not a member of this organization. Ask one of its owners or admins for an invitation.",
  },
});
