/** What a program wrote, as far as it is kept. */
export interface KeptOutput {
  readonly text: string;
  readonly bytes: number;
  readonly isCut: boolean;
}

/** Takes a stream to its end and keeps its beginning and its end: what lies between is let go as it comes. */
export class HeldOutput {
  readonly #halfBytes: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;

  /** Keeps so many bytes, a little more where a line says what was left out. */
  constructor(stream: NodeJS.ReadableStream, keptBytes: number) {
    this.#halfBytes = Math.floor(keptBytes / 2);
    stream.on('data', (piece: Buffer | string) => this.#take(Buffer.from(piece)));
    // How a program ended is told by its exit.
    stream.on('error', () => undefined);
  }

  /** What has come so far. */
  read(): KeptOutput {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-this.#halfBytes);
    const left = this.#bytes - head.length - tail.length;
    const isCut = left > 0;
    const text = isCut
      ? `${toText(head)}\n[… ${left} bytes left out …]\n${toText(tail)}`
      : toText(Buffer.concat([head, tail]));
    return { text, bytes: this.#bytes, isCut };
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.length;
    const room = this.#halfBytes - this.#headBytes;
    if (room > 0) {
      // A copy: the piece is a part of a larger buffer that would be kept with it.
      const kept = Buffer.from(piece.subarray(0, room));
      this.#head.push(kept);
      this.#headBytes += kept.length;
    }
    const rest = piece.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(Buffer.from(rest.subarray(-this.#halfBytes)));
    this.#tailBytes += Math.min(rest.length, this.#halfBytes);
    if (this.#tailBytes < 2 * this.#halfBytes) return;
    this.#tail = [Buffer.concat(this.#tail).subarray(-this.#halfBytes)];
    this.#tailBytes = this.#halfBytes;
  }
}

/** As text; what is no UTF-8, such as half a character at a cut, becomes a replacement character. */
function toText(bytes: Buffer): string {
  return bytes.toString('utf8');
}
