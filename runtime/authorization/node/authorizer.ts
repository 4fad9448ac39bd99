/** Allows node agents access to their own node, and to the objects that their pods need (specification: Authorization, mode Node). */
import type { Identity } from '../../contract/identity.ts';
import type { User } from '../../contract/request-context.ts';
import { goQuote } from '../../go-text/quote.ts';
import { grantsOnName, grantsOnPath, grantsOnResource, type PolicyRule } from '../../kinds/rbac/rule-matching.ts';
import type { AccessAttributes, Authorizer, Decision } from '../authorizer.ts';
import type { UserRules } from '../user-rules.ts';
import { nodeOf } from './node-identity.ts';
import type { NodeRelations, Related } from './relations.ts';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };
const refused = (reason: string): Decision => ({ decision: 'noOpinion', reason });

export interface NodeAuthorizerParts {
  readonly identity: Identity;
  readonly relations: NodeRelations;
  /** brings the relations to the store's revision; called before each decision that needs them */
  readonly catchUp: () => void;
  /** loads the rules of the role system:node, which hold for every node */
  readonly loadRules: () => Promise<readonly PolicyRule[]>;
  /** whether nodes may read nodes and pods only by name or selector (feature gate AuthorizeNodeWithSelectors) */
  readonly withSelectors: boolean;
}

/** Decides about requests for one resource; undefined: the rules for every node decide. */
type Judge = (node: string, attributes: AccessAttributes) => Decision | Promise<Decision> | undefined;

export class NodeAuthorizer implements Authorizer {
  readonly #parts: NodeAuthorizerParts;
  readonly #leaseNamespace: string;
  readonly #judges: Readonly<Record<string, Judge>>;
  #rules: readonly PolicyRule[] | undefined;

