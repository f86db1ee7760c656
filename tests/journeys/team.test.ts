/** Who may act for an organization, and what was done in it. */
import { describe, expect, test } from "vitest";
import { modesOr } from "./modes.ts";
import { expectAccessible, openConsole } from "./open-console.ts";

const console = await openConsole(1);
const MODES = modesOr("dark", "phone");
const { id: organization = "", key = "" } = console.organizations[0] ?? {};

describe.each(MODES)("in %s", (mode) => {
  test("a person is invited, another gets a role and is removed, and the activity has it all", async () => {
    const email = `${crypto.randomUUID().slice(0, 8)}@example.com`;
    const { email: colleague } = await console.openAs(mode, organization, { role: "support" });
    const { page, faults } = await console.openAs(mode, organization);
    await page.goto(`/o/${organization}/team`);
    await page.getByRole("region", { name: "Roles by resource" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Invite a person" }).click();
    await page.getByLabel("Email").fill(email);
    await page.getByLabel("Role", { exact: true }).selectOption("finance");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const invited = page.getByRole("region", { name: "Invitations" }).getByRole("listitem").filter({ hasText: email });
    await page.getByText("It is shown only now").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await invited.getByText("finance").waitFor();
    await expectAccessible(page);
    await invited.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke it" }).click();
    await invited.waitFor({ state: "detached" });

    const { members } = (await console.service.call("GET", "/members", undefined, { key })).body;
    const at = members.findIndex((member: { email: string }) => member.email === colleague);
    const row = page.getByRole("row").nth(at + 1);
    await row.getByRole("button", { name: "Role" }).click();
    await page.getByRole("dialog").getByLabel("Role").selectOption("developer");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Change the role" }).click();
    await expect.poll(async () => await roleOf(colleague), { timeout: 60_000 }).toBe("developer");
    await row.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByText(colleague).waitFor();
    await expectAccessible(page);
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Remove / })
      .click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await roleOf(colleague)).toBeUndefined();

    await page.goto(`/o/${organization}/activity?by=person`);
    const list = page.getByRole("list", { name: "Activity" });
    await list.getByText("Delete member").first().waitFor();
    for (const done of ["Create invitation", "Delete invitation", "Update member"])
      await list.getByText(done).first().waitFor();
    await console.service.call("PUT", "/organizations", { organization: { legal_name: email } }, { key });
    await page.goto(`/o/${organization}/activity`);
    await list.getByText("1 member").first().click();
    await list.getByText(email).first().waitFor();
    await expectAccessible(page);
    expect(faults).toEqual([]);
  });
});

async function roleOf(email: string): Promise<string | undefined> {
  const { body } = await console.service.call("GET", "/members", undefined, { key });
  return body.members.find((member: { email: string }) => member.email === email)?.role;
}
