/** Largest text that a built-in tool reads from a file or writes to one. */
export const MAX_TEXT_BYTES = 4 * 1024 * 1024;
