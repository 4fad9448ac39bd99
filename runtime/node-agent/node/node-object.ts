/** Makes the Node object that the agent registers. */
import type { Node, NodeStatus, Taint } from '../../../generated/client/core/v1/types.ts';
import type { NodeAgentConfiguration } from '../../../generated/nodeagentconfig/v1beta1/types.ts';
import { NodeLabels } from '../../admission/plugins/node-labels.ts';
import type { Identity } from '../../contract/identity.ts';
import { labelValue, qualifiedName } from '../../formats/labels.ts';
import type { MachineFacts } from './machine.ts';

export interface NodeRegistration {
  readonly name: string;
  readonly hostname: string;
  readonly identity: Identity;
  readonly configuration: NodeAgentConfiguration;
  readonly facts: MachineFacts;
  /** labels from the flag `--node-labels` */
  readonly labels: Readonly<Record<string, string>>;
  /** whether a controller of the cloud provider initializes the node: until then, a taint keeps pods away */
  readonly hasExternalProvider: boolean;
}

/** Checks the labels from `--node-labels`. @throws Error that names the flag if a label is malformed, or if nodes may not set it on themselves */
export function checkLabels(labels: Readonly<Record<string, string>>, identity: Identity): void {
  for (const [key, value] of Object.entries(labels)) {
    const [problem] = [...qualifiedName(key), ...labelValue(value)];
    if (problem !== undefined) throw new Error(`--node-labels: ${JSON.stringify(`${key}=${value}`)}: ${problem}`);
  }
  const forbidden = new NodeLabels(identity).forbidden(labels);
  const domains = [identity.text('${labelDomain}'), identity.text('${groupDomain}')];
  if (forbidden.length > 0)
    throw new Error(
      `--node-labels: ${forbidden.join(', ')} may not be set: of ${[...new Set(domains)].join(' and ')} a node sets well-known labels and those below ` +
        `kubelet.${domains[0]} and node.${domains[0]} alone`,
    );
}

/** Makes the labels that describe the machine. */
function machineLabels({
  hostname,
  identity: { text },
  facts,
}: Pick<NodeRegistration, 'hostname' | 'identity' | 'facts'>): Record<string, string> {
  const { operatingSystem, architecture } = facts;
  return {
    [text('beta.${labelDomain}/arch')]: architecture,
    [text('beta.${labelDomain}/os')]: operatingSystem,
    [text('${labelDomain}/arch')]: architecture,
    [text('${labelDomain}/hostname')]: hostname,
    [text('${labelDomain}/os')]: operatingSystem,
  };
}

/** The well-known labels that a flag may give, and that count for a node that exists already too, as in 1.32. */
const RECONCILED = [
  '${labelDomain}/arch',
  '${labelDomain}/hostname',
  '${labelDomain}/os',
  'topology.${labelDomain}/zone',
  'topology.${labelDomain}/region',
  'failure-domain.beta.${labelDomain}/zone',
  'failure-domain.beta.${labelDomain}/region',
  'node.${labelDomain}/instance-type',
  'beta.${labelDomain}/instance-type',
];

/** Makes the labels of a node that exists already when the agent starts, null for one that it is not to have; other ones of the flag are for new nodes. */
export function reconciledLabels(
  registration: Pick<NodeRegistration, 'hostname' | 'identity' | 'facts' | 'labels'>,
): Record<string, string | null> {
  const { identity, labels } = registration;
  const given = RECONCILED.map(identity.text).filter((name) => labels[name] !== undefined);
  return { ...machineLabels(registration), ...Object.fromEntries(given.map((name) => [name, labels[name] || null])) };
}

/** Makes the whole object for the creation of the node. */
export function newNode(registration: NodeRegistration, status: NodeStatus): Node {
  const { name, identity, configuration, labels } = registration;
  const { providerID = '', enableControllerAttachDetach } = configuration;
  const taints = nodeTaints(registration);
  return {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: {
      name,
      labels: { ...machineLabels(registration), ...labels },
      ...(enableControllerAttachDetach && { annotations: attachAnnotation(identity) }),
    },
    spec: { ...(providerID !== '' && { providerID }), ...(taints.length > 0 && { taints }) },
    status,
  } as Node;
}

/** The annotation that tells that a controller attaches volumes to this node, and not the agent. */
export const attachAnnotation = ({ text }: Identity): Record<string, string> => ({
  [text('volumes.${labelDomain}/controller-managed-attach-detach')]: 'true',
});

function nodeTaints({ configuration: { registerWithTaints = [] }, hasExternalProvider, identity }: NodeRegistration): Taint[] {
  const uninitialized = { key: identity.text('node.cloudprovider.${labelDomain}/uninitialized'), value: 'true', effect: 'NoSchedule' };
  return [...registerWithTaints, ...(hasExternalProvider ? [uninitialized as Taint] : [])];
}
