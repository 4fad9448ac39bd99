/** Kinds that 1.22 and 1.16 have removed. */
import {
  binding,
  metadata,
  ofTemplate,
  oldWebhook,
  type Row,
  rbac,
  resourceAttributes,
  roleRules,
  SELECTED,
  same,
  selector,
  template,
  webhook,
} from './removed-kind.ts';

export const removedBefore125: readonly Row[] = [
  // 1.22
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) => ({
    ...same('admissionregistration.k8s.io/v1beta1', kind, 'admissionregistration.k8s.io/v1', { metadata, webhooks: [webhook] }),
    becomes: { metadata, webhooks: [oldWebhook] },
    notices: [
      'webhooks[0].failurePolicy: Ignore is written out, which admissionregistration.k8s.io/v1beta1 sets by itself; admissionregistration.k8s.io/v1 would set Fail.',
      'webhooks[0].matchPolicy: Exact is written out',
      'webhooks[0].sideEffects: Unknown is written out, which admissionregistration.k8s.io/v1beta1 sets by itself; admissionregistration.k8s.io/v1 would set nothing. v1 requires None or NoneOnDryRun',
      'webhooks[0].timeoutSeconds: 30 is written out',
      'webhooks[0].admissionReviewVersions: ["v1beta1"] is written out',
      'webhooks[0].sideEffects: admissionregistration.k8s.io/v1 refuses it: Unsupported value: "Unknown"',
    ],
  })),
  {
    ...same('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1', {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        version: 'v1',
        preserveUnknownFields: false,
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'A', type: 'string', JSONPath: '.spec.a' }],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://a.example.com' } },
      },
    }),
    becomes: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        preserveUnknownFields: false,
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a.example.com' }, conversionReviewVersions: ['v1beta1'] },
        },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
          },
        ],
      },
    },
    notices: ['spec.conversion.webhook.conversionReviewVersions: ["v1beta1"] is written out'],
  },
  {
    ...same('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1', {
      metadata: { name: 'widgets.example.com' },
      spec: { group: 'example.com', version: 'v1', names: { plural: 'widgets', kind: 'Widget' }, scope: 'Namespaced' },
    }),
    becomes: {
      metadata: { name: 'widgets.example.com' },
      spec: {
        group: 'example.com',
        names: { plural: 'widgets', kind: 'Widget' },
        scope: 'Namespaced',
        preserveUnknownFields: true,
        versions: [{ name: 'v1', served: true, storage: true }],
      },
    },
    notices: [
      'spec.preserveUnknownFields: true is written out, which apiextensions.k8s.io/v1beta1 sets by itself; apiextensions.k8s.io/v1 would set nothing. v1 refuses',
      'spec.versions[0].schema.openAPIV3Schema: apiextensions.k8s.io/v1 refuses it: Required value: schemas are required',
      'spec.preserveUnknownFields: apiextensions.k8s.io/v1 refuses it: Invalid value: true',
    ],
  },
  same('apiregistration.k8s.io/v1beta1', 'APIService', 'apiregistration.k8s.io/v1', {
    metadata: { name: 'v1.example.com' },
    spec: { group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 10, service: { name: 's', namespace: 'n' } },
  }),
  same('authentication.k8s.io/v1beta1', 'TokenReview', 'authentication.k8s.io/v1', { spec: { token: 't' } }),
  same('coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1', {
    metadata,
    spec: { holderIdentity: 'h', leaseDurationSeconds: 15 },
  }),
  same('scheduling.k8s.io/v1beta1', 'PriorityClass', 'scheduling.k8s.io/v1', { metadata, value: 10 }),
  same('scheduling.k8s.io/v1alpha1', 'PriorityClass', 'scheduling.k8s.io/v1', { metadata, value: 10 }),
  ...['v1beta1', 'v1alpha1'].flatMap((version) => [
    same(`${rbac}/${version}`, 'Role', `${rbac}/v1`, { metadata, rules: roleRules }),
    same(`${rbac}/${version}`, 'ClusterRole', `${rbac}/v1`, { metadata, rules: roleRules }),
  ]),
  same(`${rbac}/v1beta1`, 'RoleBinding', `${rbac}/v1`, binding),
  same(`${rbac}/v1beta1`, 'ClusterRoleBinding', `${rbac}/v1`, binding),
  ...['RoleBinding', 'ClusterRoleBinding'].map((kind) => ({
    ...same(`${rbac}/v1alpha1`, kind, `${rbac}/v1`, {
      ...binding,
      subjects: [{ kind: 'User', apiVersion: `${rbac}/v1alpha1`, name: 'u' }],
    }),
    becomes: binding,
  })),
  ...[
    { kind: 'SubjectAccessReview', attributes: resourceAttributes },
    { kind: 'LocalSubjectAccessReview', attributes: { ...resourceAttributes, namespace: 'default' } },
  ].map(({ kind, attributes }) => ({
    ...same('authorization.k8s.io/v1beta1', kind, 'authorization.k8s.io/v1', {
      spec: { group: ['g'], user: 'u', resourceAttributes: attributes },
    }),
    becomes: { spec: { groups: ['g'], user: 'u', resourceAttributes: attributes } },
  })),
  same('authorization.k8s.io/v1beta1', 'SelfSubjectAccessReview', 'authorization.k8s.io/v1', { spec: { resourceAttributes } }),
  same('authorization.k8s.io/v1beta1', 'SelfSubjectRulesReview', 'authorization.k8s.io/v1', { spec: { namespace: 'n' } }),
  {
    ...same('certificates.k8s.io/v1beta1', 'CertificateSigningRequest', 'certificates.k8s.io/v1', {
      metadata,
      spec: { request: 'aGVsbG8=', usages: ['client auth'] },
    }),
    becomes: { metadata, spec: { request: 'aGVsbG8=', usages: ['client auth'], signerName: 'kubernetes.io/legacy-unknown' } },
    notices: [
      'spec.signerName: kubernetes.io/legacy-unknown is written out, which certificates.k8s.io/v1beta1 sets by itself; certificates.k8s.io/v1 would set nothing. v1 requires the name of a signer',
      'spec.signerName: certificates.k8s.io/v1 refuses it: Invalid value: "kubernetes.io/legacy-unknown"',
    ],
  },
  ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((from) => ({
    ...same(from, 'Ingress', 'networking.k8s.io/v1', {
      metadata,
      spec: {
        backend: { serviceName: 's', servicePort: 80 },
        rules: [{ host: 'a.example.com', http: { paths: [{ path: '/', backend: { serviceName: 's', servicePort: 'http' } }] } }],
      },
    }),
    becomes: {
      metadata,
      spec: {
        defaultBackend: { service: { name: 's', port: { number: 80 } } },
        rules: [
          {
            host: 'a.example.com',
            http: {
              paths: [{ path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 's', port: { name: 'http' } } } }],
            },
          },
        ],
      },
    },
    notices: [
      `spec.rules[0].http.paths[0].pathType: ImplementationSpecific is written out, which ${from} sets by itself; networking.k8s.io/v1 would set nothing. ImplementationSpecific leaves it to the ingress controller`,
    ],
  })),
  same('networking.k8s.io/v1beta1', 'IngressClass', 'networking.k8s.io/v1', { metadata, spec: { controller: 'example.com/c' } }),
  same('storage.k8s.io/v1beta1', 'CSIDriver', 'storage.k8s.io/v1', { metadata, spec: { attachRequired: false } }),
  same('storage.k8s.io/v1beta1', 'CSINode', 'storage.k8s.io/v1', { metadata, spec: { drivers: [{ name: 'd', nodeID: 'n' }] } }),
  same('storage.k8s.io/v1beta1', 'StorageClass', 'storage.k8s.io/v1', { metadata, provisioner: 'example.com/p' }),
  same('storage.k8s.io/v1beta1', 'VolumeAttachment', 'storage.k8s.io/v1', {
    metadata,
    spec: { attacher: 'example.com', nodeName: 'n', source: { persistentVolumeName: 'v' } },
  }),
  // 1.16
  same('extensions/v1beta1', 'NetworkPolicy', 'networking.k8s.io/v1', { metadata, spec: { podSelector: selector } }),
  {
    ...same('extensions/v1beta1', 'DaemonSet', 'apps/v1', { metadata, spec: { template } }),
    becomes: {
      metadata: { ...ofTemplate.metadata, annotations: { 'deprecated.daemonset.template.generation': '0' } },
      spec: { selector, template, updateStrategy: { type: 'OnDelete' } },
    },
    notices: [
      ...SELECTED,
      'spec.updateStrategy.type: OnDelete is written out, which extensions/v1beta1 sets by itself; apps/v1 would set RollingUpdate.',
      'metadata.annotations[deprecated.daemonset.template.generation]: The annotation keeps',
    ],
  },
  same('apps/v1beta2', 'DaemonSet', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('extensions/v1beta1', 'Deployment', 'apps/v1', { metadata, spec: { template } }),
    becomes: {
      ...ofTemplate,
      spec: {
        selector,
        template,
        strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        revisionHistoryLimit: 2147483647,
        progressDeadlineSeconds: 2147483647,
      },
    },
    notices: [
      ...SELECTED,
      'spec.strategy.rollingUpdate.maxUnavailable and 1 more: 1 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 25%.',
      'spec.revisionHistoryLimit: 2147483647 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 10.',
      'spec.progressDeadlineSeconds: 2147483647 is written out, which extensions/v1beta1 sets by itself; apps/v1 would set 600.',
    ],
  },
  {
    ...same('apps/v1beta1', 'Deployment', 'apps/v1', { metadata, spec: { selector, template, rollbackTo: { revision: 3 } } }),
    becomes: {
      metadata: { ...ofTemplate.metadata, annotations: { 'deprecated.deployment.rollback.to': '3' } },
      spec: { selector, template, revisionHistoryLimit: 2 },
    },
    notices: [
      'metadata.labels: {"app":"a"} is written out',
      'spec.revisionHistoryLimit: 2 is written out',
      'metadata.annotations[deprecated.deployment.rollback.to]: The annotation keeps',
      'spec.rollbackTo: Nothing acts on it any more',
    ],
  },
  same('apps/v1beta2', 'Deployment', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('extensions/v1beta1', 'ReplicaSet', 'apps/v1', { metadata, spec: { template } }),
    becomes: { ...ofTemplate, spec: { selector, template } },
    notices: SELECTED,
  },
  same('apps/v1beta2', 'ReplicaSet', 'apps/v1', { metadata, spec: { selector, template } }),
  {
    ...same('apps/v1beta1', 'StatefulSet', 'apps/v1', { metadata, spec: { serviceName: 's', template } }),
    becomes: { ...ofTemplate, spec: { serviceName: 's', selector, template, updateStrategy: { type: 'OnDelete' } } },
    notices: [
      ...SELECTED,
      'spec.updateStrategy.type: OnDelete is written out, which apps/v1beta1 sets by itself; apps/v1 would set RollingUpdate.',
      'spec.persistentVolumeClaimRetentionPolicy: apps/v1 sets',
    ],
  },
  {
    ...same('apps/v1beta2', 'StatefulSet', 'apps/v1', { metadata, spec: { serviceName: 's', selector, template } }),
    notices: ['spec.persistentVolumeClaimRetentionPolicy: apps/v1 sets'],
  },
  ...['apps/v1beta1', 'apps/v1beta2'].flatMap((from) => [
    same(from, 'ControllerRevision', 'apps/v1', { metadata, revision: 1, data: { a: 1 } }),
    same(from, 'Scale', 'autoscaling/v1', { metadata, spec: { replicas: 3 } }),
  ]),
  same('extensions/v1beta1', 'Scale', 'autoscaling/v1', { metadata, spec: { replicas: 3 } }),
];
