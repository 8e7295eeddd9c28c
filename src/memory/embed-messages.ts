/** What a process that embeds is told once, before anything else. */
export interface LoadMessage {
  readonly type: 'load';
  /** URL of the package that runs the model. */
  readonly library: string;
  /** True for the line before the maintained one, whose options have other names. */
  readonly isOldLine: boolean;
  /** The folder that holds the model's folder. */
  readonly root: string;
  readonly model: string;
}

/** What it is told. */
export type EmbedInput =
  LoadMessage | { readonly type: 'embed'; readonly call: number; readonly text: string };

/** What it tells. */
export type EmbedOutput =
  | { readonly type: 'loaded' }
  | { readonly type: 'load-failed'; readonly message: string }
  | { readonly type: 'embedded'; readonly call: number; readonly vector: Float32Array }
  | { readonly type: 'failed'; readonly call: number; readonly message: string };
