// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/internal/rules"
)

// checkConfiguration returns requests whose devices do not have exactly the
// configuration of their class followed by that of the claim. The lists of
// request names in the entries may differ as long as they select the same
// requests. kube-scheduler up to 1.36 repeats an entry of a claim for each of the
// requests that it names, which makes no difference to a driver.
func (s snapshot) checkConfiguration(claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, t := range allocatedRequests(claim) {
		class, ok := s.classes[t.ClassName]
		if !ok {
			continue
		}
		var got, once []resourceapi.DeviceAllocationConfiguration
		var last *resourceapi.DeviceAllocationConfiguration
		want := rules.Configuration(&class, claim, t.Name)
		for _, c := range claim.Status.Allocation.Devices.Config {
			if !rules.Applies(c.Requests, t.Name) {
				continue
			}
			isRepeated := last != nil && len(c.Requests) > 1 && sameParameters.DeepEqual(*last, c)
			last = c.DeepCopy()
			c.Requests = nil
			if got = append(got, c); !isRepeated {
				once = append(once, c)
			}
		}
		if !sameParameters.DeepEqual(want, got) && !sameParameters.DeepEqual(want, once) {
			found = append(found, finding{
				rule: ConfigurationCopied, about: t.Name, dependsOn: []string{classNamed(t.ClassName)},
				text: fmt.Sprintf("request %s is configured by %s, not by %s", t.Name, entries(got), entries(want)),
			})
		}
	}
	return found
}

// sameParameters compares parameters by their value: a client that writes JSON may omit
// spaces, and escape characters in another way, as that of Go does.
var sameParameters = conversion.EqualitiesOrDie(func(a, b runtime.RawExtension) bool {
	if bytes.Equal(a.Raw, b.Raw) {
		return true
	}
	first, err := decode(a.Raw)
	second, otherErr := decode(b.Raw)
	return err == nil && otherErr == nil && reflect.DeepEqual(first, second)
})

// decode decodes JSON and keeps all digits of numbers.
func decode(raw []byte) (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err = decoder.Decode(&value)
	return value, err
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
