/** Tells listeners of what goes wrong. Errors that nobody listens for, and those of listeners, are warnings of the process. */

type Listener<T extends readonly unknown[]> = (error: unknown, ...more: T) => void;

export function tellListeners<T extends readonly unknown[]>(listeners: ReadonlySet<Listener<T>>, error: unknown, ...more: T): void {
  if (listeners.size === 0) warn(error);
  for (const listener of listeners)
    try {
      listener(error, ...more);
    } catch (failure) {
      warn(failure);
    }
}

function warn(error: unknown): void {
  process.emitWarning(error instanceof Error ? error : String(error));
}
