/** Members of JSON objects as bytes, from which objects are joined without parsing. */
import { parseNativeJson } from '../schema/json/native-json.ts';

/** A member with a comma before it, as it follows another one. @param value plain JSON */
export function memberText(name: string, value: unknown): Buffer {
  return memberOfText(name, JSON.stringify(value));
}

/** Like `memberText`, for the JSON of a value. */
export const memberOfText = (name: string, json: string): Buffer => Buffer.from(`,${JSON.stringify(name)}:${json}`);

/** The member without the comma, as it begins an object. */
export const firstMember = (text: Buffer): Buffer => text.subarray(1);

/** @param text the result of `memberText` for that name */
export function memberValue<T>(name: string, text: Buffer): T {
  return parseNativeJson<T>(text.toString('utf8', 1 + Buffer.byteLength(JSON.stringify(name)) + 1));
}
