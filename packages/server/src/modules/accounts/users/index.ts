export { type Attempts, createAttempts } from "./attempts.ts";
export { emailSchema, normalizeEmail, readEmail } from "./email.ts";
export { createPasswords, type Passwords } from "./password.ts";
export { demandGoodPassword, passwordSchema } from "./password-rules.ts";
export {
  countAttempt,
  findUser,
  findUserByEmail,
  forgetAttempts,
  forgiveAttempt,
  insertUser,
  listUsers,
  organizationsOfEmail,
  setDisabled,
  setPassword,
  type User,
} from "./store.ts";
