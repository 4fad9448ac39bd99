/** Fields of the removed versions that stand in an annotation of apps/v1. */
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { int64Of, integerOf, numberText, type RawNumber } from '../../schema/raw-number.ts';
import { ROLLBACK, TEMPLATE_GENERATION } from './field-annotations.ts';

/** The revision that a deployment is asked to go back to. */
export const rollbackConversion: ConversionFunctions = {
  toHub(object) {
    if (object.spec?.rollbackTo === undefined) return object;
    const { rollbackTo, ...spec } = object.spec;
    object.spec = spec;
    return annotate(object, ROLLBACK, numberText(rollbackTo.revision) ?? '0');
  },
  fromHub(object) {
    const revision = takeNumber(object, ROLLBACK);
    if (revision !== undefined) object.spec = { ...object.spec, rollbackTo: { revision } };
    return object;
  },
};

/** How often the template of a daemon set has changed. */
export const templateGenerationConversion: ConversionFunctions = {
  toHub(object) {
    const { templateGeneration, ...spec } = object.spec ?? {};
    object.spec = spec;
    return annotate(object, TEMPLATE_GENERATION, numberText(templateGeneration) ?? '0');
  },
  fromHub(object) {
    const templateGeneration = takeNumber(object, TEMPLATE_GENERATION);
    if (templateGeneration) object.spec = { ...object.spec, templateGeneration };
    return object;
  },
};

function annotate(object: ApiObject, key: string, value: string): ApiObject {
  const entries = Object.entries({ ...object.metadata?.annotations, [key]: value });
  object.metadata = { ...object.metadata, annotations: Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) };
  return object;
}

/** The integer of 64 bits in an annotation, which is removed; a text that is none stays where it is. */
function takeNumber(object: ApiObject, key: string): number | RawNumber | undefined {
  const integer = int64Of(object.metadata?.annotations?.[key]?.replace(/^\+/, '') ?? '');
  if (integer === undefined) return undefined;
  const { [key]: _taken, ...annotations } = object.metadata.annotations as Record<string, string>;
  const { annotations: _all, ...metadata } = object.metadata;
  object.metadata = Object.keys(annotations).length > 0 ? { ...metadata, annotations } : metadata;
  return integerOf(integer);
}
