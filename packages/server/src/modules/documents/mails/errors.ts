import { defineErrors } from "../../../http/problem.ts";

export const mailErrors = defineErrors({
  customer_has_no_email: {
    status: 405,
    meaning: "The customer has no email address. Give it one, and ask again.",
  },
  mail_already_sent: {
    status: 405,
    meaning: "The mail of this document was sent or is on its way, and no document is mailed twice.",
  },
});
