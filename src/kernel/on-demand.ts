/** A record whose values are made when they are first read, each once: schemas are many, and a run that is not read needs none. */
export function onDemand<T extends Readonly<Record<string, () => unknown>>>(
  makers: T,
): { readonly [Name in keyof T]: ReturnType<T[Name]> } {
  const made = {};
  for (const [name, make] of Object.entries(makers)) {
    Object.defineProperty(made, name, {
      enumerable: true,
      configurable: true,
      get: () => {
        const value = make();
        Object.defineProperty(made, name, { value, enumerable: true });
        return value;
      },
    });
  }
  return made as { readonly [Name in keyof T]: ReturnType<T[Name]> };
}