  constructor(parts: NodeAuthorizerParts) {
    this.#parts = parts;
    this.#leaseNamespace = parts.identity.text('${leaseNamespace}');
    const group = (name: string): string => parts.identity.text(`${name}.\${groupDomain}`);
    this.#judges = {
      '/secrets': (node, asked) => this.#read(node, 'secrets', asked),
      '/configmaps': (node, asked) => this.#read(node, 'configmaps', asked),
      '/persistentvolumeclaims': (node, asked) =>
        asked.subresource === 'status'
          ? this.#updateStatus(node, 'persistentvolumeclaims', asked)
          : this.#get(node, 'persistentvolumeclaims', asked),
      '/persistentvolumes': (node, asked) => this.#get(node, 'persistentvolumes', asked),
      '/serviceaccounts': (node, asked) => this.#createToken(node, asked),
      [`${group('resource')}/resourceclaims`]: (node, asked) => this.#get(node, 'resourceclaims', asked),
      [`${group('storage')}/volumeattachments`]: (node, asked) => this.#get(node, 'volumeattachments', asked),
      [`${group('coordination')}/leases`]: (node, asked) => this.#lease(node, asked),
      [`${group('storage')}/csinodes`]: (node, asked) => this.#csiNode(node, asked),
      [`${group('resource')}/resourceslices`]: (node, asked) => this.#resourceSlice(node, asked),
      ...(parts.withSelectors && {
        '/nodes': (node: string, asked: AccessAttributes) => this.#node(node, asked),
        '/pods': (node: string, asked: AccessAttributes) => this.#pod(node, asked),
      }),
    };
  }

  authorize(attributes: AccessAttributes): Decision | Promise<Decision> {
    const node = nodeOf(attributes.user);
    if (node === undefined) return NO_OPINION;
    if (node === '') return refused(`unknown node for user ${goQuote(attributes.user.name)}`);
    const judge = attributes.isResource ? this.#judges[`${attributes.group}/${attributes.resource}`] : undefined;
    return judge?.(node, attributes) ?? this.#byRules(attributes);
  }

  rules(user: User): UserRules {
    const none = { resourceRules: [], nonResourceRules: [] };
    if (nodeOf(user) === undefined) return { ...none, incomplete: false };
    return { ...none, incomplete: true, error: 'node authorizer does not support user rule resolution' };
  }

  #byRules(attributes: AccessAttributes): Decision | Promise<Decision> {
    if (this.#rules !== undefined) return allows(this.#rules, attributes) ? ALLOWED : NO_OPINION;
    return this.#parts.loadRules().then((rules) => {
      this.#rules = rules;
      return allows(rules, attributes) ? ALLOWED : NO_OPINION;
    });
  }

  /** A request that would be refused waits until long objects are read, because these can only add relations. */
  #related(node: string, resource: Related, { namespace, name }: AccessAttributes): Decision | Promise<Decision> {
    if (name === '') return refused('No Object name found');
    const { relations, catchUp } = this.#parts;
    catchUp();
    const judge = (): Decision =>
      relations.relates(node, resource, namespace, name)
        ? ALLOWED
        : refused(`no relationship found between node '${node}' and this object`);
    const decision = judge();
    const { pending } = relations;
    return decision === ALLOWED || pending === undefined ? decision : pending.then(judge);
  }

  #read(node: string, resource: Related, asked: AccessAttributes): Decision | Promise<Decision> {
    if (!READS.has(asked.verb)) return refused('can only read resources of this type');
    if (asked.subresource !== '') return refused('cannot read subresource');
    if (asked.namespace === '') return refused('can only read namespaced object of this type');
    return this.#related(node, resource, asked);
  }

  #get(node: string, resource: Related, asked: AccessAttributes): Decision | Promise<Decision> {
    if (asked.verb !== 'get') return refused('can only get individual resources of this type');
    if (asked.subresource !== '') return refused('cannot get subresource');
    return this.#related(node, resource, asked);
  }

  #updateStatus(node: string, resource: Related, asked: AccessAttributes): Decision | Promise<Decision> {
    if (!CHANGES.has(asked.verb)) return refused('can only get/update/patch this type');
    return this.#related(node, resource, asked);
  }

  #createToken(node: string, asked: AccessAttributes): Decision | Promise<Decision> {
    if (asked.verb !== 'create' || asked.name === '') return refused('can only create tokens for individual service accounts');
    if (asked.subresource !== 'token') return refused('can only create token subresource of serviceaccount');
    return this.#related(node, 'serviceaccounts', asked);
  }

  /** The name of a new lease is not known here, so the admission plugin NodeRestriction checks it. */
  #lease(node: string, { verb, namespace, name }: AccessAttributes): Decision {
    if (!OWN.has(verb)) return refused('can only get, create, update, patch, or delete a node lease');
    if (namespace !== this.#leaseNamespace)
      return refused(`can only access leases in the ${goQuote(this.#leaseNamespace)} system namespace`);
    if (verb !== 'create' && name !== node) return refused('can only access node lease with the same name as the requesting node');
    return ALLOWED;
  }

  #csiNode(node: string, { verb, subresource, name }: AccessAttributes): Decision {
    if (!OWN.has(verb)) return refused('can only get, create, update, patch, or delete a CSINode');
    if (subresource !== '') return refused('cannot authorize CSINode subresources');
    if (verb !== 'create' && name !== node) return refused('can only access CSINode with the same name as the requesting node');
    return ALLOWED;
  }

  #resourceSlice(node: string, asked: AccessAttributes): Decision | Promise<Decision> {
    if (asked.subresource !== '') return refused('cannot authorize ResourceSlice subresources');
    if (asked.verb === 'create') return ALLOWED;
    if (OWN.has(asked.verb)) return this.#related(node, 'resourceslices', asked);
    if (!MANY.has(asked.verb))
      return refused(
        'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
      );
    if (!this.#parts.withSelectors || selects(asked, node)) return ALLOWED;
    return refused('can only list/watch/deletecollection resourceslices with nodeName field selector');
  }

  #node(node: string, { verb, subresource, name }: AccessAttributes): Decision | Promise<Decision> {
    if (subresource === 'status') return CHANGES.has(verb) ? ALLOWED : NO_OPINION;
    if (subresource !== '') return NO_OPINION;
    if (verb === 'create' || CHANGES.has(verb)) return ALLOWED;
    if (!READS.has(verb)) return NO_OPINION;
    if (name === node) return ALLOWED;
    return refused(`node '${node}' cannot read ${name === '' ? 'all nodes' : `'${name}'`}, only its own Node object`);
  }

  #pod(node: string, asked: AccessAttributes): Decision | Promise<Decision> {
    const { verb, subresource, name } = asked;
    if (subresource === 'status') return CHANGES.has(verb) ? ALLOWED : NO_OPINION;
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : NO_OPINION;
    if (subresource !== '') return NO_OPINION;
    if (verb === 'get') return this.#related(node, 'pods', asked);
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (!READS.has(verb)) return NO_OPINION;
    if (selects(asked, node)) return ALLOWED;
    return name === '' ? refused('can only list/watch pods with spec.nodeName field selector') : this.#related(node, 'pods', asked);
  }
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const CHANGES: ReadonlySet<string> = new Set(['update', 'patch']);
const OWN: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const MANY: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** Whether the request is limited to objects of this node. */
function selects({ fieldSelector }: AccessAttributes, node: string): boolean {
  return fieldSelector?.some(({ field, operator, value }) => field === 'spec.nodeName' && operator !== '!=' && value === node) ?? false;
}

function allows(rules: readonly PolicyRule[], { isResource, verb, path, group, resource, subresource, name }: AccessAttributes): boolean {
  return rules.some((rule) =>
    isResource ? grantsOnResource(rule, verb, group, resource, subresource) && grantsOnName(rule, name) : grantsOnPath(rule, verb, path),
  );
}
