import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  Agent,
  createServer,
  request as sendRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PermitsTarget } from '../../contracts/tool.ts';
import type { AddressGuard } from './address-guard.ts';

/** What a proxy lets through. */
export interface ProxyRules {
  readonly guard: AddressGuard;
  readonly permits?: PermitsTarget | undefined;
  /** After so many bytes from outside every connection is cut. */
  readonly maxBytes: number;
}

/** A proxy on loopback, for one program that has to find its way by itself, and for nobody without its password. */
export class GuardedProxy {
  readonly #server: Server;
  readonly #rules: ProxyRules;
  readonly #password = randomBytes(24).toString('hex');
  /** Of its own: a connection that another proxy left open would be counted by both. */
  readonly #agent = new Agent({ keepAlive: true });
  readonly #counted = new WeakSet<Socket>();
  readonly #sockets = new Set<Duplex>();
  #bytes = 0;
  #refusal: Error | null = null;

  private constructor(rules: ProxyRules) {
    this.#rules = rules;
    this.#server = createServer((incoming, outgoing) => void this.#forward(incoming, outgoing));
    this.#server.on('connect', (incoming: IncomingMessage, socket: Duplex) => {
      this.#hold(socket);
      void this.#tunnel(incoming, socket);
    });
    this.#server.on('connection', (socket) => this.#hold(socket));
  }

  static async open(rules: ProxyRules): Promise<GuardedProxy> {
    const proxy = new GuardedProxy(rules);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  /** Its address, with the password. */
  get url(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return `http://sortie:${this.#password}@127.0.0.1:${port}`;
  }

  /** The first thing that it refused; null where there was none. */
  get refusal(): Error | null {
    return this.#refusal;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex): Promise<void> {
    if (!this.#knows(incoming)) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n');
      return;
    }
    try {
      const url = new URL(`https://${incoming.url ?? ''}/`);
      const address = await this.#addressOf(url);
      // Who asked may have gone meanwhile, and this proxy with it: nobody would close what is opened now.
      if (socket.destroyed) return;
      const outside = connect({ host: address, port: Number(url.port || 443) });
      this.#hold(outside);
      this.#count(outside);
      outside.once('connect', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        socket.pipe(outside).pipe(socket);
      });
      outside.once('close', () => socket.destroy());
      socket.once('close', () => outside.destroy());
    } catch (error) {
      this.#note(error);
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    }
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (!this.#knows(incoming)) {
      outgoing.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    try {
      const url = new URL(incoming.url ?? '');
      if (url.protocol !== 'http:') throw new Error(`${url.protocol} is not forwarded`);
      const address = await this.#addressOf(url);
      if (incoming.socket.destroyed) return;
      const own = Object.entries(incoming.headers).filter(([name]) => !name.startsWith('proxy-'));
      const headers = { ...Object.fromEntries(own), host: url.host };
      const { method } = incoming;
      const sent = sendRequest(
        {
          ...{ host: address, port: Number(url.port || 80), path: `${url.pathname}${url.search}`, headers },
          ...(method === undefined ? {} : { method }),
          agent: this.#agent,
        },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
          answer.once('close', () => {
            // Whoever asked would wait for the rest.
            if (!answer.complete) outgoing.destroy();
          });
        },
      );
      sent.on('socket', (outside: Socket) => this.#count(outside));
      sent.on('error', () => outgoing.destroy());
      // One that goes over to another protocol is closed without an error.
      sent.on('close', () => {
        if (!outgoing.headersSent) outgoing.destroy();
      });
      outgoing.once('close', () => sent.destroy());
      incoming.pipe(sent);
    } catch (error) {
      this.#note(error);
      outgoing.writeHead(403).end();
    }
  }

  /** What is connected to is the very address that was looked at. */
  async #addressOf(url: URL): Promise<string> {
    const { guard, permits } = this.#rules;
    if (permits?.('url', url.href) === false) throw new Error(`policy does not permit ${url.href}`);
    const [first] = await guard.addressesOf(url, 'argument');
    if (first === undefined) throw new Error(`${url.hostname} has no address`);
    return first.address;
  }

  /** Counts what comes over a connection, once, however many requests it serves. */
  #count(outside: Socket): void {
    if (this.#counted.has(outside)) return;
    this.#counted.add(outside);
    outside.on('data', (piece: Buffer) => {
      this.#bytes += piece.length;
      if (this.#bytes <= this.#rules.maxBytes) return;
      this.#note(new Error(`more than ${this.#rules.maxBytes} bytes came`));
      for (const socket of this.#sockets) socket.destroy();
      outside.destroy();
    });
  }

  #note(error: unknown): void {
    this.#refusal ??= error instanceof Error ? error : new Error(String(error));
  }

  #knows({ headers }: IncomingMessage): boolean {
    const expected = Buffer.from(`Basic ${Buffer.from(`sortie:${this.#password}`).toString('base64')}`);
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === expected.length && timingSafeEqual(given, expected);
  }
}
