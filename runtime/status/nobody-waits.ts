/** What ends the work for a request whose client has gone. */
import { newTimeout } from './status.ts';

/** One for all: every answer ends with it, and nobody reads where it was thrown. */
export const NOBODY_WAITS = newTimeout('nobody waits for the answer any longer');
