/** Longest message that is taken, in characters. */
export const MAX_LINE_CHARS = 16 * 1024 * 1024;
/** What a server may print between two messages before it is taken for a flood. */
export const MAX_NOISE_CHARS = 32 * 1024 * 1024;

/** Divides what a server prints into the lines that may be messages; other lines are noise, which is dropped. */
export class LineBuffer {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #chars = 0;
  #noiseChars = 0;

  /** The lines that are complete and look like messages. Throws where the server floods. */
  push(chunk: Uint8Array): string[] {
    const lines: string[] = [];
    let text = this.#decoder.decode(chunk, { stream: true });
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      this.#take(text.slice(0, end));
      this.#end(lines);
      text = text.slice(end + 1);
    }
    if (text !== '') this.#take(text);
    return lines;
  }

  #take(part: string): void {
    this.#chars += part.length;
    if (this.#chars > MAX_LINE_CHARS)
      throw new Error(`it printed a line of more than ${MAX_LINE_CHARS} characters`);
    this.#parts.push(part);
  }

  #end(lines: string[]): void {
    const line = this.#parts.join('').trim();
    this.#parts = [];
    this.#chars = 0;
    if (line.startsWith('{')) {
      this.#noiseChars = 0;
      lines.push(line);
      return;
    }
    this.#noiseChars += line.length + 1;
    if (this.#noiseChars > MAX_NOISE_CHARS) {
      throw new Error(`it printed more than ${MAX_NOISE_CHARS} characters that are no message`);
    }
  }
}
