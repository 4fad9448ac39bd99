/** Passes errors to listeners. Errors without a listener, and errors that listeners throw, become warnings of the process. */

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
