/* Moves and scales the graph: by pointer, by wheel with Ctrl, and by whoever asks. */

interface View {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly scale: number;
}

/** Below this scale texts cannot be read: nodes of open groups are drawn as patches. */
export const READABLE_SCALE = 0.42;
/** Below this one names of groups are written larger. */
const SMALL_SCALE = 0.7;
const LEAST_SCALE = 0.05;
const MOST_SCALE = 2.5;
/** A graph is never fitted smaller than this: it is scrolled instead. */
const FITTED_SCALE = 0.5;
const MARGIN = 24;
const HEIGHTS = { least: 220, most: 600 };

/** See above. */
export class GraphCamera {
  readonly frame: HTMLElement;
  /** Whether the last press moved the graph, and so was no click. */
  wasDragged = false;
  readonly #canvas: SVGSVGElement;
  readonly #scene: SVGGElement;
  readonly #onMove: () => void;
  readonly #onTouch: () => void;
  readonly #onWidth: () => void;
  #width = 0;
  #x = 0;
  #y = 0;
  #scale = 1;
  #isDue = false;

  constructor(
    frame: HTMLElement,
    canvas: SVGSVGElement,
    scene: SVGGElement,
    { onMove, onTouch, onWidth }: Record<'onMove' | 'onTouch' | 'onWidth', () => void>,
  ) {
    this.frame = frame;
    this.#canvas = canvas;
    this.#scene = scene;
    this.#onMove = onMove;
    this.#onTouch = onTouch;
    this.#onWidth = onWidth;
    frame.addEventListener('pointerdown', (event) => this.#drag(event));
    frame.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    new ResizeObserver(() => {
      if (frame.clientWidth !== this.#width) this.#onWidth();
      this.#width = frame.clientWidth;
      this.#moved();
    }).observe(frame);
  }

  /** What can be seen, in lengths of the graph. */
  view(): View {
    const { clientWidth, clientHeight } = this.frame;
    const at = (length: number, origin: number): number => (length - origin) / this.#scale;
    return {
      ...{ left: at(0, this.#x), top: at(0, this.#y), scale: this.#scale },
      ...{ right: at(clientWidth, this.#x), bottom: at(clientHeight, this.#y) },
    };
  }

  /** Shows a graph of this size as a whole, or its beginning where it would become too small to read. */
  fit(width: number, height: number): void {
    const room = this.frame.clientWidth - 2 * MARGIN;
    const byWidth = Math.min(1, room / Math.max(1, width));
    const wanted = Math.max(
      FITTED_SCALE,
      Math.min(byWidth, (HEIGHTS.most - 2 * MARGIN) / Math.max(1, height)),
    );
    this.#scale = Math.min(1, wanted);
    const shown = Math.min(HEIGHTS.most, Math.max(HEIGHTS.least, height * this.#scale + 2 * MARGIN));
    this.frame.style.height = `${shown}px`;
    const isWide = width * this.#scale > room;
    this.#x = isWide ? MARGIN : (this.frame.clientWidth - width * this.#scale) / 2;
    this.#y = height * this.#scale + 2 * MARGIN > shown ? MARGIN : (shown - height * this.#scale) / 2;
    this.#moved();
  }

  /** Makes the graph larger by a factor, around the middle or a point of the frame. */
  zoom(factor: number, atX = this.frame.clientWidth / 2, atY = this.frame.clientHeight / 2): void {
    const scale = Math.min(MOST_SCALE, Math.max(LEAST_SCALE, this.#scale * factor));
    this.#x = atX - ((atX - this.#x) * scale) / this.#scale;
    this.#y = atY - ((atY - this.#y) * scale) / this.#scale;
    this.#scale = scale;
    this.#onTouch();
    this.#moved();
  }

  /** Moves the graph no further than needed to have a part of it in view. */
  show(part: { x: number; y: number; width: number; height: number }): void {
    const { clientWidth, clientHeight } = this.frame;
    if (this.#scale < FITTED_SCALE) this.#scale = 0.8;
    const near = (origin: number, from: number, length: number, room: number): number => {
      const [start, end] = [origin + from * this.#scale, origin + (from + length) * this.#scale];
      if (end - start > room - 2 * MARGIN || start < MARGIN) return origin + MARGIN - start;
      return end > room - MARGIN ? origin - (end - room + MARGIN) : origin;
    };
    this.#x = near(this.#x, part.x, part.width, clientWidth);
    this.#y = near(this.#y, part.y, part.height, clientHeight);
    this.#moved();
  }

  #drag(down: PointerEvent): void {
    this.wasDragged = false;
    if (down.button !== 0) return;
    const [startX, startY] = [this.#x - down.clientX, this.#y - down.clientY];
    const move = (event: PointerEvent): void => {
      const length = Math.hypot(event.clientX - down.clientX, event.clientY - down.clientY);
      if (!this.wasDragged && length < 4) return;
      this.wasDragged = true;
      this.frame.classList.add('moving');
      this.#x = startX + event.clientX;
      this.#y = startY + event.clientY;
      this.#onTouch();
      this.#moved();
    };
    const release = (): void => {
      this.frame.classList.remove('moving');
      window.removeEventListener('pointermove', move);
    };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', release, { once: true });
    window.addEventListener('pointercancel', release, { once: true });
  }

  #onWheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { left, top } = this.frame.getBoundingClientRect();
    this.zoom(Math.exp(-event.deltaY / 300), event.clientX - left, event.clientY - top);
  }

  #moved(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.#scene.setAttribute('transform', `translate(${this.#x},${this.#y}) scale(${this.#scale})`);
      this.#canvas.classList.toggle('small', this.#scale < SMALL_SCALE);
      this.#canvas.classList.toggle('far', this.#scale < READABLE_SCALE);
      this.#onMove();
    });
  }
}
