/** Finds out by its first bytes which form a value in etcd has. */
import type { Identity } from '../../contract/identity.ts';
import { SELF_DESCRIBED } from '../../schema/cbor/head.ts';

/**
 * What is written for each text of `--storage-media-type`. JSON is YAML, too, and kube-apiserver reads it whatever its flag says; not every text comes back as
 * it was where it is written as YAML by 1.32's rules and read by them.
 */
const WRITTEN = {
  'application/json': 'json',
  'application/vnd.${mediaProduct}.protobuf': 'protobuf',
  'application/yaml': 'json',
} as const;

export type WrittenForm = (typeof WRITTEN)[keyof typeof WRITTEN];
/** The form of an object that is read. */
export type ObjectForm = WrittenForm | 'yaml';

/** `cbor`: of a custom resource. `own`: this server's alone, see `own-values.ts` */
export type ValueForm = ObjectForm | 'cbor' | 'own';

const PROTOBUF = Buffer.from('k8s\0', 'latin1');
const ENCRYPTED = Buffer.from('k8s:enc:', 'latin1');
/** Before what is no object: nothing that kube-apiserver writes begins so, and no text does. */
export const OWN_MARK = Buffer.from('raw\0', 'latin1');

/** @throws Error for a media type in which kube-apiserver stores nothing */
export function writtenForm(mediaType: string, { text }: Pick<Identity, 'text'>): WrittenForm {
  const forms = new Map(Object.entries(WRITTEN).map(([type, form]) => [text(type), form]));
  const form = forms.get(mediaType);
  if (form === undefined)
    throw new Error(`nothing is stored as ${JSON.stringify(mediaType)}: what may be is ${[...forms.keys()].join(', ')}`);
  return form;
}

const BRACE = 0x7b;
const SPACES: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** @throws Error for what is encrypted, and for what is no text at all */
export function formOf(value: Buffer): ValueForm {
  if (beginsWith(value, PROTOBUF)) return 'protobuf';
  if (value[firstOf(value)] === BRACE) return 'json';
  if (beginsWith(value, OWN_MARK)) return 'own';
  if (beginsWith(value, ENCRYPTED))
    throw new Error(
      'it is encrypted, by a provider that this server has not: its encryption configuration must have all that kube-apiserver has encrypted by',
    );
  if (beginsWith(value, SELF_DESCRIBED)) return 'cbor';
  if (value.length === 0) throw new Error('it is empty');
  if (value.includes(0)) throw new Error(`it is neither JSON nor YAML, nor protobuf: it begins with the bytes ${shown(value)}`);
  return 'yaml';
}

const beginsWith = (value: Buffer, mark: Buffer): boolean =>
  value.length >= mark.length && value.compare(mark, 0, mark.length, 0, mark.length) === 0;

function firstOf(value: Buffer): number {
  let at = 0;
  while (at < value.length && SPACES.has(value[at] as number)) at++;
  return at;
}

const shown = (value: Buffer): string => value.subarray(0, 8).toString('hex');
