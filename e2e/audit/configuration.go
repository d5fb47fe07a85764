// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/internal/rules"
)

// checkConfiguration returns requests whose devices do not have exactly the
// configuration of their class followed by that of the claim. The lists of
// request names in the entries may differ as long as they select the same
// requests.
func (s snapshot) checkConfiguration(claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, t := range allocatedRequests(claim) {
		class, ok := s.classes[t.ClassName]
		if !ok {
			continue
		}
		var got []resourceapi.DeviceAllocationConfiguration
		want := rules.Configuration(&class, claim, t.Name)
		for _, c := range claim.Status.Allocation.Devices.Config {
			if rules.Applies(c.Requests, t.Name) {
				c.Requests = nil
				got = append(got, c)
			}
		}
		if !equality.Semantic.DeepEqual(want, got) {
			found = append(found, finding{
				rule: ConfigurationCopied, about: t.Name, dependsOn: []string{classNamed(t.ClassName)},
				text: fmt.Sprintf("request %s is configured by %s, not by %s", t.Name, entries(got), entries(want)),
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
