/** Longest message that is taken, in characters. */
export const MAX_LINE_CHARS = 16 * 1024 * 1024;
/** What a server may print between two messages before it is taken for a flood. */
export const MAX_NOISE_CHARS = 32 * 1024 * 1024;

const MAX_FIRST_CHARS = 100_000;
/** How an answer begins, whatever the order of its fields. */
const FIRST_ANSWER = /\{\s{0,9}"(?:jsonrpc|id|result)"\s{0,9}:/;

/** Divides what a server prints into the lines that may be messages; other lines are noise, which is dropped. */
export class LineBuffer {
  readonly #decoder = new TextDecoder();
  #parts: string[] = [];
  #chars = 0;
  #noiseChars = 0;
  #hasMessage = false;

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

  /** A text that a server prints when it starts, without a line break, stands in one line with its first answer. */
  #messageOf(line: string): string {
    if (this.#hasMessage || line.startsWith('{') || line.length > MAX_FIRST_CHARS) return line;
    const start = FIRST_ANSWER.exec(line)?.index;
    // What has a method is no answer, but may be the echo of a request.
    return start === undefined || line.includes('"method"') ? line : line.slice(start);
  }

  #end(lines: string[]): void {
    const line = this.#messageOf(this.#parts.join('').trim());
    this.#parts = [];
    this.#chars = 0;
    if (line.startsWith('{')) {
      this.#noiseChars = 0;
      this.#hasMessage ||= FIRST_ANSWER.test(line);
      lines.push(line);
      return;
    }
    this.#noiseChars += line.length + 1;
    if (this.#noiseChars > MAX_NOISE_CHARS) {
      throw new Error(`it printed more than ${MAX_NOISE_CHARS} characters that are no message`);
    }
  }
}
