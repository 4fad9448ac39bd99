/** Paths as clients write them. They hold any bytes, as themselves or escaped; Node has each byte of a URL as one character. */

/** What is not there as it is meant: escapes, and bytes of characters outside of ASCII. */
export const NOT_PLAIN = /[%\x80-\xff]/;

/** @returns the URL without its query */
export function writtenPath(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

/** @returns one character for each byte. @throws URIError for a broken escape */
export function unescapedBytes(path: string): string {
  return path.replace(/%(..)?/gs, (written, digits = '') => {
    if (!/^[\da-f]{2}$/i.test(digits)) throw new URIError(`invalid URL escape ${JSON.stringify(written)}`);
    return String.fromCharCode(Number.parseInt(digits, 16));
  });
}

/** The text of a path, or of a part of one. What is not UTF-8 is shown as U+FFFD, as 1.32 shows it. @throws URIError for a broken escape */
export function pathText(written: string): string {
  if (!NOT_PLAIN.test(written)) return written;
  return Buffer.from(unescapedBytes(written), 'latin1').toString('utf8');
}
