/** More than any code of a letter. */
const CODES = 0x1_0000;

/** Follows a text letter by letter: which form ends at each, and how far back one may have begun that has yet to end. */
export class FormAutomaton {
  readonly #next = new Map<number, number>();
  /** For each state that of the longest text within it, from a later place on, that also begins a form. */
  readonly #back = [0];
  readonly #ending = [0];
  readonly #open = [0];

  constructor(forms: readonly string[]) {
    const parents = new Set<number>();
    const depths = [0];
    let growing = forms.map((form) => ({ form, state: 0 }));
    // By depth, so that what a state goes back to is there before it.
    for (let depth = 0; growing.length > 0; depth++) {
      growing = growing.filter(({ form }) => form.length > depth);
      for (const path of growing) {
        const code = path.form.charCodeAt(depth);
        const from = path.state;
        const known = this.#next.get(from * CODES + code);
        path.state = known ?? depths.length;
        if (known === undefined) {
          const back = from === 0 ? 0 : this.step(this.#back[from] ?? 0, code);
          this.#next.set(from * CODES + code, path.state);
          parents.add(from);
          depths.push(depth + 1);
          this.#back.push(back);
          this.#ending.push(this.#ending[back] ?? 0);
        }
        if (path.form.length === depth + 1) this.#ending[path.state] = depth + 1;
      }
    }
    for (let state = 1; state < depths.length; state++)
      this.#open[state] = (parents.has(state) ? depths[state] : this.#open[this.#back[state] ?? 0]) ?? 0;
  }

  /** The state after one more letter; a text begins with state 0. */
  step(state: number, code: number): number {
    for (let from = state; ; from = this.#back[from] ?? 0) {
      const next = this.#next.get(from * CODES + code);
      if (next !== undefined) return next;
      if (from === 0) return 0;
    }
  }

  /** The length of the longest form that ends here, or 0. */
  endingAt(state: number): number {
    return this.#ending[state] ?? 0;
  }

  /** The length of the longest end of the text that a form begins with and goes on after, or 0. */
  openAt(state: number): number {
    return this.#open[state] ?? 0;
  }
}
