/** Finds out which custom resource definitions can be stated as kinds of the schemas, and what is in the way of the others. */
import type { CustomDefinition, CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import { versionFindings } from '../../../runtime/custom-resources/version-findings.ts';
import { isObject, type JsonObject, objectAt } from '../../read/sources.ts';

/** A definition whose kinds the schemas can state. */
export interface ImportedDefinition {
  readonly file: string;
  /** Each version as the schemas will state it; versions that are not served are left out. */
  readonly spec: CustomDefinition['spec'];
}

/** What is said of a definition; each text begins with the file and the path. */
export interface ImportReport {
  /** Why definitions cannot be imported. */
  readonly refused: string[];
  /** What is left out of definitions that are imported. */
  readonly told: string[];
}

const VERSION = /^v[1-9][0-9]*(?:(?:alpha|beta)[1-9][0-9]*)?$/;

/** @returns undefined if something is in the way, which the report says */
export function importedDefinition(object: JsonObject, file: string, report: ImportReport): ImportedDefinition | undefined {
  const before = report.refused.length;
  const spec = object.spec as CustomDefinition['spec'] & JsonObject;
  const name = `${spec.names.plural}.${spec.group}`;
  const place = (path: string): string => `${file}: ${name} ${path}`;
  const refuse = (path: string, why: string): void => void report.refused.push(`${place(path)}: ${why}`);
  const tell = (path: string, what: string): void => void report.told.push(`${place(path)}: ${what}`);
  checkWhole(object, refuse, tell);
  const versions = spec.versions.flatMap((version, index) => {
    if (version.served !== true) {
      if (version.storage === true) refuse(`spec.versions[${index}].served`, 'objects are stored in a version that nobody is served');
      else tell(`spec.versions[${index}]`, `${version.name} is not served: it is left out`);
      return [];
    }
    checkVersion(version, `spec.versions[${index}]`, refuse, tell);
    return [version];
  });
  if (versions.filter(({ storage }) => storage).length !== 1 && report.refused.length === before)
    refuse('spec.versions', 'must have exactly one version marked as storage version');
  return report.refused.length > before ? undefined : { file, spec: { ...spec, versions } };
}

type Tell = (path: string, what: string) => void;

/** Annotations that say how the definition came to be; leaving them out is not worth a word. */
const OF_TOOLS = /^(?:controller-gen\.kubebuilder\.io\/version|kubectl\.kubernetes\.io\/last-applied-configuration)$/;

function checkWhole({ metadata, spec: stated }: JsonObject, refuse: Tell, tell: Tell): void {
  const spec = stated as CustomDefinition['spec'];
  const { names, conversion } = spec;
  if (conversion?.strategy !== undefined && conversion.strategy !== 'None')
    refuse('spec.conversion.strategy', `${conversion.strategy}: schemas state conversions; a kind of theirs asks no webhook`);
  if (spec.preserveUnknownFields === true)
    refuse(
      'spec.preserveUnknownFields',
      'true: every member of a kind is stated; state x-kubernetes-preserve-unknown-fields where some are not',
    );
  if (names.listKind !== undefined && names.listKind !== '' && names.listKind !== `${names.kind}List`)
    refuse('spec.names.listKind', `${names.listKind}: the list of a kind of the schemas is called ${names.kind}List`);
  for (const member of ['annotations', 'labels'])
    for (const key of Object.keys(objectAt(metadata, member)))
      if (!OF_TOOLS.test(key)) tell(`metadata.${member}.${key}`, 'is of the definition, not of its objects: it is left out');
}

function checkVersion(version: CustomVersion, path: string, refuse: Tell, tell: Tell): void {
  if (!VERSION.test(version.name)) refuse(`${path}.name`, `${version.name}: a version of the schemas is called as v2 or v2beta1 are`);
  if (!isObject(version.schema?.openAPIV3Schema)) refuse(`${path}.schema`, 'has no openAPIV3Schema');
  for (const { field, message } of versionFindings(version)) refuse(`${path}.${field}`, message);
  if (version.deprecated !== true && version.deprecationWarning !== undefined)
    tell(`${path}.deprecationWarning`, 'nobody is told: the version is not deprecated. It is left out');
  const statuses = Object.keys((version.subresources?.status as object | undefined) ?? {});
  for (const member of statuses) tell(`${path}.subresources.status.${member}`, 'has no meaning: it is left out');
}
