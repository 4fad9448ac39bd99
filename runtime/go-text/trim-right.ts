/**
 * A text without the characters of one kind at its end (strings.TrimRight), in linear time: a regular expression would begin anew at each
 * of them.
 */
export function trimRight(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end--;
  return text.slice(0, end);
}
