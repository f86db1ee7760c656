import { defineErrors } from "../../../http/problem.ts";

export const signInRuleErrors = defineErrors({
  only_an_owner: {
    status: 403,
    meaning: "Only an owner who signed in changes what an organization demands of people who sign in. A key cannot.",
  },
  your_session_lacks_it: {
    status: 405,
    meaning:
      "Your own session does not meet this demand, so it would lock you out. Sign in with a second factor, or through the provider of the " +
      "organization, and then send this again.",
  },
});
