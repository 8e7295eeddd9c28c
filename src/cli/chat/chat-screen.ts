/** Where a conversation is shown. */
export interface ChatScreen {
  /** Whether pieces of an answer are shown while they come. */
  readonly isStreaming: boolean;
  /** Width that lines beside the conversation are cut to. */
  readonly columns: number;
  /** A piece of an answer that is under way. */
  delta(text: string): void;
  /** Ends the answer under way, whole or not. */
  endAnswer(): void;
  /** A whole answer. */
  answer(text: string): void;
  /** Something beside the conversation, such as a call of a tool; colours may be in it. */
  note(text: string): void;
  /** What goes on just now, until something else does; null for nothing. */
  status(text: string | null): void;
  /** What the person is asked for: the empty text for the next message. */
  prompt(text: string): void;
  /** Leaves the screen as it should stay. */
  close(): void;
}

/** What comes from the person. */
export interface ChatListener {
  /** A message, a command, or an answer. */
  onLine(text: string): void;
  /** Ctrl-C. */
  onInterrupt(): void;
  /** Nothing more comes. */
  onEnd(): void;
}
