import { defineErrors } from "../../../http/problem.ts";

export const invitationErrors = defineErrors({
  invitation_not_found: {
    status: 404,
    meaning:
      "No invitation of this organization has this id. It was accepted or revoked, or its id is misspelled; `GET /invitations` lists those that wait.",
  },
});
