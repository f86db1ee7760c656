import { defineErrors } from "../../../http/problem.ts";

export const mailErrors = defineErrors({
  customer_has_no_email: {
    status: 405,
    meaning: "The customer has no email address. Add one and try again.",
  },
  mail_already_sent: {
    status: 405,
    meaning: "The email of this document was sent or is being sent. A document is emailed only once.",
  },
});
