export { invitationErrors } from "./errors.ts";
export { makeInvitation } from "./make-invitation.ts";
export { invitationRoutes, type MailPerson } from "./routes.ts";
export { deleteInvitation, findInvitationByEmail, findInvitationByToken } from "./store.ts";
