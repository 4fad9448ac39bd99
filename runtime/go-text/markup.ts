/** How 1.32 shows in an answer what a client has chosen, where a browser could take it for markup. */

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export const withoutMarkup = (text: string): string => text.replace(/[&<>]/g, (character) => ESCAPES[character] as string);
