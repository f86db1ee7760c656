/** How a person calls our commands. */

/** What `npm run` starts in the repository and `tallystick` in the package. */
const COMMANDS = [
  ...["start", "dev", "sandbox", "init", "migrate", "organizations", "users", "keys"],
  ...["billing", "usage", "verify", "secrets", "trail"],
];

const IN_REPOSITORY = new RegExp(`\\bnpm (?:run )?(?:-s )?(${COMMANDS.join("|")})\\b(?: --(?=\\s))?`, "g");

/**
 * Our messages name commands as they are called in the repository. The build passes every text of the package through this function, so that
 * no message can forget it: `npm run billing -- held` is `tallystick billing held`.
 */
export const asCalledFromPackage = (text: string): string => text.replaceAll(IN_REPOSITORY, "tallystick $1");
