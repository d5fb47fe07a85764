package audit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// affinityAnnotation is the annotation of a ResourceSlice that lists the
// attribute keys whose values all holders of a device must share: a JSON object
// that maps device names to {"attributeKeys": [...]}. API servers drop the
// field that KEP-5981 defines for it.
const affinityAnnotation = "draconform.dev/sharing-affinity"

// affinityOf returns the attribute keys of each device of a slice. An
// annotation that cannot be parsed yields no keys. Whether a scheduler ignores
// such devices is tested elsewhere.
func affinityOf(s *resourceapi.ResourceSlice) map[string][]string {
	var declared map[string]struct {
		AttributeKeys []string `json:"attributeKeys"`
	}
	if json.Unmarshal([]byte(s.Annotations[affinityAnnotation]), &declared) != nil {
		return nil
	}
	keys := map[string][]string{}
	for device, d := range declared {
		keys[device] = d.AttributeKeys
	}
	return keys
}

// unequal returns a finding for each device whose holders state different
// affinity values, or none.
func (inv *Inventory) unequal(held holders) []finding {
	var found []finding
	for _, id := range held.devices() {
		for _, key := range inv.devices[id].affinity {
			var said, different []string
			var blamed [][]string
			for _, h := range held[id] {
				value := statedBy(h, key)
				said = append(said, nameOf(h.claim)+" states "+value)
				if !slices.Contains(different, value) {
					different = append(different, value)
				}
				blamed = append(blamed, []string{nameOf(h.claim)})
			}
			if len(different) == 1 && different[0] != nothing {
				continue
			}
			found = append(found, finding{
				rule: AffinityValuesMeet, about: id.String() + " " + key, blamed: blamed, judgedBy: poolOfDevice(id),
				text: fmt.Sprintf("device %s is shared only by who states the same value for %s, but %s", id, key, strings.Join(said, ", ")),
			})
		}
	}
	return found
}

// nothing stands for the affinity value of a holder that states no string, or
// several.
const nothing = "nothing"

// structuredParameters are the opaque parameters for the driver resource.k8s.io
// that state a claim's affinity values.
type structuredParameters struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Attributes map[string]struct {
		String *string `json:"string"`
	} `json:"attributes"`
}

// statedBy returns the quoted affinity value for a key in the configuration of
// a holder's allocation. Exactly one entry must apply to its request.
func statedBy(h holder, key string) string {
	var values []string
	for _, config := range h.claim.Status.Allocation.Devices.Config {
		if config.Opaque == nil || config.Opaque.Driver != "resource.k8s.io" || !names(config.Requests, h.result.Request) {
			continue
		}
		var p structuredParameters
		if json.Unmarshal(config.Opaque.Parameters.Raw, &p) != nil {
			return nothing
		}
		if p.APIVersion != "resource.k8s.io/v1alpha1" || p.Kind != "StructuredParameters" {
			continue
		}
		value := nothing
		if s := p.Attributes[key].String; s != nil {
			value = fmt.Sprintf("%q", *s)
		}
		values = append(values, value)
	}
	if len(values) != 1 {
		return nothing
	}
	return values[0]
}
