/** A value of etcd that says of which kind it is, before anything of that kind is known. */
import { parseJson } from '../../schema/json/json-text.ts';
import { isObject, type JsonObject } from '../../schema/json/member.ts';
import { type Envelope, unwrapEnvelope } from '../../schema/protobuf/codec.ts';
import { parseYaml } from '../../schema/yaml/parse-yaml.ts';
import { formOf, type ObjectForm } from './value-form.ts';

interface ParsedValue {
  readonly form: ObjectForm;
  readonly apiVersion: string;
  readonly kind: string;
}

/** The message is still to be decoded. */
export interface ParsedMessage extends ParsedValue, Envelope {
  readonly form: 'protobuf';
}

export interface ParsedText extends ParsedValue {
  readonly form: 'json' | 'yaml';
  /** everything that the object has, of any type */
  readonly members: JsonObject;
}

/** Far beyond what names of kinds and versions have. */
const MAX_NAME = 1_000;

/** @throws Error for what is no object with a kind and a version */
export function parseValue(value: Buffer): ParsedMessage | ParsedText {
  const form = formOf(value);
  if (form === 'own') throw new Error('it is no object, but what a server keeps for itself; nobody may write that under a key of objects');
  if (form === 'cbor') throw new Error('it is CBOR, in which kube-apiserver stores custom resources alone');
  if (form !== 'protobuf') return parseText(value, form);
  const envelope = unwrapEnvelope(value);
  requireNames(envelope.kind, envelope.apiVersion);
  // each object has metadata at least
  if (envelope.raw.length === 0) throw new Error('its protobuf ends before the object');
  return { form, ...envelope };
}

/** @throws Error as `parseValue` */
export function parseText(value: Buffer, form: 'json' | 'yaml'): ParsedText {
  const text = value.toString('utf8');
  const members = form === 'json' ? parseJson(text, value).value : parseYaml(text).value;
  if (!isObject(members)) throw new Error('it is neither JSON nor YAML of an object, nor protobuf');
  const { kind, apiVersion } = members;
  requireNames(kind, apiVersion);
  return { form, kind: kind as string, apiVersion: apiVersion as string, members };
}

function requireNames(kind: unknown, apiVersion: unknown): void {
  if (!isName(kind)) throw new Error("it does not say its kind, or that is no kind's name");
  if (!isName(apiVersion)) throw new Error("it does not say its apiVersion, or that is no version's name");
}

const isName = (value: unknown): boolean => typeof value === 'string' && value !== '' && value.length <= MAX_NAME;
