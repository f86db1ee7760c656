import { Button, type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";

const ink: MantineColorsTuple = [
  "#f4f1ea",
  "#e3ded2",
  "#cdc6b7",
  "#b0a898",
  "#8c8576",
  "#6e685b",
  "#565147",
  "#3f3b33",
  "#2c2923",
  "#1d1b17",
];
const woad: MantineColorsTuple = [
  "#eaf0f9",
  "#d2deef",
  "#a9c0e2",
  "#7c9fd3",
  "#577fbf",
  "#4169ab",
  "#355a98",
  "#2a4a7f",
  "#233f6d",
  "#1a3057",
];
const madder: MantineColorsTuple = [
  "#fbeae6",
  "#f4cfc7",
  "#eaa596",
  "#df7b66",
  "#d2573f",
  "#c2432b",
  "#b5381f",
  "#a52f1c",
  "#872515",
  "#691c0f",
];

/** Mantine's cold greys made warm, so that tracks, disabled buttons and keys belong to the paper. */
const gray: MantineColorsTuple = [
  "#faf8f3",
  "#f1eee6",
  "#e8e3d8",
  "#dcd5c7",
  "#cbc3b2",
  "#aca392",
  "#8a8274",
  "#565147",
  "#3a362e",
  "#1d1b17",
];
const dark: MantineColorsTuple = [
  "#ece7db",
  "#cfc8b9",
  "#b9b2a2",
  "#978f80",
  "#4a463c",
  "#3b3830",
  "#2a2822",
  "#1d1c18",
  "#161512",
  "#100f0d",
];

export const theme = createTheme({
  fontFamily: "var(--text)",
  fontFamilyMonospace: "var(--code)",
  headings: { fontFamily: "var(--display)", fontWeight: "500" },
  colors: { ink, woad, madder, gray, dark },
  primaryColor: "ink",
  primaryShade: { light: 9, dark: 1 },
  defaultRadius: 3,
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    Button: Button.extend({
      defaultProps: { size: "xs" },
      vars: (_theme, { variant = "filled", color }) => ({
        root:
          variant === "filled" && !color
            ? { "--button-bg": "var(--ink)", "--button-color": "var(--paper)", "--button-hover": "var(--ink-2)" }
            : {},
      }),
      styles: { label: { fontWeight: 600 } },
    }),
    TextInput: { defaultProps: { size: "xs" } },
    PasswordInput: { defaultProps: { size: "xs" } },
    Checkbox: { defaultProps: { iconColor: "var(--paper)" } },
    // Inside of its landmark; and its placeholder is no child that a menu may have.
    Menu: { defaultProps: { withinPortal: false, withInitialFocusPlaceholder: false } },
    NumberInput: { defaultProps: { size: "xs" } },
  },
});

/** Mantine's own surfaces take the same paper and ink as ours. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {
    "--mantine-color-body": "var(--paper)",
    "--mantine-color-text": "var(--ink)",
    "--mantine-color-dimmed": "var(--ink-3)",
    "--mantine-color-default": "var(--sheet)",
    "--mantine-color-default-border": "var(--rule-2)",
    "--mantine-color-default-hover": "var(--sunk)",
    "--mantine-color-default-color": "var(--ink)",
    "--mantine-color-anchor": "var(--woad)",
    "--mantine-color-placeholder": "var(--ink-3)",
    "--mantine-color-error": "var(--madder)",
  },
  light: {},
  dark: {},
});
