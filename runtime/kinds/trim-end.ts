/** A text without the characters of one kind at its end, in linear time: a regular expression would begin anew at each of them. */
export function trimEnd(text: string, character: string): string {
  let end = text.length;
  while (text[end - 1] === character) end--;
  return text.slice(0, end);
}
