/** The fields of a text of `/proc/<pid>/stat` from the third one, the state, on. */
export function processStatFields(text: string): string[] {
  // The name of the program, in parentheses, may hold anything.
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
