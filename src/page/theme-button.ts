import { button } from './element.ts';

type Theme = 'light' | 'dark';

/** A button between dark and light; at first the page is as the system is. */
export function themeButton(): HTMLButtonElement {
  const root = document.documentElement;
  const systemTheme = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
  const current = (): Theme => (root.dataset['theme'] as Theme | undefined) ?? systemTheme();
  const made = button('', { class: 'quiet' }, () => {
    root.dataset['theme'] = current() === 'dark' ? 'light' : 'dark';
    name();
  });
  const name = (): void => {
    const other = current() === 'dark' ? 'light' : 'dark';
    made.textContent = other === 'dark' ? '☾ Dark' : '☀ Light';
    made.setAttribute('aria-label', `Show the page ${other}`);
  };
  name();
  return made;
}
