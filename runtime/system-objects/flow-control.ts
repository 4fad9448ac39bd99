/** Levels and schemas of flow control. */
import type { Identity } from '../contract/identity.ts';
import type { ApiObject } from '../contract/object.ts';
import { suggestedLevels, suggestedSchemas } from '../fairness/suggested-specs.ts';
import { EXEMPT, mandatoryLevels, mandatorySchemas } from '../kinds/flowcontrol/mandatory-specs.ts';
import { deepEqual } from '../schema/equal.ts';
import type { SystemObject } from './system-object.ts';

/** Whether the spec follows the one that the server has. */
const AUTO_UPDATE = 'apf.${labelDomain}/autoupdate-spec';

/** The owner of what the server has written there, as in 1.32. */
const MANAGER = 'api-priority-and-fairness-config-producer-v1';

export function flowControlObjects({ text }: Identity): SystemObject[] {
  const annotation = text(AUTO_UPDATE);
  const group = text('flowcontrol.apiserver.${groupDomain}');
  const all = (name: string, specs: Readonly<Record<string, object>>, follows: (stored: ApiObject) => boolean): SystemObject[] =>
    Object.entries(specs).map(([object, spec]) => ({
      resource: { group, version: 'v1', name },
      metadata: { name: object, annotations: { [annotation]: 'true' } },
      members: { spec },
      manager: MANAGER,
      repair: (stored) => repaired(stored, spec, annotation, follows(stored)),
    }));
  const untouched = (stored: ApiObject): boolean => followsSuggestion(stored, annotation);
  return [
    ...all('prioritylevelconfigurations', mandatoryLevels, always),
    ...all('prioritylevelconfigurations', suggestedLevels, untouched),
    ...all('flowschemas', mandatorySchemas, always),
    ...all('flowschemas', suggestedSchemas(text), untouched),
  ];
}

const always = (): boolean => true;

/** The annotation says so; without one, an object that nobody changed since it was made does. */
function followsSuggestion({ metadata }: ApiObject, annotation: string): boolean {
  const stated = metadata.annotations?.[annotation];
  if (stated === 'true' || stated === 'false') return stated === 'true';
  return metadata.generation === 1;
}

function repaired(stored: ApiObject, wanted: object, annotation: string, follows: boolean): ApiObject | undefined {
  const spec = follows ? specOf(stored, wanted) : stored.spec;
  const annotated = stored.metadata.annotations?.[annotation] === String(follows);
  if (annotated && deepEqual(spec, stored.spec)) return undefined;
  const annotations = { ...stored.metadata.annotations, [annotation]: String(follows) };
  return { ...stored, metadata: { ...stored.metadata, annotations }, spec };
}

/** What the level `exempt` sets aside is the administrator's. */
function specOf({ kind, metadata, spec }: ApiObject, wanted: object): object {
  const own = kind === 'PriorityLevelConfiguration' && metadata.name === EXEMPT && spec?.exempt !== undefined;
  return own ? { ...wanted, exempt: spec.exempt } : wanted;
}
