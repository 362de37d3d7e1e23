/** What decides about the theme, by name: the pages of the reference are built with them, too. */

export const STORED_THEME = "rialto.theme";
export const PREFERS_LIGHT = "(prefers-color-scheme: light)";
