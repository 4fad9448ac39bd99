/**
 * Converts objects between a version and its hub by declared steps (design: Schemas). Steps run in order towards the hub and in reverse
 * order back. A hand-written function runs after them towards the hub, and before them on the way back.
 */

import type { Identity } from '../contract/identity.ts';
import { writeJson } from '../contract/json-writer.ts';
import type { ConversionData, ConversionFunctions, ConversionStep } from '../contract/kind.ts';
import type { ApiObject } from '../contract/object.ts';
import { JsonSyntaxError, parseJson } from './json/json-text.ts';
import { getMember, isObject, type JsonObject, setMember } from './json/member.ts';

/** @param object in the version; it is changed */
export function convertToHub(
  object: ApiObject,
  data: ConversionData,
  functions: ConversionFunctions | undefined,
  identity: Identity,
): ApiObject {
  for (const step of data.steps) towardsHub(object, step, identity);
  return functions === undefined ? object : functions.toHub(object);
}

/** @param hub in the hub version; it is changed */
export function convertFromHub(
  hub: ApiObject,
  data: ConversionData,
  functions: ConversionFunctions | undefined,
  identity: Identity,
): ApiObject {
  const object = functions === undefined ? hub : functions.fromHub(hub);
  for (const step of [...data.steps].reverse()) fromHub(object, step, identity);
  return object;
}

function towardsHub(object: ApiObject, step: ConversionStep, identity: Identity): void {
  switch (step.op) {
    case 'rename':
      return move(object, step.from, step.to);
    case 'mapValues':
      return mapValue(object, step.path, step.values);
    case 'default':
      if (read(object, step.path) === undefined) write(object, step.path, identity.resolve(structuredClone(step.value)));
      return;
    case 'keepInAnnotation':
      return restore(object, step.path, identity.text(step.annotation));
  }
}

function fromHub(object: ApiObject, step: ConversionStep, identity: Identity): void {
  switch (step.op) {
    case 'rename':
      return move(object, step.to, step.from);
    case 'mapValues':
      return mapValue(object, step.path, Object.fromEntries(Object.entries(step.values).map(([here, hub]) => [hub, here])));
    case 'default':
      return;
    case 'keepInAnnotation':
      return keep(object, step.path, identity.text(step.annotation));
  }
}

function move(object: ApiObject, from: string, to: string): void {
  const value = read(object, from);
  if (value === undefined) return;
  remove(object, from);
  write(object, to, value);
}

function mapValue(object: ApiObject, path: string, values: Readonly<Record<string, string>>): void {
  const value = read(object, path);
  if (typeof value !== 'string') return;
  const mapped = getMember(values as JsonObject, value);
  if (mapped !== undefined) write(object, path, mapped);
}

/** A value that this version cannot express goes into the annotation. */
function keep(object: ApiObject, path: string, annotation: string): void {
  const value = read(object, path);
  if (value === undefined) return;
  remove(object, path);
  object.metadata.annotations = { ...object.metadata.annotations, [annotation]: writeJson(value) };
}

/** An annotation that is no JSON was written by somebody else: it is left as it is. */
function restore(object: ApiObject, path: string, annotation: string): void {
  const text = object.metadata.annotations?.[annotation];
  if (text === undefined) return;
  let value: unknown;
  try {
    value = parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return;
    throw error;
  }
  const { [annotation]: _taken, ...rest } = object.metadata.annotations ?? {};
  if (Object.keys(rest).length > 0) object.metadata.annotations = rest;
  else delete object.metadata.annotations;
  write(object, path, value);
}

function partsOf(path: string): string[] {
  return path.split('.').filter((part) => part !== '');
}

function read(object: ApiObject, path: string): unknown {
  let value: unknown = object;
  for (const part of partsOf(path)) {
    if (!isObject(value)) return undefined;
    value = getMember(value, part);
  }
  return value;
}

function write(object: ApiObject, path: string, value: unknown): void {
  const parts = partsOf(path);
  const last = parts.pop() as string;
  let at = object as JsonObject;
  for (const part of parts) {
    if (!isObject(getMember(at, part))) setMember(at, part, {});
    at = getMember(at, part) as JsonObject;
  }
  setMember(at, last, value);
}

/** Structs that become empty stay: their type decides whether they are written. */
function remove(object: ApiObject, path: string): void {
  const parts = partsOf(path);
  const last = parts.pop() as string;
  let at: unknown = object;
  for (const part of parts) at = isObject(at) ? getMember(at, part) : undefined;
  if (isObject(at)) delete at[last];
}
