import type { ApiObject } from '../../contract/object.ts';
import { compareQuantities, parseQuantity } from '../../schema/scalar/quantity.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, isOf, only } from '../plugin-interface/refusal.ts';

/** Claims grow where they are bound, and their class says that its volumes can. */
export function persistentVolumeClaimResize({ identity: { text }, followed }: PluginParts): AdmissionPlugin {
  const classes = followed('storageclasses');
  const annotation = text('volume.beta.${labelDomain}/storage-class');
  const classOf = ({ metadata, spec }: ApiObject): string => metadata.annotations?.[annotation] ?? spec?.storageClassName ?? '';
  return {
    concerns: only('', 'persistentvolumeclaims'),
    validate(attributes) {
      const { operation, object, old } = attributes;
      if (operation !== 'update' || object === undefined || old === undefined || !isOf(attributes, '', 'persistentvolumeclaims')) return;
      if (compareQuantities(parseQuantity(sizeOf(object)), parseQuantity(sizeOf(old))) <= 0) return;
      if (old.status?.phase !== 'Bound') throw forbidden(attributes, 'Only bound persistent volume claims can be expanded');
      const name = classOf(object);
      const isAllowed = name !== '' && name === classOf(old) && classes.get('', name)?.allowVolumeExpansion === true;
      if (!isAllowed)
        throw forbidden(
          attributes,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

const sizeOf = ({ spec }: ApiObject): string => spec?.resources?.requests?.storage ?? '0';
