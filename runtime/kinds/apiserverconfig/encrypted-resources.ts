/** Which resources a configuration encrypts: names such as `secrets`, `widgets.example.com`, `*.apps`, `*.*`. */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { RuleContext } from '../../contract/kind-rules.ts';
import { goStrings, invalidShown } from '../../go-text/values.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { eachItem } from '../findings.ts';

const ALL = '*';
const OVERLAPPING =
  "using overlapping resources such as 'secrets' and '*.' in the same resource list is not allowed as they will be masked";
/** stored, but no resources */
const INTERNAL = ['apiserveripinfo', 'serviceipallocations', 'servicenodeportallocations'];

export function encryptedResources(resources: readonly string[], _old: unknown, { text }: RuleContext): readonly FieldError[] {
  const eventsGroup = text('events.${groupDomain}');
  const parsed = resources.map(groupResource);
  const problems = [
    ...(repeats(parsed) ? ['the same resource cannot be specified multiple times'] : []),
    ...(overlap(parsed) ? [OVERLAPPING] : []),
  ];
  return joined(
    problems.map((problem) => invalidShown('', goStrings(resources), problem)),
    eachItem(resources, '', (resource, at) => {
      const problem = nameProblem(resource, eventsGroup);
      return problem === undefined ? NONE : [invalid(at, resource, problem)];
    }),
  );
}

interface GroupResource {
  readonly group: string;
  readonly resource: string;
}

/** What follows the dot is the core group where nothing does. */
function groupResource(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

const isSame = (one: GroupResource, other: GroupResource): boolean => one.group === other.group && one.resource === other.resource;

function repeats(all: readonly GroupResource[]): boolean {
  return all.some((one, index) => all.findIndex((other) => isSame(one, other)) < index);
}

/** A wildcard that is there twice hides itself. */
function overlap(all: readonly GroupResource[]): boolean {
  return all.some((one, index) =>
    all.some((other, at) => {
      if (at === index) return false;
      if (one.group === ALL && one.resource === ALL) return true;
      return one.group === other.group && (one.resource === ALL || other.resource === ALL);
    }),
  );
}

function nameProblem(name: string, eventsGroup: string): string | undefined {
  if (name.toLowerCase() !== name) return 'resource name should not contain capital letters';
  if (name === ALL) return "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources";
  if (INTERNAL.includes(name)) return 'resources which do not have REST API/s cannot be encrypted';
  const { group, resource } = groupResource(name);
  if (group === eventsGroup)
    return `'*.${eventsGroup}' objects are stored using the 'events' API group in etcd. Use 'events' instead in the config file`;
  if (group === 'extensions') return "'extensions' group has been removed and cannot be used for encryption";
  return group === ALL && resource !== ALL ? 'encrypting the same resource across groups is not supported' : undefined;
}
