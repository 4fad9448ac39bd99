/** Objects that name no class get the one that is marked as the default; of several the newest. */
import type { ApiObject } from '../../contract/object.ts';
import type { AdmissionPlugin, Followed, PluginParts } from '../plugin-interface/plugin.ts';
import { isOf, only } from '../plugin-interface/refusal.ts';

/** @param marks annotations, one of which says so */
function defaultClass(classes: Followed, marks: readonly string[]): string | undefined {
  const marked = classes.in('').filter(({ metadata: { annotations = {} } }) => marks.some((mark) => annotations[mark] === 'true'));
  return marked.sort(newestFirst)[0]?.metadata.name;
}

/** Compares objects so that newer ones come first. Those that were created in the same second are compared by their names. */
function newestFirst({ metadata: a }: ApiObject, { metadata: b }: ApiObject): number {
  const [made, other] = [a.creationTimestamp ?? '', b.creationTimestamp ?? ''];
  if (made !== other) return made < other ? 1 : -1;
  return (a.name as string) < (b.name as string) ? -1 : 1;
}

export function defaultStorageClass({ identity: { text }, followed }: PluginParts): AdmissionPlugin {
  const classes = followed('storageclasses');
  const marks = [text('storageclass.${labelDomain}/is-default-class'), text('storageclass.beta.${labelDomain}/is-default-class')];
  const ownClass = text('volume.beta.${labelDomain}/storage-class');
  return {
    concerns: only('', 'persistentvolumeclaims'),
    mutate(attributes) {
      const { operation, object } = attributes;
      if (operation !== 'create' || object === undefined || !isOf(attributes, '', 'persistentvolumeclaims')) return;
      if (object.metadata.annotations?.[ownClass] !== undefined || object.spec?.storageClassName !== undefined) return;
      const name = defaultClass(classes, marks);
      if (name !== undefined) object.spec = { ...object.spec, storageClassName: name };
    },
  };
}

export function defaultIngressClass({ identity: { text }, followed }: PluginParts): AdmissionPlugin {
  const classes = followed('ingressclasses');
  const mark = text('ingressclass.${labelDomain}/is-default-class');
  const ownClass = text('${labelDomain}/ingress.class');
  const group = text('networking.${groupDomain}');
  return {
    concerns: only(group, 'ingresses'),
    mutate(attributes) {
      const { operation, object } = attributes;
      if (operation !== 'create' || object === undefined || !isOf(attributes, group, 'ingresses')) return;
      if (object.metadata.annotations?.[ownClass] !== undefined || object.spec?.ingressClassName !== undefined) return;
      const name = defaultClass(classes, [mark]);
      if (name !== undefined) object.spec = { ...object.spec, ingressClassName: name };
    },
  };
}
