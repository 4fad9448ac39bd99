import { type FieldError, invalid, required } from '../../contract/field-error.ts';
import type { KindRules, RuleContext } from '../../contract/kind.ts';
import type { ApiObject } from '../../contract/object.ts';
import { dns1035Label, dnsSubdomain } from '../../formats/names.ts';
import { portNumber } from '../../formats/ports.ts';
import { eachItem, invalidAs, oneOf } from '../core/findings.ts';
import { keepMetadata } from '../metadata/status-update.ts';
import type { Struct } from '../struct.ts';

const AVAILABLE = 'Available';

/** A group version that this server answers itself is available from the start; of others a controller tells. */
function prepareForCreate(object: ApiObject, context: RuleContext): void {
  if (object.spec?.service !== undefined) return;
  const lastTransitionTime = `${new Date(context.now()).toISOString().slice(0, 19)}Z`;
  object.status = {
    conditions: [
      { type: AVAILABLE, status: 'True', lastTransitionTime, reason: 'Local', message: 'Local APIServices are always available' },
    ],
  };
}

function validate({ metadata, spec }: ApiObject): readonly FieldError[] {
  const { group = '', version = '' } = spec ?? {};
  const name = `${version}.${group}`;
  return [
    ...(metadata.name === name
      ? []
      : [invalid('metadata.name', metadata.name, `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(name)}`)]),
    ...(group === '' && version !== 'v1' ? [required('spec.group', 'only v1 may have an empty group and it better be legacy kube')] : []),
    ...(group === '' ? [] : invalidAs(dnsSubdomain(group), 'spec.group', group)),
    ...invalidAs(dns1035Label(version), 'spec.version', version),
    ...validateRanks(spec),
    ...(spec.service === undefined ? validateLocal(spec) : validateRemote(spec)),
  ];
}

function validateRanks({ groupPriorityMinimum, versionPriority }: Struct): readonly FieldError[] {
  return [
    ...(groupPriorityMinimum <= 0 || groupPriorityMinimum > 20_000
      ? [invalid('spec.groupPriorityMinimum', groupPriorityMinimum, 'must be positive and less than 20000')]
      : []),
    ...(versionPriority <= 0 || versionPriority > 1000
      ? [invalid('spec.versionPriority', versionPriority, 'must be positive and less than 1000')]
      : []),
  ];
}

/** Without a service there is nobody to trust. */
function validateLocal({ caBundle, insecureSkipTLSVerify }: Struct): readonly FieldError[] {
  return [
    ...(caBundle
      ? [invalid('spec.caBundle', `${Buffer.from(caBundle, 'base64').length} bytes`, 'local APIServices may not have a caBundle')]
      : []),
    ...(insecureSkipTLSVerify ? [invalid('spec.insecureSkipTLSVerify', true, 'local APIServices may not have insecureSkipTLSVerify')] : []),
  ];
}

function validateRemote({ service, caBundle, insecureSkipTLSVerify }: Struct): readonly FieldError[] {
  const { namespace, name, port } = service;
  const problems = portNumber(port);
  return [
    ...(namespace ? [] : [required('spec.service.namespace')]),
    ...(name ? [] : [required('spec.service.name')]),
    ...(problems.length > 0 ? [invalid('spec.service.port', port ?? 0, `port is not valid: ${problems.join(',')}`)] : []),
    ...(insecureSkipTLSVerify && caBundle ? [invalid('spec.insecureSkipTLSVerify', true, 'may not be true if caBundle is present')] : []),
  ];
}

function validateStatus({ status }: ApiObject): readonly FieldError[] {
  return eachItem<Struct>(status?.conditions, 'status.conditions', (condition, path) =>
    oneOf(condition.status, `${path}.status`, ['True', 'False', 'Unknown']),
  );
}

export const rules: KindRules = {
  prepareForCreate,
  prepareForStatusUpdate: keepMetadata,
  validate,
  validateStatusUpdate: validateStatus,
};
