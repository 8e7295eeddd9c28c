/** A program for the sandbox of JavaScript. */
export interface JavascriptJob {
  readonly code: string;
  /** What the program finds as `input`, as JSON. */
  readonly input: string;
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  /** The most characters of its result as JSON, and of what it prints. */
  readonly maxResultChars: number;
  readonly maxPrintedChars: number;
}

/** What became of a program. */
export type JavascriptReport =
  | {
      readonly kind: 'returned';
      /** As JSON; null where it returned nothing that JSON knows. */
      readonly result: string | null;
      readonly printed: string;
      readonly isPrintCut: boolean;
    }
  | { readonly kind: 'threw'; readonly message: string }
  | { readonly kind: 'refused'; readonly limit: 'time' | 'memory' | 'stack' | 'result' };
