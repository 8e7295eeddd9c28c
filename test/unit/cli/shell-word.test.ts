import { expect, it } from 'vitest';
import { shellWord } from '../../../src/cli/shell-word.ts';

it('quotes only what a shell would take apart', () => {
  expect(shellWord('examples/city-compare/task.yaml')).toBe('examples/city-compare/task.yaml');
  expect(shellWord('my task.yaml')).toBe("'my task.yaml'");
  expect(shellWord("it's $HOME")).toBe("'it'\\''s $HOME'");
  expect(shellWord('')).toBe("''");
});
