/** Members of a JSON object as bytes that are put together to objects without another look at them. */
import { parseNativeJson } from '../schema/native-json.ts';

/** A comma, the name and the value, as a member stands behind another one. @param value plain JSON */
export function memberText(name: string, value: unknown): Buffer {
  return memberOfText(name, JSON.stringify(value));
}

/** The same of a value's JSON. */
export const memberOfText = (name: string, json: string): Buffer => Buffer.from(`,${JSON.stringify(name)}:${json}`);

/** The same where no other stands before it. */
export const firstMember = (text: Buffer): Buffer => text.subarray(1);

/** @param text as `memberText` has made it of that name */
export function memberValue<T>(name: string, text: Buffer): T {
  return parseNativeJson<T>(text.toString('utf8', 1 + Buffer.byteLength(JSON.stringify(name)) + 1));
}
