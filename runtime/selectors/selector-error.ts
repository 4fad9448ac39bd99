/** A selector's text that cannot be understood; the message is the one that 1.32 gives. */
export class SelectorError extends Error {}
