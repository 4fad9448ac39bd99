import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { configMapKey } from '../../formats/keys.ts';
import { compareSemanticVersions, parseSemanticVersion, type SemanticVersion, semanticVersion } from '../../formats/semantic-versions.ts';
import { invalidAs } from '../core/findings.ts';
import { unchanged } from '../immutable.ts';
import type { Struct } from '../struct.ts';
import { OLDEST_EMULATION_VERSION, validateStrategy } from './strategy.ts';

const ZERO: SemanticVersion = { numbers: [0, 0, 0], preRelease: [] };

function validate({ metadata, spec }: ApiObject): FieldError[] {
  const name = metadata.name ?? '';
  return [
    ...(name === '' ? [] : configMapKey(name).map((message) => invalid('metadata.name', name, message))),
    ...(spec.leaseName === '' ? [required('spec.leaseName')] : []),
    ...validateVersions(spec, 'spec'),
  ];
}

function validateVersions({ binaryVersion, emulationVersion = '', strategy = '' }: Struct, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const read = (text: string, member: string): SemanticVersion => {
    if (text !== '') errors.push(...invalidAs(semanticVersion(text), `${path}.${member}`, text));
    return parseSemanticVersion(text) ?? ZERO;
  };
  const emulated = read(emulationVersion, 'emulationVersion');
  if (binaryVersion === '') errors.push(required(`${path}.binaryVersion`));
  const binary = read(binaryVersion, 'binaryVersion');
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary, emulated) < 0)
    errors.push(invalid(`${path}.binaryVersion`, binaryVersion, 'must be greater than or equal to `emulationVersion`'));
  return [...errors, ...validateChoice(strategy, emulated, path)];
}

function validateChoice(strategy: string, emulated: SemanticVersion, path: string): FieldError[] {
  if (strategy === '') return [required(`${path}.strategy`)];
  const missing = strategy === OLDEST_EMULATION_VERSION && compareSemanticVersions(emulated, ZERO) === 0;
  return [
    ...(missing ? [required(`${path}.emulationVersion`, "must be specified when `strategy` is 'OldestEmulationVersion'")] : []),
    ...validateStrategy(strategy, `${path}.strategy`),
  ];
}

export const rules: KindRules = {
  validate,
  validateUpdate: (object, old) => unchanged(object.spec.leaseName, old.spec.leaseName, 'spec.leaseName'),
};
