package audit

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// misconfigured returns requests whose devices do not have exactly the
// configuration of their class followed by that of the claim. The lists of
// request names in the entries may differ as long as they select the same
// requests.
func (w world) misconfigured(claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, t := range takenOf(claim) {
		class, ok := w.classes[t.class]
		if !ok {
			continue
		}
		var want, got []resourceapi.DeviceAllocationConfiguration
		for _, c := range class.Spec.Config {
			want = append(want, resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClass, DeviceConfiguration: c.DeviceConfiguration})
		}
		for _, c := range claim.Spec.Devices.Config {
			if names(c.Requests, t.name) {
				want = append(want, resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: c.DeviceConfiguration})
			}
		}
		for _, c := range claim.Status.Allocation.Devices.Config {
			if names(c.Requests, t.name) {
				c.Requests = nil
				got = append(got, c)
			}
		}
		if !equality.Semantic.DeepEqual(want, got) {
			found = append(found, finding{
				rule: ConfigurationCopied, about: t.name, judgedBy: []string{classNamed(t.class)},
				text: fmt.Sprintf("request %s is configured by %s, not by %s", t.name, entries(got), entries(want)),
			})
		}
	}
	return found
}

// entries returns a short description of configuration entries.
func entries(all []resourceapi.DeviceAllocationConfiguration) string {
	if len(all) == 0 {
		return "nothing"
	}
	texts := make([]string, len(all))
	for i, c := range all {
		texts[i] = string(c.Source)
		if c.Opaque != nil {
			texts[i] += fmt.Sprintf(" (%s: %s)", c.Opaque.Driver, c.Opaque.Parameters.Raw)
		}
	}
	return strings.Join(texts, " and ")
}
