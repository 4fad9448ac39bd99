import { type FieldError, tooLong } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isLongerThan } from '../../formats/messages.ts';
import { dnsSubdomain } from '../../formats/names.ts';
import { invalidAs, needed } from '../core/findings.ts';
import { validateCsiDriverName } from '../core/volume-sources.ts';
import { unchanged } from '../immutable.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';
import { bytesOf } from './map-bytes.ts';

const MAX_METADATA_BYTES = 256 * 1024;
const MAX_MESSAGE_BYTES = 1024;

function validateWhole({ spec, status = {} }: ApiObject): readonly FieldError[] {
  const { attacher = '', nodeName = '' } = spec;
  return [
    ...needed(attacher, 'spec.attacher'),
    ...invalidAs(dnsSubdomain(nodeName), 'spec.nodeName', nodeName),
    ...(bytesOf(status.attachmentMetadata ?? {}) > MAX_METADATA_BYTES ? [tooLong('status.attachmentMetadata', MAX_METADATA_BYTES)] : []),
    ...['attachError', 'detachError'].flatMap((member) => validateError(status[member], `status.${member}`)),
  ];
}

/** 1.32 names another limit than the one that it holds messages to. */
function validateError(error: Struct, path: string): readonly FieldError[] {
  return isLongerThan(error?.message ?? '', MAX_MESSAGE_BYTES) ? [tooLong(`${path}.message`, MAX_METADATA_BYTES)] : [];
}

/** What only new objects are held to; those that are stored may be older than these rules. */
function validateNew({ spec }: ApiObject): readonly FieldError[] {
  const name: string | undefined = spec.source?.persistentVolumeName;
  return [
    ...validateCsiDriverName(spec.attacher, 'spec.attacher'),
    ...(name === undefined ? [] : invalidAs(dnsSubdomain(name), 'spec.source.persistentVolumeName', name)),
  ];
}

/** 1.32 validates an updated object twice and reports each finding twice. */
function validateUpdate(object: ApiObject, old: ApiObject): readonly FieldError[] {
  return [...validateWhole(object), ...unchanged(object.spec, old.spec, 'spec')];
}

export const rules: KindRules = {
  prepareForStatusUpdate: keepMetadata,
  validate: validateWhole,
  validateCreate: validateNew,
  validateUpdate,
  validateStatusUpdate: (object, old) => [...validateWhole(object), ...validateUpdate(object, old)],
};
