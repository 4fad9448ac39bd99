/** Bytes of all keys and values of a map together. */
export function bytesOf(map: Readonly<Record<string, string>>): number {
  let size = 0;
  for (const [key, value] of Object.entries(map)) size += Buffer.byteLength(key) + Buffer.byteLength(value);
  return size;
}
