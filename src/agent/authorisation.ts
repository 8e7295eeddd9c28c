/** What a person said to a call that waits for consent. */
export type Authorisation =
  | {
      readonly kind: 'approved';
      /** Calls after this one that are made without asking. */ readonly next: number;
    }
  | { readonly kind: 'denied' }
  /** The call is not made; the text goes to the model. */
  | { readonly kind: 'feedback'; readonly text: string }
  /** Nothing was said: the question is asked again. */
  | { readonly kind: 'unclear' };

/** The most calls that one answer authorises beside its own. */
export const MOST_AUTHORISED = 1000;

const APPROVAL = /^y(?:es)?(?:\s+-\s*(\d{1,15}))?$/i;

/**
 * Reads the answer of a person: `y`, `y -N` for this call and the next N (1000 at most), `n`, and any other text as
 * feedback. What only resembles an approval is feedback: it never runs a call.
 */
export function parseAuthorisation(answer: string): Authorisation {
  const text = answer.trim();
  if (text === '') return { kind: 'unclear' };
  const approval = APPROVAL.exec(text);
  if (approval !== null) {
    return { kind: 'approved', next: Math.min(Number(approval[1] ?? 0), MOST_AUTHORISED) };
  }
  return /^no?$/i.test(text) ? { kind: 'denied' } : { kind: 'feedback', text };
}
