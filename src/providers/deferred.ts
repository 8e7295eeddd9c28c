/** A promise that is settled by hand, for tests that decide when an answer comes. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** A promise with the two functions that settle it. */
export function createDeferred<T>(): Deferred<T> {
  const deferred = {} as { -readonly [Key in keyof Deferred<T>]: Deferred<T>[Key] };
  deferred.promise = new Promise<T>((resolve, reject) => {
    deferred.resolve = resolve;
    deferred.reject = reject;
  });
  return deferred;
}
