/** Reads the JSON of servers. An integer beyond 2^53 becomes a `JSON.rawJSON`, so that it is written again without loss. */
import { parseNativeJson } from '../../schema/json/native-json.ts';

/** Finds numbers so long that they may lose digits. Most texts have none, and take the quick way. */
const MANY_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

/** @throws SyntaxError, JsonSyntaxError */
export function parseJson<T>(text: string): T {
  return parseNativeJson<T>(text, MANY_DIGITS.test(text) ? parseWithDigits : JSON.parse);
}

interface SourceText {
  readonly source?: string;
}

const json = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: SourceText) => unknown): unknown;
  rawJSON(text: string): unknown;
};

function parseWithDigits(text: string): unknown {
  return json.parse(text, (_key, value, { source = '' }) => {
    const losesDigits = typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && INTEGER.test(source);
    return losesDigits ? json.rawJSON(source) : value;
  });
}
